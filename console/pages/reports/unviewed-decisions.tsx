import { IconEyeCheck } from '@tabler/icons-react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { PlainSection } from '../../kit/plain-section.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { ExportButton } from './export-button.tsx';

const query = graphql(`
  query UnviewedDecisions($from: String!, $to: String!, $first: Int!, $after: String) {
    governanceReport(from: $from, to: $to) {
      unviewedDecisions(first: $first, after: $after) {
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          approvalId
          tool
          stepName
          configurationName
          decision
          decidedAt
          memberId
          memberName
        }
      }
    }
  }
`);

type Decision = ResultOf<typeof query>['governanceReport']['unviewedDecisions']['nodes'][number];

const columns: readonly Column<Decision>[] = [
  { label: 'Tool', cell: ({ tool }) => <Untrusted text={tool} />, width: '30%' },
  {
    label: 'Decision',
    cell: ({ decision }) =>
      decision === 'approve' ? (
        <StateBadge state="approved" label="Approved" />
      ) : (
        <StateBadge state="denied" label="Denied" />
      ),
  },
  { label: 'Approver', cell: ({ memberName }) => <Untrusted text={memberName ?? 'Erased member'} /> },
  { label: 'Step', cell: ({ stepName }) => <Untrusted text={stepName} />, isMinor: true },
  {
    label: 'Configuration',
    cell: ({ configurationName }) => <Untrusted text={configurationName ?? 'Removed configuration'} />,
    isMinor: true,
  },
  { label: 'Time', cell: ({ decidedAt }) => <When at={decidedAt} />, width: '9rem' },
];

/** Decisions of people who had not opened the arguments. */
export function UnviewedDecisions({ from, to }: { from: string; to: string }) {
  const pages = usePages({
    query,
    variables: { from, to },
    pick: ({ governanceReport }) => governanceReport.unviewedDecisions,
    news: 'approval',
  });
  return (
    <PlainSection
      title="Decided without viewing the arguments"
      lead="The approver had not opened the approval with its arguments in the console. Messages in Slack show all arguments, so decisions there are not listed."
      actions={<ExportButton file="unviewed-decisions" of="decisions without a view" />}
    >
      <Rows
        label="Decisions without a view of the arguments"
        pages={pages}
        keyOf={({ approvalId, memberId }) => `${approvalId} ${memberId}`}
        to={({ approvalId }) => `/approvals/${approvalId}?show=decided`}
        columns={columns}
        empty={
          <Empty icon={IconEyeCheck} title="No decisions without a view">
            In this period, every approver had opened the arguments before they decided.
          </Empty>
        }
      />
    </PlainSection>
  );
}
