import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { visible } from '../../kit/visible.ts';

const query = graphql(`
  query MembersToSelect($search: String) {
    members(first: 50, search: $search) {
      nodes {
        id
        name
        email
      }
    }
  }
`);

/** Selects a member by name or email address. */
export function MemberSelect(props: Omit<SelectProps, 'data'>) {
  const [typed, setTyped] = useState('');
  const labels = useRef(new Map<string, string>());
  const selected = labels.current.get(props.value ?? '');
  // the field shows the selected member, which is no search: opening it offers the others
  const [search] = useDebouncedValue(typed === selected ? '' : typed, 200);
  const [{ data }] = useQuery({ query, variables: { search: search || null } });
  const choices = (data?.members.nodes ?? []).map(({ id, name, email }) => ({
    value: id,
    label: `${visible(name)} (${visible(email)})`,
  }));
  for (const { value, label } of choices) labels.current.set(value, label);
  if (props.value && selected && !choices.some(({ value }) => value === props.value))
    choices.unshift({ value: props.value, label: selected });
  return (
    <Select
      {...props}
      data={choices}
      searchable
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage="No matching members"
      placeholder="Name or email"
    />
  );
}
