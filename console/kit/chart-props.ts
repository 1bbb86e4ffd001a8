export interface ChartSeries {
  label: string;
  /** One for each column; null where unknown. */
  values: readonly (number | null)[];
}

export interface ChartProps {
  /** "Cost by day" */
  label: string;
  /** Alternative text: the content in one sentence. */
  summary: string;
  /** Labels of the columns, oldest first: "3 Nov". */
  columns: readonly string[];
  /** Stacked, the first one at the bottom; at most two. */
  series: readonly ChartSeries[];
  format(value: number | null): string;
}

export const chartHeight = 260;
