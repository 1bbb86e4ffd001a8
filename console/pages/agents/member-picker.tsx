import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { visible } from '../../kit/visible.ts';

const query = graphql(`
  query ResponsibleChoices($search: String) {
    members(first: 50, search: $search, status: active) {
      nodes {
        id
        name
        email
      }
    }
  }
`);

interface Props {
  label: string;
  description?: string;
  value: string;
  error?: string;
  onChange(memberId: string): void;
}

/** Selects one active member. Searches by name and email address. */
export function MemberPicker({ value, onChange, ...rest }: Props) {
  const [search, setSearch] = useState('');
  const [debouncedSearch] = useDebouncedValue(search, 250);
  // the label of the selected member is not a search text
  const isLabel = debouncedSearch.endsWith(')');
  const [{ data }] = useQuery({ query, variables: { search: isLabel ? null : debouncedSearch.trim() || null } });
  const members = data?.members.nodes ?? [];
  return (
    <Select
      {...rest}
      required
      searchable
      allowDeselect={false}
      data={members.map(({ id, name, email }) => ({ value: id, label: `${visible(name)} (${visible(email)})` }))}
      nothingFoundMessage="No matching members"
      value={value}
      onChange={(id) => id && onChange(id)}
      onSearchChange={setSearch}
    />
  );
}
