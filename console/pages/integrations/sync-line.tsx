import { Group, Progress, Text } from '@mantine/core';
import { count } from '../../kit/figures.ts';
import { When } from '../../kit/when.tsx';

interface KnowledgeSync {
  state: 'pushed' | 'waiting' | 'running' | 'complete' | 'failed' | 'limited';
  seen: number;
  /** The number of documents in the source, as reported by it. */
  expected: number | null;
  /** The sync reads only changes, so it has no total. */
  isIncremental: boolean;
  documentCount: number;
  completeAt: string | null;
}

/** The progress of a sync in percent; null if the total is unknown. */
export function syncPercent(source: Omit<KnowledgeSync, 'state'>): number | null {
  const total = syncTotal(source);
  return total ? Math.min(100, Math.floor((source.seen / total) * 100)) : null;
}

/** The number of documents that a sync will see; null if it is unknown. */
export function syncTotal({ seen, expected, isIncremental, documentCount, completeAt }: Omit<KnowledgeSync, 'state'>) {
  if (isIncremental) return null;
  const total = expected ?? (completeAt ? documentCount : null);
  return total ? Math.max(total, seen) : null;
}

/** A labeled progress bar. `share` in percent; null: running, total unknown. */
export const LabeledProgress = ({ share, label }: { share: number | null; label: string }) => (
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
export function KnowledgeSyncLine({ source }: { source: KnowledgeSync }) {
  const { state, documentCount, completeAt, seen } = source;
  if (state === 'running')
    return (
      <Group gap={6} w="100%">
        <Text size="xs">Syncing, {count(seen)} documents so far</Text>
        <LabeledProgress share={syncPercent(source)} label="Synced documents" />
      </Group>
    );
  return (
    <Text size="xs">
      {count(documentCount)} {documentCount === 1 ? 'document' : 'documents'}
      {state === 'failed' && ' · last sync failed'}
      {state === 'waiting' && ' · not synced yet'}
      {state === 'limited' && ' · waiting for the source'}
      {state === 'complete' && (
        <>
          {' · synced '}
          <When at={completeAt} />
        </>
      )}
    </Text>
  );
}

interface SpendSync {
  isSyncing: boolean;
  trouble: string | null;
  nextAt: string;
  open: { id: string; daysDone: number; daysTotal: number }[];
}

/** A feed of usage and costs in one line of a list. */
export function SpendSyncLine({ feed: { isSyncing, trouble, nextAt, open } }: { feed: SpendSync }) {
  const [run] = open;
  if (run && isSyncing)
    return (
      <Group gap={6} w="100%">
        <Text size="xs">
          Syncing usage, {count(run.daysDone)} of {count(run.daysTotal)} days
        </Text>
        <LabeledProgress share={Math.round((run.daysDone / Math.max(1, run.daysTotal)) * 100)} label="Synced days" />
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
