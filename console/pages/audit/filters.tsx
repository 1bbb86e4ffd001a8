import { Button, Group, Select, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { ChoiceFilter, SearchFilter } from '../../kit/filters.tsx';
import { FoldedFilters } from '../../kit/folded-filters.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { visible } from '../../kit/visible.ts';
import { periods } from './period.ts';
import { useActors } from './use-names.ts';
import { eventTypeName, nounOf } from './labels.ts';

const kindsQuery = graphql(`
  query AuditKinds {
    auditKinds
  }
`);

/** Filters by event type, actor, time, and text. The address stores them. */
export function Filters({ about }: SubjectProps) {
  const [params] = useSearchParams();
  return (
    <Group gap="sm" mb="md" align="flex-start">
      <SearchFilter name="search" label="Search by name or ID" />
      <FoldedFilters activeCount={foldedNames.filter((name) => params.has(name)).length}>
        <KindFilter />
        <ActorFilter />
        <PeriodFilter />
      </FoldedFilters>
      <SubjectFilter about={about} />
    </Group>
  );
}

const foldedNames = ['kind', 'actor', 'period'];

function KindFilter() {
  const [kind, choose] = useFilter('kind');
  const [{ data }] = useQuery({ query: kindsQuery });
  return (
    <Select
      aria-label="Event type"
      placeholder="Event type"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Event type: any' }}
      nothingFoundMessage="No matching event types"
      w={{ base: '100%', xs: '15rem' }}
      data={choicesOf(data?.auditKinds ?? [], kind)}
      value={kind}
      onChange={choose}
    />
  );
}

/** Event types by noun, each with an "all" option. A link may ask for a type without any event. */
function choicesOf(kinds: readonly string[], chosen: string | null) {
  const isMissing = chosen && !kinds.some((kind) => kind === chosen || nounOf(kind) === chosen);
  const all = isMissing ? [...kinds, chosen] : kinds;
  return [...Map.groupBy(all, nounOf)].map(([noun, items]) => {
    const group = eventTypeName(noun.replace(/\.$/, ''));
    const choices = items.filter((kind) => kind !== noun).map((kind) => ({ value: kind, label: eventTypeName(kind) }));
    return {
      group,
      items: choices.length === 1 && chosen !== noun ? choices : [{ value: noun, label: `${group}: all` }, ...choices],
    };
  });
}

function ActorFilter() {
  const [actorId, choose] = useFilter('actor');
  const actors = useActors();
  const known = actors.map(({ id, kind, name }) => ({
    value: id,
    label: kind === 'agent' ? `${visible(name)} (agent)` : visible(name),
  }));
  const isMissing = actorId && !actors.some(({ id }) => id === actorId);
  return (
    <Select
      aria-label="Actor"
      placeholder="Actor"
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Actor: any' }}
      nothingFoundMessage="No matching actors"
      w={{ base: '100%', xs: '13rem' }}
      data={isMissing ? [...known, { value: actorId, label: actorId }] : known}
      value={actorId}
      onChange={choose}
    />
  );
}

function PeriodFilter() {
  const [period] = useFilter('period');
  return (
    <>
      <ChoiceFilter
        name="period"
        label="Time"
        data={[...periods.map(({ value, label }) => ({ value, label })), { value: 'days', label: 'Custom range' }]}
      />
      {period === 'days' && (
        <Group gap="xs" wrap="nowrap" w={{ base: '100%', xs: 'auto' }}>
          <Day name="from" label="Start date" />
          <Day name="to" label="End date" />
        </Group>
      )}
    </>
  );
}

function Day({ name, label }: { name: string; label: string }) {
  const [day, choose] = useFilter(name);
  return (
    <TextInput
      type="date"
      flex={1}
      miw={0}
      aria-label={label}
      defaultValue={day ?? ''}
      onChange={({ currentTarget: { value } }) => choose(value || null)}
    />
  );
}

interface SubjectProps {
  /** Its name, once an event with the name is loaded. */
  about: string | null;
}

/** Set by a link from another page. It can only be cleared here. */
function SubjectFilter({ about }: SubjectProps) {
  const [subject, choose] = useFilter('subject');
  if (!subject) return null;
  const name = about ? visible(about) : subject;
  return (
    <Button
      variant="light"
      rightSection={<IconX size={14} aria-hidden />}
      onClick={() => choose(null)}
      aria-label={`Clear subject filter: ${name}`}
      maw="20rem"
    >
      Subject: {name}
    </Button>
  );
}
