import { SegmentedControl, Select, Text } from '@mantine/core';
import { IconArrowsUpDown } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { useMay } from '../../kit/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { singlePage } from '../../kit/single-page.ts';
import { Empty } from '../../kit/empty.tsx';
import { count, dollars, percent } from '../../kit/figures.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { Rows } from '../../kit/rows.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { PeriodBar } from './period-bar.tsx';
import { rangeName } from './period.ts';
import { nameOr } from './report-table.tsx';
import { IndividualUsageGuard } from './individual-usage-guard.tsx';
import { useReportParameters } from './use-report-parameters.ts';

const changesQuery = graphql(`
  query SpendMovers(
    $from: String!
    $to: String!
    $beforeFrom: String!
    $beforeTo: String!
    $by: SpendReportBy!
    $orderBy: SpendSum!
    $where: SpendReportFilter!
  ) {
    spendChanges(
      from: $from
      to: $to
      beforeFrom: $beforeFrom
      beforeTo: $beforeTo
      by: $by
      orderBy: $orderBy
      where: $where
      first: 50
    ) {
      nodes {
        id
        identityId
        name
        change
        now {
          ...Compared
        }
        before {
          ...Compared
        }
      }
    }
  }
  fragment Compared on SpendFigures @_unmask {
    chargedCents
    metrics {
      lines_accepted_added
      ai_requests_agent
    }
  }
`);
type Mover = ResultOf<typeof changesQuery>['spendChanges']['nodes'][number];

const kinds = [
  { value: 'group', label: 'Groups', none: 'No group' },
  { value: 'cost_centre', label: 'Cost centres', none: 'No cost centre' },
  { value: 'model', label: 'Models', none: 'Unknown model' },
  { value: 'person', label: 'People', none: 'Unattributed' },
] as const;

interface Measure {
  value: 'charged_cents' | 'lines_accepted_added' | 'ai_requests_agent';
  label: string;
  of(figures: Mover['now']): string | number | null;
  format(value: string | number | null): string;
}
const measures: readonly Measure[] = [
  { value: 'charged_cents', label: 'Cost', of: ({ chargedCents }) => chargedCents, format: dollars },
  {
    value: 'lines_accepted_added',
    label: 'Accepted lines',
    of: ({ metrics }) => metrics.lines_accepted_added,
    format: count,
  },
  {
    value: 'ai_requests_agent',
    label: 'Agent requests',
    of: ({ metrics }) => metrics.ai_requests_agent,
    format: count,
  },
];

/** The largest changes compared to the previous period. */
export function Component() {
  const may = useMay();
  const [chosenKind, chooseKind] = useFilter('by');
  const [chosenMeasure, chooseMeasure] = useFilter('measure');
  const kind = kinds.find(({ value }) => value === chosenKind) ?? kinds[0];
  const choices = kind.value === 'model' ? measures.slice(0, 1) : measures;
  const measure = choices.find(({ value }) => value === chosenMeasure) ?? choices[0];
  const table = <Movers kind={kind} measure={measure} />;
  return (
    <>
      <PeriodBar>
        <Select
          label="Compare by"
          size="sm"
          w={{ base: '100%', xs: 160 }}
          data={choices.map(({ value, label }) => ({ value, label }))}
          value={measure.value}
          allowDeselect={false}
          onChange={chooseMeasure}
        />
      </PeriodBar>
      <SegmentedControl
        aria-label="Dimension"
        mb="md"
        data={kinds
          .filter(({ value }) => value !== 'person' || may('spend:people'))
          .map(({ value, label }) => ({ value, label }))}
        value={kind.value}
        onChange={chooseKind}
      />
      {kind.value === 'person' ? <IndividualUsageGuard>{table}</IndividualUsageGuard> : table}
    </>
  );
}

function Movers({ kind, measure }: { kind: (typeof kinds)[number]; measure: Measure }) {
  const { from, to, before, where } = useReportParameters();
  const [result, refetch] = useQuery({
    query: changesQuery,
    variables: {
      from,
      to,
      beforeFrom: before.from,
      beforeTo: before.to,
      by: kind.value,
      orderBy: measure.value,
      where,
    },
  });
  useChangeEvents('spend', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ spendChanges: { nodes } }) => (
        <>
          <Text size="sm" c="dimmed" mb="xs">
            Compared to {rangeName(before)}, largest change first.
          </Text>
          <Rows<Mover>
            label={`Changes by ${kind.label.toLowerCase()}`}
            pages={singlePage(nodes)}
            keyOf={({ id, identityId }) => id ?? `identity ${identityId}`}
            columns={[
              { label: 'Name', cell: nameOr(kind.none), width: '34%' },
              { label: 'Previous', isFigure: true, cell: (mover) => measure.format(measure.of(mover.before)) },
              { label: 'Current', isFigure: true, cell: (mover) => measure.format(measure.of(mover.now)) },
              { label: 'Change', isFigure: true, cell: ({ change }) => <b>{signed(change, measure.format)}</b> },
              { label: 'Change (%)', isFigure: true, isMinor: true, cell: (mover) => ratioOf(mover, measure) },
            ]}
            empty={
              <Empty icon={IconArrowsUpDown} title="No changes between the two periods">
                Choose another period or remove filters.
              </Empty>
            }
          />
        </>
      )}
    </Loaded>
  );
}

const signed = (change: string, format: Measure['format']) =>
  `${Number(change) > 0 ? '+' : Number(change) < 0 ? '−' : '±'}${format(Math.abs(Number(change)))}`;

function ratioOf({ before, change }: Mover, { of }: Measure): string {
  const earlier = Number(of(before) ?? 0);
  return earlier === 0 ? 'New' : signed(change, (value) => percent(Number(value) / earlier));
}
