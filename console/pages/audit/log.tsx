import { Button, Group, Text } from '@mantine/core';
import { IconDownload, IconShieldCheck } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { Empty } from '../../kit/empty.tsx';
import { Page } from '../../kit/page.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { chainBehind, surfaceOf } from '../../kit/surface.ts';
import { Untrusted } from '../../kit/untrusted.tsx';
import { usePages } from '../../kit/use-pages.ts';
import { When } from '../../kit/when.tsx';
import { type Actor, eventsQuery, type EventRow, type Subject } from './event-query.ts';
import { Filters } from './filters.tsx';
import { NewEvents } from './new-events.tsx';
import { SealStatus } from './seal-status.tsx';
import { useNames } from './use-names.ts';
import { exportUrl, isFiltered, useSearch } from './use-search.ts';
import { displayName, eventTypeName } from './labels.ts';

const columns: readonly Column<EventRow>[] = [
  { label: 'Event', cell: ({ kind }) => <Untrusted text={eventTypeName(kind)} /> },
  { label: 'Subject', cell: ({ subject }) => <SubjectName subject={subject as Subject | null} /> },
  { label: 'Actor', cell: ({ actor }) => <ActorName actor={actor as Actor} /> },
  { label: 'Via', cell: ({ actor }) => surfaceOf(actor as Actor), isMinor: true, width: '10rem' },
  { label: 'Time', cell: ({ at }) => <When at={at} />, width: '9rem' },
];

export function Component() {
  const search = useSearch();
  const pages = usePages({ query: eventsQuery, variables: search, pick: (data) => data.auditEvents });
  const subjects = pages.nodes?.map(({ subject }) => subject as Subject | null) ?? [];
  const about = subjects.find((subject) => subject?.id === search.subjectId && subject?.name)?.name ?? null;
  return (
    <Page
      title="Audit log"
      lead="Who did what, and when. Recorded as it happens; entries are never changed or deleted."
      actions={
        <Button
          component="a"
          href={exportUrl(search)}
          download
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          title="Downloads the filtered events as JSON Lines, oldest first. The export is recorded in the audit log."
        >
          Export events
        </Button>
      }
    >
      <SealStatus />
      <Filters about={about} />
      <NewEvents search={search} pages={pages} />
      <Rows
        label="Events"
        pages={pages}
        columns={columns}
        keyOf={({ id }) => id}
        to={({ id }) => `/audit/${id}`}
        empty={<NoEvents isFiltered={isFiltered(search)} />}
      />
    </Page>
  );
}

function SubjectName({ subject }: { subject: Subject | null }) {
  const names = useNames();
  if (!subject) return null;
  const name = subject.name ?? names.get(subject.id);
  return (
    <span>
      <Text span inherit c="dimmed">
        {displayName(subject.type)}
      </Text>{' '}
      {name && <Untrusted text={name} />}
    </span>
  );
}

function ActorName({ actor }: { actor: Actor }) {
  const behind = chainBehind(actor).find(({ kind }) => kind !== 'configuration');
  return (
    <span>
      <Untrusted text={actor.name} />
      {behind && (
        <Text span inherit c="dimmed">
          {' '}
          {behind.kind === 'client' ? 'using' : 'for'} <Untrusted text={behind.name} />
        </Text>
      )}
    </span>
  );
}

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  const [, setParams] = useSearchParams();
  return (
    <Empty
      icon={IconShieldCheck}
      title={isFiltered ? 'No matching events' : 'No events yet'}
      action={
        isFiltered && (
          <Group>
            <Button variant="default" onClick={() => setParams({})}>
              Show all events
            </Button>
          </Group>
        )
      }
    >
      {isFiltered
        ? 'No recorded event matches all of these filters.'
        : 'Actions by people and agents are recorded here.'}
    </Empty>
  );
}
