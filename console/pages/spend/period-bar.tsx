import { Group, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { type DayRange, isDay, today } from '../../../src/platform/time/day.ts';
import { FoldedFilters } from '../../kit/folded-filters.tsx';
import { visible } from '../../kit/visible.ts';
import { PersonFilter } from './person-filter.tsx';
import { isRange, periodOf, periods, rangeName } from './period.ts';
import { useQueryParameters } from './use-query-parameters.ts';
import { filterFields, useReportParameters } from './use-report-parameters.ts';
import { useUnits } from './use-units.ts';
import { VendorFilter } from './vendor-filter.tsx';

type Name = keyof typeof filterFields;

interface Props {
  /** The filters of the page. */
  by?: readonly Name[];
  children?: ReactNode;
}

/** Period and filters, stored in query parameters and shared by all spend pages. */
export const PeriodBar = ({ by = ['group', 'centre', 'person', 'connection'], children }: Props) => {
  const { from, to, isFallback, where } = useReportParameters();
  return (
    <Stack gap={6} mb="md">
      <Group gap="xs" align="flex-end">
        <PeriodSelect />
        {by.length > 0 && (
          <FoldedFilters activeCount={by.filter((name) => where[filterFields[name]]).length}>
            {by.includes('group') && <UnitFilter name="group" kind="group" label="Group" all="All groups" />}
            {by.includes('centre') && (
              <UnitFilter name="centre" kind="cost_centre" label="Cost centre" all="All cost centres" />
            )}
            {by.includes('person') && <PersonFilter />}
            {by.includes('connection') && <VendorFilter />}
          </FoldedFilters>
        )}
        {children}
      </Group>
      <Text size="xs" c="dimmed">
        {isFallback && 'Custom range not applied. Showing the last 30 days: '}
        {rangeName({ from, to })}, UTC
      </Text>
    </Stack>
  );
};

function PeriodSelect() {
  const { params, change } = useQueryParameters();
  const { from, to } = useReportParameters();
  const period = periodOf(params.get('period'));
  const given = { from: params.get('from') ?? from, to: params.get('to') ?? to };
  const choose = (chosen: string | null) =>
    change(chosen === 'own' ? { period: chosen, from, to } : { period: chosen, from: null, to: null });
  return (
    <>
      <Select
        label="Period"
        size="sm"
        flex={{ base: 1, xs: 'none' }}
        w={{ xs: 160 }}
        data={[...periods]}
        value={period}
        allowDeselect={false}
        onChange={choose}
      />
      {period === 'own' &&
        (['from', 'to'] as const).map((end) => (
          <TextInput
            key={end}
            type="date"
            label={end === 'from' ? 'First day' : 'Last day'}
            size="sm"
            max={today()}
            defaultValue={given[end]}
            error={faultOf(end, given)}
            onChange={({ currentTarget }) => change({ [end]: currentTarget.value || null })}
          />
        ))}
    </>
  );
}

function faultOf(end: 'from' | 'to', given: DayRange): string | undefined {
  if (!isDay(given[end])) return 'Enter a date between 2000 and 2199.';
  return end === 'to' && isDay(given.from) && !isRange(given) ? 'Enter a day on or after the first day.' : undefined;
}

export function UnitFilter({
  name,
  kind,
  label,
  all,
}: {
  name: 'group' | 'centre';
  kind: 'group' | 'cost_centre';
  label: string;
  all: string;
}) {
  const { params, change } = useQueryParameters();
  const { units } = useUnits(kind);
  const chosen = params.getAll(name);
  return (
    <MultiSelect
      label={label}
      size="sm"
      w={{ base: '100%', xs: 'auto' }}
      miw={170}
      maw={{ xs: 320 }}
      placeholder={chosen.length ? undefined : all}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      nothingFoundMessage="No matches"
      data={(units ?? []).map(({ id, name }) => ({ value: id, label: visible(name) }))}
      value={chosen}
      onChange={(ids) => change({ [name]: ids })}
    />
  );
}
