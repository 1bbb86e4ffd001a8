import { Box, Group, ScrollArea, SegmentedControl, Table, Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import './chart.css';
import { Columns } from './chart-columns.tsx';
import { chartHeight, type ChartProps } from './chart-props.ts';

/** Columns over time, or the same as a table. `children`: further controls. */
export function Chart({ children, ...chart }: ChartProps & { children?: ReactNode }) {
  const [shown, setShown] = useState('chart');
  return (
    <Box component="figure" m={0}>
      <Group justify="space-between" mb="sm" gap="xs">
        <Group gap="xs">{children}</Group>
        <SegmentedControl
          size="xs"
          aria-label={`${chart.label}: view`}
          value={shown}
          onChange={setShown}
          data={[
            { value: 'chart', label: 'Chart' },
            { value: 'table', label: 'Table' },
          ]}
        />
      </Group>
      {shown === 'table' ? <AsTable {...chart} /> : <AsColumns {...chart} />}
    </Box>
  );
}

const AsColumns = (chart: ChartProps) => (
  <>
    <div role="img" aria-label={`${chart.label}. ${chart.summary}`}>
      <Columns {...chart} />
    </div>
    <Legend series={chart.series} />
  </>
);

const Legend = ({ series }: Pick<ChartProps, 'series'>) =>
  series.length > 1 && (
    <Group gap="md" mt="xs" aria-hidden>
      {series.map(({ label }, at) => (
        <Group key={label} gap={6}>
          <Box w={10} h={10} bdrs={2} bg={`var(--chart-${at})`} />
          <Text size="xs" c="dimmed">
            {label}
          </Text>
        </Group>
      ))}
    </Group>
  );

const AsTable = ({ label, columns, series, format }: ChartProps) => (
  <ScrollArea.Autosize mah={chartHeight + 80} viewportProps={{ tabIndex: 0, 'aria-label': label }}>
    <Table stickyHeader verticalSpacing={6} className="figures">
      <Table.Caption>
        <VisuallyHidden>{label}</VisuallyHidden>
      </Table.Caption>
      <Table.Thead bg="var(--sheet)">
        <Table.Tr>
          <Table.Th>Date</Table.Th>
          {series.map(({ label }) => (
            <Table.Th key={label} ta="end">
              {label}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {columns.map((column, at) => (
          <Table.Tr key={column}>
            <Table.Td>{column}</Table.Td>
            {series.map(({ label, values }) => (
              <Table.Td key={label} ta="end">
                {format(values[at])}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </ScrollArea.Autosize>
);
