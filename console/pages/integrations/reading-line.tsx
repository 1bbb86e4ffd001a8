import { Group, Progress, Text } from '@mantine/core';
import { count } from '../../kit/figures.ts';
import { When } from '../../kit/when.tsx';

interface SourceOf {
  state: 'pushed' | 'waiting' | 'running' | 'complete' | 'failed';
  seen: number;
  documentCount: number;
  completeAt: string | null;
}

/** How much of a reading is done, in percent; null where nothing is known of the whole. */
export const shareRead = ({ seen, documentCount, completeAt }: SourceOf): number | null =>
  completeAt && documentCount ? Math.min(100, Math.round((seen / documentCount) * 100)) : null;

/** A bar that also says what it shows. `share` in percent; null: under way, with no end known. */
export const Bar = ({ share, label }: { share: number | null; label: string }) => (
  <Progress.Root size="sm" w="100%">
    <Progress.Section
      value={share ?? 100}
      animated={share === null}
      striped={share === null}
      aria-label={label}
      aria-valuetext={share === null ? 'under way' : `${share} %`}
    />
  </Progress.Root>
);

/** A source of knowledge in one line of a list. */
export function SourceLine({ source }: { source: SourceOf }) {
  const { state, documentCount, completeAt, seen } = source;
  if (state === 'running')
    return (
      <Group gap={6} w="100%">
        <Text size="xs">Reading, {count(seen)} documents so far</Text>
        <Bar share={shareRead(source)} label="Documents read" />
      </Group>
    );
  return (
    <Text size="xs">
      {count(documentCount)} {documentCount === 1 ? 'document' : 'documents'}
      {state === 'failed' && ' · the last reading broke off'}
      {state === 'waiting' && ' · not read yet'}
      {state === 'complete' && (
        <>
          {' · read '}
          <When at={completeAt} />
        </>
      )}
    </Text>
  );
}

interface FeedOf {
  isPulling: boolean;
  trouble: string | null;
  nextAt: string;
  open: { id: string; daysDone: number; daysTotal: number }[];
}

/** A feed of usage and costs in one line of a list. */
export function FeedLine({ feed: { isPulling, trouble, nextAt, open } }: { feed: FeedOf }) {
  const [run] = open;
  if (run && isPulling)
    return (
      <Group gap={6} w="100%">
        <Text size="xs">
          Pulling usage, {count(run.daysDone)} of {count(run.daysTotal)} days
        </Text>
        <Bar share={Math.round((run.daysDone / Math.max(1, run.daysTotal)) * 100)} label="Days read" />
      </Group>
    );
  return (
    <Text size="xs">
      {trouble ? 'The last pull broke off' : 'Usage is up to date'}
      {' · next '}
      <When at={nextAt} />
    </Text>
  );
}
