import { Button, Group, Table, Text } from '@mantine/core';
import { metricUnits } from '../../../src/spend/usage-row.ts';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { count, dollars } from '../../kit/figures.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { metricNames, metrics } from './metric-names.ts';
import { dayName, rangeName } from './period.ts';

export const allMetrics = graphql(`
  fragment AllMetrics on SpendReportRow @_unmask {
    from
    name
    chargedCents
    usageBasedCents
    metrics {
      ai_requests_chat
      ai_requests_agent
      ai_requests_composer
      ai_requests_cmdk
      tab_completions_shown
      tab_completions_accepted
      applies_accepted
      applies_rejected
      lines_accepted_added
      lines_accepted_deleted
      subscription_included_requests
      usage_based_requests
      byo_api_key_requests
      input_tokens
      output_tokens
      cache_read_tokens
      cache_creation_tokens
    }
  }
`);
const daysQuery = graphql(
  `
    query SpendDaysOfPerson($from: String!, $to: String!, $where: SpendReportFilter!, $first: Int!, $after: String) {
      spendReport(from: $from, to: $to, by: person, per: day, where: $where, first: $first, after: $after) {
        nodes {
          ...AllMetrics
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [allMetrics],
);
type Row = ResultOf<typeof allMetrics>;

interface Props {
  total: Row;
  range: { from: string; to: string };
  where: { connectionIds?: string[]; personIds?: string[]; identityIds?: string[] };
}

/** Every metric per day, with a total. */
export function PersonDays({ total, range, where }: Props) {
  const pages = usePages({
    query: daysQuery,
    variables: { ...range, where },
    pick: ({ spendReport }) => spendReport,
    news: 'spend',
  });
  const label = 'Usage by day';
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        Days without usage data are not listed. A dash means unknown; 0 means none.
      </Text>
      {pages.problem && <ProblemNote problem={pages.problem} retry={pages.refetch} />}
      <Table.ScrollContainer
        minWidth={1900}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': label } }}
      >
        <Table aria-label={label} className="figures" stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Day</Table.Th>
              <Header name="Cost" unit="USD" />
              <Header name="Overage" unit="USD" />
              {metrics.map((metric) => (
                <Header key={metric} name={metricNames[metric]} unit={metricUnits[metric]} title={metric} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <FiguresRow name={rangeName(range)} row={total} isTotal />
            {pages.nodes?.map((row) => (
              <FiguresRow key={row.from} name={dayName(row.from)} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {pages.hasMore && (
        <Group justify="center" mt="sm">
          <Button variant="default" loading={pages.isFetching} onClick={pages.more}>
            Show more days
          </Button>
        </Group>
      )}
    </>
  );
}

const Header = ({ name, unit, title }: { name: string; unit: string; title?: string }) => (
  <Table.Th scope="col" ta="end" title={title}>
    {name}
    <Text size="xs" c="dimmed">
      {unit}
    </Text>
  </Table.Th>
);

function FiguresRow({ name, row, isTotal = false }: { name: string; row: Row; isTotal?: boolean }) {
  const cells = [
    dollars(row.chargedCents),
    dollars(row.usageBasedCents),
    ...metrics.map((metric) => count(row.metrics[metric])),
  ];
  return (
    <Table.Tr fw={isTotal ? 600 : undefined}>
      <Table.Th scope="row" style={{ whiteSpace: 'nowrap' }}>
        {name}
      </Table.Th>
      {cells.map((cell, at) => (
        <Table.Td key={at} ta="end">
          {cell}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
