import { IconChecklist } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Empty } from '../../kit/empty.tsx';
import { count } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { PlainSection } from '../../kit/plain-section.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { singlePage } from '../../kit/single-page.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { DecisionsOverTime } from './decisions-over-time.tsx';
import { elapsed } from './elapsed.ts';
import { ExportButton } from './export-button.tsx';
import { UnviewedDecisions } from './unviewed-decisions.tsx';
import { useReportRange } from './use-report-range.ts';

const query = graphql(`
  query ApprovalReport($from: String!, $to: String!) {
    governanceReport(from: $from, to: $to) {
      interval
      periods {
        from
        approved
        denied
        medianSeconds
      }
      steps {
        stepName
        approved
        denied
        expired
        open
        medianSeconds
        p90Seconds
        oldestOpenSeconds
      }
      approvers {
        memberId
        memberName
        approved
        denied
        unviewed
        open
        medianSeconds
        p90Seconds
      }
    }
  }
`);

type Report = ResultOf<typeof query>['governanceReport'];
type Step = Report['steps'][number];
type Approver = Report['approvers'][number];

/** How long decisions take, per step and per approver. */
export function Component() {
  const range = useReportRange();
  const { from, to } = range;
  const [result, refetch] = useQuery({ query, variables: { from, to } });
  useChangeEvents('approval', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ governanceReport: { interval, periods, steps, approvers } }) => (
        <>
          <DecisionsOverTime range={range} interval={interval} periods={periods} />
          <PlainSection
            title="Approval steps"
            lead="Time from the opening of a step to its decision. Open steps count as of now."
            actions={<ExportButton file="approval-steps" of="approval steps" />}
          >
            <Rows
              label="Approval steps"
              pages={singlePage(steps)}
              keyOf={({ stepName }) => stepName}
              columns={stepColumns}
              empty={<NoApprovals />}
            />
          </PlainSection>
          <PlainSection
            title="Approvers"
            lead="Every vote counts. “Without view” are decisions of people who had not opened the arguments in the console."
            actions={<ExportButton file="approvers" of="approvers" />}
          >
            <Rows
              label="Approvers"
              pages={singlePage(approvers)}
              keyOf={({ memberId }) => memberId}
              columns={approverColumns}
              empty={<NoApprovals />}
            />
          </PlainSection>
          <UnviewedDecisions from={from} to={to} />
        </>
      )}
    </Loaded>
  );
}

const stepColumns: readonly Column<Step>[] = [
  { label: 'Step', cell: ({ stepName }) => <Untrusted text={stepName} />, width: '26%' },
  { label: 'Median', isFigure: true, cell: ({ medianSeconds }) => elapsed(medianSeconds) },
  { label: '90th percentile', isFigure: true, cell: ({ p90Seconds }) => elapsed(p90Seconds) },
  { label: 'Approved', isFigure: true, cell: ({ approved }) => count(approved) },
  { label: 'Denied', isFigure: true, cell: ({ denied }) => count(denied) },
  { label: 'Expired', isFigure: true, cell: ({ expired }) => count(expired) },
  { label: 'Open', isFigure: true, cell: ({ open }) => count(open) },
  { label: 'Oldest open', isFigure: true, cell: ({ oldestOpenSeconds }) => elapsed(oldestOpenSeconds) },
];

const approverColumns: readonly Column<Approver>[] = [
  { label: 'Approver', cell: ({ memberName }) => <Untrusted text={memberName ?? 'Erased member'} />, width: '26%' },
  { label: 'Median', isFigure: true, cell: ({ medianSeconds }) => elapsed(medianSeconds) },
  { label: '90th percentile', isFigure: true, cell: ({ p90Seconds }) => elapsed(p90Seconds) },
  { label: 'Approved', isFigure: true, cell: ({ approved }) => count(approved) },
  { label: 'Denied', isFigure: true, cell: ({ denied }) => count(denied) },
  { label: 'Without view', isFigure: true, cell: ({ unviewed }) => count(unviewed) },
  { label: 'Open', isFigure: true, cell: ({ open }) => count(open) },
];

const NoApprovals = () => (
  <Empty icon={IconChecklist} title="No approvals in this period">
    Choose another period. Approvals appear when a policy requires them.
  </Empty>
);
