import { Group, Progress, Text } from '@mantine/core';
import { count } from '../../kit/figures.ts';
import { When } from '../../kit/when.tsx';

interface SourceOf {
  state: 'pushed' | 'waiting' | 'running' | 'complete' | 'failed';
  seen: number;
  documentCount: number;
  completeAt: string | null;
}

/** The progress of a sync in percent; null if the total is unknown. */
export const shareRead = ({ seen, documentCount, completeAt }: SourceOf): number | null =>
  completeAt && documentCount ? Math.min(100, Math.round((seen / documentCount) * 100)) : null;

/** A labeled progress bar. `share` in percent; null: running, total unknown. */
export const Bar = ({ share, label }: { share: number | null; label: string }) => (
  <Progress.Root size="sm" w="100%">
    <Progress.Section
      value={share ?? 100}
      animated={share === null}
      striped={share === null}
      aria-label={label}
      aria-valuetext={share === null ? 'running' : `${share} %`}
    />
  </Progress.Root>
);

/** A knowledge source in one line of a list. */
export function SourceLine({ source }: { source: SourceOf }) {
  const { state, documentCount, completeAt, seen } = source;
  if (state === 'running')
    return (
      <Group gap={6} w="100%">
        <Text size="xs">Syncing, {count(seen)} documents so far</Text>
        <Bar share={shareRead(source)} label="Synced documents" />
      </Group>
    );
  return (
    <Text size="xs">
      {count(documentCount)} {documentCount === 1 ? 'document' : 'documents'}
      {state === 'failed' && ' · last sync failed'}
      {state === 'waiting' && ' · not synced yet'}
      {state === 'complete' && (
        <>
          {' · synced '}
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
          Syncing usage, {count(run.daysDone)} of {count(run.daysTotal)} days
        </Text>
        <Bar share={Math.round((run.daysDone / Math.max(1, run.daysTotal)) * 100)} label="Synced days" />
      </Group>
    );
  return (
    <Text size="xs">
      {trouble ? 'Last sync failed' : 'Usage is up to date'}
      {' · next sync '}
      <When at={nextAt} />
    </Text>
  );
}
