import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useQuery } from 'urql';
import { useMay } from '../../kit/me.tsx';
import { graphql } from '../../api/graphql.ts';
import { visible } from '../../kit/visible.ts';
import { useQueryParameters } from './use-query-parameters.ts';

const peopleQuery = graphql(`
  query SpendReportPeople($search: String, $personIds: [ID!]) {
    spendReportPeople(search: $search, personIds: $personIds) {
      id
      name
    }
  }
`);

/** Filters by one person, for members who may see individual usage. */
export function PersonFilter() {
  const may = useMay();
  return may('spend:people') ? <PersonSelect /> : null;
}

function PersonSelect() {
  const { params, change } = useQueryParameters();
  const id = params.get('person');
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 200);
  const [{ data: selected }] = useQuery({
    query: peopleQuery,
    variables: { personIds: id ? [id] : null },
    pause: !id,
  });
  const person = id ? selected?.spendReportPeople.find((each) => each.id === id) : undefined;
  const isSelection = person !== undefined && visible(person.name) === search;
  const [{ data: found }] = useQuery({
    query: peopleQuery,
    variables: { search: isSelection ? null : search || null },
  });
  const people = new Map(
    [...(person ? [person] : []), ...(found?.spendReportPeople ?? [])].map((each) => [each.id, visible(each.name)]),
  );
  return (
    <Select
      label="Person"
      size="sm"
      w={{ base: '100%', xs: 190 }}
      placeholder="All people"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear Person' }}
      nothingFoundMessage="No matching people"
      data={[...people].map(([value, label]) => ({ value, label }))}
      filter={({ options }) => options} // the server has searched
      value={id}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(chosen) => change({ person: chosen })}
    />
  );
}
