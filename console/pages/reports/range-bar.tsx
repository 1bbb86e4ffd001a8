import { Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { today } from '../../../src/platform/time/day.ts';
import { periods, rangeName } from './range.ts';
import { useReportRange } from './use-report-range.ts';

/** Period of the reports, stored in query parameters. */
export function RangeBar() {
  const [params, setParams] = useSearchParams();
  const { period, from, to, fault } = useReportRange();
  const change = (values: Record<string, string | null>) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(values))
          if (value) after.set(name, value);
          else after.delete(name);
        return after;
      },
      { replace: true },
    );
  return (
    <Stack gap={6} mb="md">
      <Group gap="xs" align="flex-end">
        <Select
          label="Period"
          size="sm"
          w={{ base: '100%', xs: 160 }}
          data={[...periods.map(({ value, label }) => ({ value, label })), { value: 'own', label: 'Custom range' }]}
          value={period}
          allowDeselect={false}
          onChange={(chosen) =>
            change(chosen === 'own' ? { period: chosen, from, to } : { period: chosen, from: null, to: null })
          }
        />
        {period === 'own' &&
          (['from', 'to'] as const).map((end) => (
            <TextInput
              key={end}
              type="date"
              label={end === 'from' ? 'First day' : 'Last day'}
              size="sm"
              max={today()}
              defaultValue={params.get(end) ?? { from, to }[end]}
              onChange={({ currentTarget }) => change({ [end]: currentTarget.value || null })}
            />
          ))}
      </Group>
      <Text size="xs" c={fault ? 'red' : 'dimmed'} role={fault ? 'alert' : undefined}>
        {fault && `${fault} Showing the last 30 days: `}
        {rangeName({ from, to })}, UTC
      </Text>
    </Stack>
  );
}
