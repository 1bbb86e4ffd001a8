import { Group, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { useQuery } from 'urql';
import { today } from '../../../src/platform/time/day.ts';
import { graphql } from '../../api/graphql.ts';
import { visible } from '../../kit/visible.ts';
import { isRange, periodOf, periods, rangeName } from './period.ts';
import { filterFields, useReportParameters } from './use-report-parameters.ts';
import { useUnits } from './use-units.ts';

type Name = keyof typeof filterFields;

const feedNames = graphql(`
  query SpendFeedNames {
    spendFeeds {
      connectionId
      connectionName
    }
  }
`);

interface Props {
  /** The filters of the page. */
  by?: readonly Name[];
  children?: ReactNode;
}

/** Period and filters, stored in query parameters and shared by all spend pages. */
export const PeriodBar = ({ by = ['group', 'centre', 'connection'], children }: Props) => {
  const { from, to } = useReportParameters();
  return (
    <Stack gap={6} mb="md">
      <Group gap="xs" align="flex-end">
        <PeriodSelect />
        {by.includes('group') && <UnitFilter name="group" kind="group" label="Group" all="All groups" />}
        {by.includes('centre') && (
          <UnitFilter name="centre" kind="cost_centre" label="Cost centre" all="All cost centres" />
        )}
        {by.includes('connection') && <ConnectionFilter />}
        {children}
      </Group>
      <Text size="xs" c="dimmed">
        {rangeName({ from, to })}, UTC
      </Text>
    </Stack>
  );
};

/** Updates single query parameters and keeps the others. */
function useQueryParameters() {
  const [params, setParams] = useSearchParams();
  const change = (values: Record<string, string | readonly string[] | null>) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(values)) {
          after.delete(name);
          for (const each of value === null ? [] : [value].flat()) after.append(name, each);
        }
        return after;
      },
      { replace: true },
    );
  return { params, change };
}

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
        w={{ base: '100%', xs: 160 }}
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
            error={!isRange(given) && end === 'to' ? 'Enter a valid range.' : undefined}
            onChange={({ currentTarget }) => change({ [end]: currentTarget.value || null })}
          />
        ))}
    </>
  );
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

function ConnectionFilter() {
  const { params, change } = useQueryParameters();
  const [{ data }] = useQuery({ query: feedNames });
  if (!data || data.spendFeeds.length < 2) return null;
  return (
    <Select
      label="Integration"
      size="sm"
      w={{ base: '100%', xs: 190 }}
      placeholder="All integrations"
      clearable
      clearButtonProps={{ 'aria-label': 'Clear Integration' }}
      data={data.spendFeeds.map(({ connectionId, connectionName }) => ({
        value: connectionId,
        label: visible(connectionName),
      }))}
      value={params.get('connection')}
      onChange={(id) => change({ connection: id })}
    />
  );
}
