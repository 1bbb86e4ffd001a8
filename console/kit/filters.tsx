import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useFilter } from './use-filter.ts';

interface Props {
  /** Name of the query parameter. */
  name: string;
  label: string;
}

/** Searches when the person stops typing. */
export function SearchFilter({ name, label }: Props) {
  const [query, setQuery] = useFilter(name);
  const [typed, setTyped] = useState(query ?? '');
  const submitted = useRef(query ?? '');
  const search = useDebouncedCallback((text: string) => {
    submitted.current = text.trim();
    setQuery(submitted.current || null);
  }, 250);
  // a link can change the query parameter as well
  useEffect(() => {
    if ((query ?? '') === submitted.current) return;
    submitted.current = query ?? '';
    setTyped(submitted.current);
  }, [query]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      flex="1 1 11rem"
      maxLength={120}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        search(value);
      }}
    />
  );
}

/** Filters by one of a few values. */
export function ChoiceFilter({ name, label, data }: Props & { data: { value: string; label: string }[] }) {
  const [chosen, choose] = useFilter(name);
  return (
    <Select
      aria-label={label}
      placeholder={label}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label} filter` }}
      w={{ base: '100%', xs: '11rem' }}
      data={data}
      value={data.some(({ value }) => value === chosen) ? chosen : null}
      onChange={choose}
    />
  );
}
