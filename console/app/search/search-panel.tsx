import { Loader, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useMay } from '../../kit/me.tsx';
import { findPages } from './pages.ts';
import { optionId, ResultList } from './result-list.tsx';
import { SearchStatus } from './search-status.tsx';
import { useRecords } from './use-records.ts';

/** Searches pages while the person types, and records as soon as they stop. */
export default function SearchPanel({ onChosen }: { onChosen(): void }) {
  const may = useMay();
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const { answer, refetch } = useRecords(text);
  const groups = [{ label: 'Pages', results: findPages(text, may) }, ...(answer?.groups ?? [])].filter(
    ({ results }) => results.length,
  );
  const results = groups.flatMap(({ results }) => results);
  // the address: records that arrive later do not move the choice
  const [chosen, setChosen] = useState<string | null>(null);
  const index = Math.max(
    0,
    results.findIndex(({ to }) => to === chosen),
  );
  const listId = useId();
  const activeId = results.length ? optionId(listId, index) : undefined;
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  const input = useRef<HTMLInputElement>(null);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || !activeId) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen(results.at((index + step) % results.length)!.to);
    else if (event.key === 'Enter') click(document.getElementById(activeId), event);
    else return;
    event.preventDefault();
  };
  const isLoading = Boolean(text) && !answer;
  return (
    <>
      <TextInput
        ref={input}
        autoFocus
        data-autofocus
        aria-label="Search"
        placeholder={placeholder(may)}
        size="md"
        maxLength={120}
        autoComplete="off"
        spellCheck={false}
        leftSection={<IconSearch size={18} aria-hidden />}
        rightSection={isLoading && <Loader size={18} aria-hidden />}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={results.length > 0}
        aria-controls={results.length ? listId : undefined}
        aria-activedescendant={activeId}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          setChosen(null);
        }}
        onKeyDown={onKeyDown}
      />
      {results.length > 0 && (
        <ResultList id={listId} groups={groups} active={results[index]} onPoint={setChosen} onChosen={onChosen} />
      )}
      <SearchStatus
        text={text}
        count={results.length}
        isLoading={isLoading}
        problem={answer?.problem ?? null}
        retry={() => {
          refetch();
          input.current?.focus();
        }}
      />
    </>
  );
}

/** With the modifier keys: the browser opens links in a new tab with Ctrl or ⌘. */
const click = (element: HTMLElement | null, { ctrlKey, metaKey }: KeyboardEvent) =>
  element?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey }));

const placeholder = (may: (permission: string) => boolean): string =>
  [
    'Pages',
    'tasks',
    may('members:manage') && 'people',
    may('connections:manage') && 'integrations',
    may('policies:read') && 'configurations',
  ]
    .filter(Boolean)
    .join(', ');
