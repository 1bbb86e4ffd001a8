import { Paper, SegmentedControl, Title } from '@mantine/core';
import type { DayRange } from '../../../src/platform/time/day.ts';
import { Chart } from '../../kit/chart.tsx';
import { count } from '../../kit/figures.ts';
import { useFilter } from '../../kit/use-filter.ts';
import { elapsed } from './elapsed.ts';
import { periodStartsOf, shortDayName } from './range.ts';

interface Period {
  from: string;
  approved: number;
  denied: number;
  medianSeconds: number | null;
}

interface Props {
  range: DayRange;
  interval: 'day' | 'week';
  /** Periods without decisions are missing. */
  periods: readonly Period[];
}

/** Decisions and their median time, by day or week. */
export function DecisionsOverTime({ range, interval, periods }: Props) {
  const [measure, choose] = useFilter('measure');
  const starts = periodStartsOf(range, interval);
  const columns = starts.map(shortDayName);
  const byStart = new Map(periods.map((period) => [period.from, period]));
  const isTime = measure === 'time';
  const valuesOf = (of: (period: Period) => number | null, none: number | null) =>
    starts.map((start) => (byStart.has(start) ? of(byStart.get(start)!) : none));
  const series = isTime
    ? [{ label: 'Median time to decision', values: valuesOf(({ medianSeconds }) => medianSeconds, null) }]
    : [
        { label: 'Approved', values: valuesOf(({ approved }) => approved, 0) },
        { label: 'Denied', values: valuesOf(({ denied }) => denied, 0) },
      ];
  const decisions = periods.reduce((sum, { approved, denied }) => sum + approved + denied, 0);
  return (
    <Paper p="md" mb="xl" component="section" aria-labelledby="decisions-over-time">
      <Title order={2} id="decisions-over-time" mb="sm">
        Decisions over time
      </Title>
      <Chart
        label={`${isTime ? 'Median time to decision' : 'Decisions'} by ${interval}`}
        summary={`From ${columns[0]} to ${columns.at(-1)}: ${decisions === 1 ? '1 decision' : `${count(decisions)} decisions`}.`}
        columns={columns}
        series={series}
        format={isTime ? elapsed : wholeCount}
      >
        <SegmentedControl
          size="xs"
          aria-label="Measure"
          data={[
            { value: 'decisions', label: 'Decisions' },
            { value: 'time', label: 'Median time' },
          ]}
          value={isTime ? 'time' : 'decisions'}
          onChange={(chosen) => choose(chosen === 'time' ? chosen : null)}
        />
      </Chart>
    </Paper>
  );
}

/** The axis has no labels between whole numbers. */
const wholeCount = (value: number | null): string => (value !== null && !Number.isInteger(value) ? '' : count(value));
