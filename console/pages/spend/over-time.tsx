import { Paper, SegmentedControl, Select, Title } from '@mantine/core';
import type { DayRange } from '../../../src/platform/time/day.ts';
import { periodsOf } from '../../../src/spend/reports/day-range.ts';
import { Chart } from '../../kit/chart.tsx';
import { count, dollars } from '../../kit/figures.ts';
import { useFilter } from '../../kit/use-filter.ts';
import { columnName, isReadable, type Per, perOf } from './period.ts';
import type { FiguresRow } from './figures-row.ts';

type Row = FiguresRow & { activePeople: number | null };
interface Measure {
  value: string;
  label: string;
  format(value: number | null): string;
  series: { label: string; of(row: Row): string | number | null }[];
}

const measures: readonly Measure[] = [
  {
    value: 'cost',
    label: 'Cost',
    format: dollars,
    series: [
      { label: 'Included', of: ({ includedCents }) => includedCents },
      { label: 'Overage', of: ({ usageBasedCents }) => usageBasedCents },
    ],
  },
  {
    value: 'people',
    label: 'Active people',
    format: count,
    series: [{ label: 'Active people', of: ({ activePeople }) => activePeople }],
  },
  {
    value: 'lines',
    label: 'Accepted lines',
    format: count,
    series: [{ label: 'Accepted lines', of: ({ metrics }) => metrics.lines_accepted_added }],
  },
  {
    value: 'agent',
    label: 'Agent requests',
    format: count,
    series: [{ label: 'Agent requests', of: ({ metrics }) => metrics.ai_requests_agent }],
  },
];
const pers: readonly { value: Per; label: string }[] = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
];

/** Figures over time. Days without a row are unknown, not zero. */
export function OverTime({ range, rows }: { range: DayRange; rows: readonly Row[] }) {
  const [chosenPer, choosePer] = useFilter('per');
  const [chosen, choose] = useFilter('measure');
  const per = perOf(chosenPer, range);
  const measure = measures.find(({ value }) => value === chosen) ?? measures[0];
  const periods = periodsOf(per, range).toReversed();
  const columns = periods.map((period) => columnName(per, period));
  const byStart = new Map(rows.map((row) => [row.from, row]));
  const series = measure.series.map(({ label, of }) => ({
    label,
    values: periods.map(({ from }) => numberOr(byStart.get(from), of)),
  }));
  return (
    <Paper p="md" component="section" aria-labelledby="over-time">
      <Title order={2} id="over-time" mb="sm">
        Over time
      </Title>
      <Chart
        label={`${measure.label} by ${per}`}
        summary={summaryOf(columns, series, measure.format)}
        columns={columns}
        series={series}
        format={measure.format}
      >
        <Select
          size="xs"
          w={150}
          aria-label="Measure"
          data={measures.map(({ value, label }) => ({ value, label }))}
          value={measure.value}
          allowDeselect={false}
          onChange={choose}
        />
        <SegmentedControl
          size="xs"
          aria-label="Interval"
          data={pers.map((each) => ({ ...each, disabled: !isReadable(each.value, range) }))}
          value={per}
          onChange={choosePer}
        />
      </Chart>
    </Paper>
  );
}

function numberOr(row: Row | undefined, of: Measure['series'][number]['of']): number | null {
  const value = row ? of(row) : null;
  return value === null ? null : Number(value);
}

/** "From 1 Nov to 22 Nov. Highest: $10.64 on 19 Nov; lowest: $1.33 on 22 Nov." */
function summaryOf(
  columns: readonly string[],
  series: readonly { values: (number | null)[] }[],
  format: Measure['format'],
): string {
  const sums = columns.map((name, at) => ({
    name,
    sum: series.reduce<number | null>((sum, { values }) => (values[at] === null ? sum : (sum ?? 0) + values[at]), null),
  }));
  const known = sums.filter((each): each is { name: string; sum: number } => each.sum !== null);
  if (!known.length) return 'No data for these days.';
  const high = known.reduce((most, each) => (each.sum > most.sum ? each : most));
  const low = known.reduce((least, each) => (each.sum < least.sum ? each : least));
  return `From ${columns[0]} to ${columns.at(-1)}. Highest: ${format(high.sum)} on ${high.name}; lowest: ${format(low.sum)} on ${low.name}.`;
}
