import { Select, type SelectProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
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
  const [search] = useDebouncedValue(typed.replace(/ \([^()]*\)$/, ''), 200);
  const [{ data }] = useQuery({ query, variables: { search: search || null } });
  const choices = (data?.members.nodes ?? []).map(({ id, name, email }) => ({
    value: id,
    label: `${visible(name)} (${visible(email)})`,
  }));
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
