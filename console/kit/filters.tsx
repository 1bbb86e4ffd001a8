import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useFilter } from './use-filter.ts';

interface Props {
  /** Its name in the address. */
  name: string;
  label: string;
}

/** Looks for what is typed, as soon as somebody pauses. */
export function SearchFilter({ name, label }: Props) {
  const [wanted, want] = useFilter(name);
  const [typed, setTyped] = useState(wanted ?? '');
  const look = useDebouncedCallback((text: string) => want(text.trim() || null), 250);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      flex="1 1 14rem"
      maxLength={120}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        look(value);
      }}
    />
  );
}

/** One of a few, or all of them. */
export function ChoiceFilter({ name, label, data }: Props & { data: { value: string; label: string }[] }) {
  const [chosen, choose] = useFilter(name);
  return (
    <Select
      aria-label={label}
      placeholder={label}
      clearable
      clearButtonProps={{ 'aria-label': `${label}: any` }}
      w={{ base: '100%', xs: '11rem' }}
      data={data}
      value={data.some(({ value }) => value === chosen) ? chosen : null}
      onChange={choose}
    />
  );
}
