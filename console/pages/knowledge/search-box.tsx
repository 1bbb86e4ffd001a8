import { Button, Group, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';

/** Opens the search results; filters stay. */
export function SearchBox() {
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const [query, setQuery] = useState(params.get('q') ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const next = new URLSearchParams(params);
    next.set('q', query.trim());
    if (query.trim()) void navigate(`/knowledge/search?${next}`);
  };
  return (
    <form role="search" onSubmit={submit}>
      <Group gap="xs" mb="lg" wrap="nowrap">
        <TextInput
          type="search"
          aria-label="Search knowledge"
          placeholder="Ask a question"
          leftSection={<IconSearch size={16} aria-hidden />}
          flex={1}
          maxLength={1000}
          value={query}
          onChange={({ currentTarget }) => setQuery(currentTarget.value)}
        />
        <Button type="submit">Search</Button>
      </Group>
    </form>
  );
}
