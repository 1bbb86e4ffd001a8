import { Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
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
import { ExportButton } from './export-button.tsx';
import { LedgerNote } from './ledger-note.tsx';
import { useReportRange } from './use-report-range.ts';

const query = graphql(`
  query UnusedTools($from: String!, $to: String!) {
    governanceReport(from: $from, to: $to) {
      ledgerSince
      unusedTools {
        toolCount
        totalCount
        nodes {
          configurationId
          configurationName
          connectionSlug
          tool
          effect
          requests
        }
      }
    }
  }
`);

type UnusedTool = ResultOf<typeof query>['governanceReport']['unusedTools']['nodes'][number];

const effectNames: Record<string, string> = { read: 'Read-only', write: 'Writes', destructive: 'Destructive' };

const columns: readonly Column<UnusedTool>[] = [
  { label: 'Tool', cell: ({ tool }) => <Untrusted text={tool} />, width: '34%' },
  { label: 'Integration', cell: ({ connectionSlug }) => <Untrusted text={connectionSlug} /> },
  { label: 'Configuration', cell: ({ configurationName }) => <Untrusted text={configurationName} /> },
  { label: 'Effect', cell: ({ effect }) => effectNames[effect] ?? effect, isMinor: true },
  { label: 'Calls not sent', isFigure: true, cell: ({ requests }) => count(requests) },
];

/** Tools that are offered and not called. */
export function Component() {
  const { from, to } = useReportRange();
  const [result, refetch] = useQuery({ query, variables: { from, to } });
  useChangeEvents(['connection', 'configuration'], () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ governanceReport: { ledgerSince, unusedTools: tools } }) => (
        <PlainSection
          title="Tools never used"
          lead={`${count(tools.totalCount)} of ${count(tools.toolCount)} offered tools did not run in this period. “Calls not sent” were denied, expired, or are pending.`}
          actions={<ExportButton file="unused-tools" of="unused tools" />}
        >
          <LedgerNote from={from} ledgerSince={ledgerSince} />
          <Rows
            label="Tools never used"
            pages={singlePage(tools.nodes)}
            keyOf={({ configurationId, tool }) => `${configurationId} ${tool}`}
            to={({ configurationId }) => `/agents/capabilities/configurations/${configurationId}/integrations`}
            columns={columns}
            empty={
              <Empty icon={IconTool} title="Every tool was used">
                Each offered tool was called at least once in this period.
              </Empty>
            }
          />
          {tools.nodes.length < tools.totalCount && (
            <Text size="sm" c="dimmed" mt="xs">
              Shows the first {count(tools.nodes.length)}. The export has all of them.
            </Text>
          )}
        </PlainSection>
      )}
    </Loaded>
  );
}
