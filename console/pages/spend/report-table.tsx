import { Group, Select, Text } from '@mantine/core';
import { IconCoin } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Empty } from '../../kit/empty.tsx';
import { compact, count, dollars, percent } from '../../kit/figures.ts';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { cents, figuresRow } from './figures-row.ts';
import { PeriodBar } from './period-bar.tsx';
import { DataQuality } from './data-quality.tsx';
import { filterFields, useReportParameters } from './use-report-parameters.ts';

const reportQuery = graphql(
  `
    query SpendReportRows(
      $from: String!
      $to: String!
      $by: SpendReportBy!
      $orderBy: SpendSum!
      $where: SpendReportFilter!
      $isByModel: Boolean!
      $first: Int!
      $after: String
    ) {
      spendReport(from: $from, to: $to, by: $by, orderBy: $orderBy, where: $where, first: $first, after: $after) {
        nodes {
          ...FiguresRow
          activePeople @skip(if: $isByModel)
          listCents @include(if: $isByModel)
          events @include(if: $isByModel)
          tokens: metrics @include(if: $isByModel) {
            input_tokens
            output_tokens
            cache_read_tokens
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [figuresRow],
);
const totalQuery = graphql(`
  query SpendReportTotal($from: String!, $to: String!, $where: SpendReportFilter!) {
    spendReport(from: $from, to: $to, where: $where) {
      total {
        chargedCents
      }
      days {
        dataSince
        provisional {
          from
          to
        }
        pending {
          from
          to
        }
        lost {
          from
          to
        }
      }
    }
  }
`);

export type ReportRow = ResultOf<typeof reportQuery>['spendReport']['nodes'][number];
type By = 'person' | 'group' | 'cost_centre' | 'model';
type OrderBy = (typeof orders)[number]['value'];

const orders = [
  { value: 'charged_cents', label: 'Cost' },
  { value: 'lines_accepted_added', label: 'Accepted lines' },
  { value: 'ai_requests_agent', label: 'Agent requests' },
] as const;
const modelOrders = [
  { value: 'charged_cents', label: 'Cost' },
  { value: 'input_tokens', label: 'Input tokens' },
  { value: 'output_tokens', label: 'Output tokens' },
] as const;

interface Props {
  by: By;
  /** "Groups" */
  label: string;
  /** Header of the first column: "Group". */
  nameLabel: string;
  /** Renders the name, or a label for rows without one. */
  nameOf(row: ReportRow): ReactNode;
  to?(row: ReportRow): string;
  narrowedBy?: readonly (keyof typeof filterFields)[];
  /** Shown above the table. */
  children?: ReactNode;
}

/** A report by person, group, cost centre, or model. */
export function ReportTable({ by, label, nameLabel, nameOf, to, narrowedBy, children }: Props) {
  const { from, to: last, where } = useReportParameters();
  const [chosen, choose] = useFilter('order');
  const choices: readonly { value: OrderBy | 'input_tokens' | 'output_tokens'; label: string }[] =
    by === 'model' ? modelOrders : orders;
  const orderBy = choices.find(({ value }) => value === chosen)?.value ?? 'charged_cents';
  const pages = usePages({
    query: reportQuery,
    variables: { from, to: last, by, orderBy, where, isByModel: by === 'model' },
    pick: ({ spendReport }) => spendReport,
    news: 'spend',
  });
  const [{ data: sum }, refetch] = useQuery({ query: totalQuery, variables: { from, to: last, where } });
  useChangeEvents('spend', () => refetch({ requestPolicy: 'network-only' }));
  const total = sum?.spendReport.total.chargedCents ?? null;
  return (
    <>
      <PeriodBar by={narrowedBy}>
        <Select
          label="Sort by"
          size="sm"
          w={{ base: '100%', xs: 160 }}
          data={[...choices]}
          value={orderBy}
          allowDeselect={false}
          onChange={choose}
        />
      </PeriodBar>
      {children}
      <Group justify="flex-end" mb="xs">
        <Text size="sm" className="figures">
          Total <b>{dollars(total)}</b>
        </Text>
      </Group>
      <Rows
        label={label}
        pages={pages}
        keyOf={(row) => row.id ?? `identity ${row.identityId}`}
        to={to}
        columns={[
          { label: nameLabel, cell: nameOf, width: '28%' },
          { label: 'Cost', isFigure: true, cell: ({ chargedCents }) => dollars(chargedCents) },
          { label: 'Share', isFigure: true, cell: ({ chargedCents }) => percent(shareOf(chargedCents, total)) },
          ...(by === 'model' ? modelColumns : peopleColumns(by)),
        ]}
        empty={
          <Empty icon={IconCoin} title="No usage in this period">
            Choose another period or remove filters.
          </Empty>
        }
      />
      {sum && <DataQuality days={sum.spendReport.days} />}
    </>
  );
}

const shareOf = (part: string | null, total: string | null) =>
  part === null || total === null || Number(total) === 0 ? null : Number(part) / Number(total);

const modelColumns: readonly Column<ReportRow>[] = [
  { label: 'Overage', isFigure: true, cell: ({ usageBasedCents }) => dollars(usageBasedCents) },
  { label: 'List price', isFigure: true, isMinor: true, cell: ({ listCents }) => dollars(listCents) },
  { label: 'Requests', isFigure: true, cell: ({ events }) => count(events) },
  { label: 'Input tokens', isFigure: true, cell: ({ tokens }) => compact(tokens?.input_tokens) },
  { label: 'Output tokens', isFigure: true, cell: ({ tokens }) => compact(tokens?.output_tokens) },
  {
    label: 'Cached input tokens',
    isFigure: true,
    isMinor: true,
    cell: ({ tokens }) => compact(tokens?.cache_read_tokens),
  },
];

const peopleColumns = (by: By): readonly Column<ReportRow>[] => [
  { label: 'Overage', isFigure: true, cell: ({ usageBasedCents }) => dollars(usageBasedCents) },
  ...(by === 'person'
    ? []
    : [{ label: 'Active people', isFigure: true, cell: ({ activePeople }: ReportRow) => count(activePeople) }]),
  { label: 'Accepted lines', isFigure: true, cell: ({ metrics }) => count(metrics.lines_accepted_added) },
  { label: 'Cost per line', isFigure: true, cell: ({ centsPerAcceptedLine }) => cents(centsPerAcceptedLine) },
  {
    label: 'Acceptance rate',
    isFigure: true,
    isMinor: true,
    cell: ({ tabAcceptanceRate }) => percent(tabAcceptanceRate),
  },
  { label: 'Agent requests', isFigure: true, isMinor: true, cell: ({ metrics }) => count(metrics.ai_requests_agent) },
];

/** Renders the name of a row, or a label for rows without one. */
export const nameOr = (none: string) =>
  function Name({ name }: { name: string | null }): ReactNode {
    return name === null ? (
      <Text span inherit c="dimmed">
        {none}
      </Text>
    ) : (
      <Untrusted text={name} />
    );
  };
