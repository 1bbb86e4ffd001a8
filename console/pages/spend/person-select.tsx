import { Select, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { visible } from '../../kit/visible.ts';

const peopleQuery = graphql(`
  query SpendPeopleToChoose($search: String) {
    spendPeople(search: $search, first: 20) {
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
  value?: string | null;
  /** `name`: as shown in the list. */
  onChange?(id: string | null, name: string): void;
  /** Id of a person to leave out. */
  without?: string;
  error?: string;
  isLabelHidden?: boolean;
}

/** Searches people by name or email address. */
export function PersonSelect({ label, value, onChange, without, error, isLabelHidden }: Props) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 200);
  const [chosen, setChosen] = useState<{ value: string; label: string } | null>(null);
  const [{ data }] = useQuery({
    query: peopleQuery,
    variables: { search: isChosen(search, chosen) ? null : search || null },
  });
  const people = (data?.spendPeople.nodes ?? []).filter(({ id }) => id !== without);
  const options = people.map(({ id, name }) => ({ value: id, label: visible(name) }));
  const emails = new Map(people.map(({ id, email }) => [id, email]));
  return (
    <Select
      label={isLabelHidden ? undefined : label}
      aria-label={isLabelHidden ? label : undefined}
      placeholder="Name or email"
      searchable
      error={error}
      nothingFoundMessage="No matching people"
      // keeps the selected person among the options during a search
      data={chosen && !options.some(({ value }) => value === chosen.value) ? [chosen, ...options] : options}
      filter={({ options }) => options}
      value={value}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(id, option) => {
        setChosen(option && { value: option.value, label: option.label });
        onChange?.(id, option?.label ?? '');
      }}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{option.label}</Text>
          <Text size="xs" c="dimmed">
            <Untrusted text={emails.get(option.value) ?? ''} />
          </Text>
        </div>
      )}
    />
  );
}

const isChosen = (search: string, chosen: { label: string } | null) => search === chosen?.label;
