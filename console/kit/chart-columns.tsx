import { Paper, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { chartHeight, type ChartProps } from './chart-props.ts';

/** The column below the pointer, and the position of the pointer. */
interface Hover {
  at: number;
  left: number;
}

export function Columns(chart: ChartProps) {
  const { ref: frame, width } = useElementSize();
  const canvas = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  const [hover, setHover] = useState<Hover | null>(null);
  const { columns, series } = chart;
  const key = JSON.stringify([columns, series]);

  useEffect(() => {
    if (!width || !canvas.current) return;
    const plot = new uPlot(optionsOf(chart, width, coloursOf(canvas.current), setHover), dataOf(chart), canvas.current);
    return () => plot.destroy();
    // `key` contains what is drawn; colours depend on the scheme
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, width, scheme]);

  return (
    <div ref={frame} className="chart">
      <div ref={canvas} />
      {hover && hover.at < columns.length && <Tip {...chart} {...hover} width={width} />}
    </div>
  );
}

const Tip = ({ columns, series, format, at, left, width }: ChartProps & Hover & { width: number }) => (
  <Paper
    className="chart-tip"
    px="xs"
    py={4}
    style={left > width / 2 ? { right: width - left + 8 } : { left: left + 8 }}
  >
    <Text size="xs" c="dimmed">
      {columns[at]}
    </Text>
    {series.map(({ label, values }) => (
      <Text key={label} size="sm" className="figures">
        {label}: {format(values[at])}
      </Text>
    ))}
  </Paper>
);

interface Colours {
  ink: string;
  line: string;
  series: string[];
}

function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    ink: of('--mantine-color-dimmed'),
    line: of('--mantine-color-default-border'),
    series: [of('--chart-0'), of('--chart-1')],
  };
}

/** Stacked: the top series is drawn first, with the height of the whole stack, and the lower ones over it. */
function dataOf({ columns, series }: ChartProps): uPlot.AlignedData {
  const stacked = series.map((_, top) =>
    columns.map((_, at) => {
      const parts = series.slice(0, top + 1).map(({ values }) => values[at]);
      return parts.every((part) => part === null) ? null : parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
    }),
  );
  return [columns.map((_, at) => at), ...stacked.toReversed()];
}

function optionsOf(
  { columns, series, format }: ChartProps,
  width: number,
  { ink, line, series: fills }: Colours,
  point: (at: Hover | null) => void,
): uPlot.Options {
  const axis = { stroke: ink, font: '12px system-ui, sans-serif', ticks: { show: false }, grid: { show: false } };
  return {
    width,
    height: chartHeight,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.6, columns.length - 0.4] },
      y: { range: (_, __, most) => [0, niceTop(most)] },
    },
    axes: [
      {
        ...axis,
        space: 64,
        splits: (_, __, ___, ____, step) => everyFrom(columns.length, Math.max(1, Math.ceil(step))),
        values: (_, splits) => splits.map((at) => columns[at] ?? ''),
      },
      {
        ...axis,
        size: 64,
        grid: { stroke: line, width: 1 },
        values: (_, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [
      {},
      ...series
        .map((_, at) => ({
          fill: fills[at],
          width: 0,
          points: { show: false },
          paths: uPlot.paths.bars!({ size: [0.72, 44], radius: 0.12 }),
        }))
        .toReversed(),
    ],
    hooks: {
      setCursor: [
        ({ cursor: { idx, left } }) =>
          point(idx == null || left == null || left < 0 ? null : { at: idx, left: left + 64 }),
      ],
    },
  };
}

const everyFrom = (length: number, step: number) =>
  Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step);

/** Leaves space above the highest column. A chart of zeros still has a scale. */
const niceTop = (most: number | null) => (most && most > 0 ? most * 1.08 : 1);
