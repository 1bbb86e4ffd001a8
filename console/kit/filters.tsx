import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
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
  const asked = useRef(wanted ?? '');
  const look = useDebouncedCallback((text: string) => {
    asked.current = text.trim();
    want(asked.current || null);
  }, 250);
  // the address may also change by a link
  useEffect(() => {
    if ((wanted ?? '') === asked.current) return;
    asked.current = wanted ?? '';
    setTyped(asked.current);
  }, [wanted]);
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
