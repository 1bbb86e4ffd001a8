import { Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
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
import { When } from '../../kit/when.tsx';
import { ExportButton } from './export-button.tsx';
import { LedgerNote } from './ledger-note.tsx';
import { useReportRange } from './use-report-range.ts';

const query = graphql(`
  query UnmatchedPolicies($from: String!, $to: String!) {
    governanceReport(from: $from, to: $to) {
      ledgerSince
      unmatchedPolicyRules {
        policyCount
        totalCount
        nodes {
          configurationId
          configurationName
          policyId
          effect
          step
          revision
          unchangedSince
        }
      }
    }
  }
`);

type Rule = ResultOf<typeof query>['governanceReport']['unmatchedPolicyRules']['nodes'][number];

const verdictOf = ({ effect, step }: Rule) => {
  if (effect === 'forbid') return 'Deny';
  return step === null ? (
    'Allow'
  ) : (
    <>
      Require approval “<Untrusted text={step} />”
    </>
  );
};

const columns: readonly Column<Rule>[] = [
  { label: 'Policy', cell: ({ policyId }) => <Untrusted text={policyId} />, width: '32%' },
  { label: 'Verdict', cell: verdictOf },
  { label: 'Configuration', cell: ({ configurationName }) => <Untrusted text={configurationName} /> },
  { label: 'Unchanged since', cell: ({ unchangedSince }) => <When at={unchangedSince} />, width: '10rem' },
];

/** Policies that took part in no decision. */
export function Component() {
  const { from, to } = useReportRange();
  const [result, refetch] = useQuery({ query, variables: { from, to } });
  useChangeEvents('policy', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ governanceReport: { ledgerSince, unmatchedPolicyRules: rules } }) => (
        <PlainSection
          title="Policies that never matched"
          lead={`${count(rules.totalCount)} of ${count(rules.policyCount)} live policies took part in no decision in this period. A policy counts from the revision since which it has been unchanged.`}
          actions={<ExportButton file="unmatched-policies" of="policies that never matched" />}
        >
          <LedgerNote from={from} ledgerSince={ledgerSince} />
          <Rows
            label="Policies that never matched"
            pages={singlePage(rules.nodes)}
            keyOf={({ configurationId, policyId }) => `${configurationId} ${policyId}`}
            to={({ configurationId }) => `/agents/capabilities/configurations/${configurationId}/policy`}
            columns={columns}
            empty={
              <Empty icon={IconShieldCheck} title="Every policy matched">
                Each live policy took part in at least one decision in this period.
              </Empty>
            }
          />
          {rules.nodes.length < rules.totalCount && (
            <Text size="sm" c="dimmed" mt="xs">
              Shows the first {count(rules.nodes.length)}. The export has all of them.
            </Text>
          )}
        </PlainSection>
      )}
    </Loaded>
  );
}
