import { statement, type StatementRunner } from '../platform/database/statement.js';
import type { Tx } from '../platform/database/tx.js';
import type { Artifact, ArtifactChunk } from '../agent/agent-model.port.js';
import type { StoredPrincipal } from '../principal/stored-principal.js';
import type { TaskStatus } from './task.entity.js';

/* Performance-critical statements: prepared, one round trip and one transaction each. The functions are in sql/. */

export interface FoundTaskRow {
  task_id: string;
  status: TaskStatus;
  artifacts: Artifact[] | null;
  number: number;
  context: string | null;
}
export interface TaskLookup {
  tenantId: string;
  ownerId: string;
  externalId: string;
}

export const tasksByExternalId = statement<
  [tenantId: string, ownerIds: readonly string[], externalIds: readonly string[]],
  FoundTaskRow & { nth: number }
>('select * from tasks_find($1, $2, $3)', { name: 'tasks-find' });

/** Finds tasks of one tenant; results in the order of the lookups. */
export async function findTasks(
  runner: StatementRunner,
  tenantId: string,
  lookups: readonly TaskLookup[],
): Promise<(FoundTaskRow | null)[]> {
  const rows = await runner.run(tasksByExternalId, [
    tenantId,
    lookups.map((task) => task.ownerId),
    lookups.map((task) => task.externalId),
  ]);
  const found: (FoundTaskRow | null)[] = lookups.map(() => null);
  for (const row of rows) found[row.nth - 1] = row;
  return found;
}

export interface TaskEventRow {
  task_id: string;
  number: number;
  status: TaskStatus;
  artifacts: Artifact[] | null;
  chunk: ArtifactChunk | null;
}
/** `after`: per task, the number of an event; later ones are returned. */
export const listTaskEventsAfter = statement<
  [tenantId: string, taskIds: readonly string[], after: readonly number[]],
  TaskEventRow
>('select * from tasks_events_after($1, $2, $3)', { name: 'tasks-events-after' });

interface ChangedTaskRow {
  /** Of the event with the new status. */
  number: number;
  external_id: string;
  principal: StoredPrincipal;
}

/** Cancels an open task and revokes the lease of its runner. No row: it has already ended. */
export const cancelTask = statement<[tenantId: string, id: string, status: TaskStatus], ChangedTaskRow>(
  `
    with held as (
      select tenant_id, id from tasks where tenant_id = $1 and id = $2 for update -- waits for a call that is passing the fence
    ), canceled as (
      update tasks t set state = 'canceled', status = $3, waiting = null, due_at = null, lease_epoch = t.lease_epoch + 1,
                         last_event = t.last_event + 1, updated_at = now()
      from held
      where t.tenant_id = held.tenant_id and t.id = held.id and t.state in ('submitted', 'working', 'input-required')
      returning t.tenant_id, t.id, t.last_event, t.external_id, t.principal
    ), event as (
      insert into task_events (tenant_id, task_id, number, status, at)
      select tenant_id, id, last_event, $3, now() from canceled
    )
    select last_event as number, external_id, principal from canceled`,
  { name: 'tasks-cancel' },
);

/** No row: the task is not quarantined. */
export const releaseTask = statement<[tenantId: string, id: string, status: TaskStatus], ChangedTaskRow>(
  `
    with released as (
      update tasks set state = $3::json ->> 'state', status = $3, waiting = null, due_at = now(), last_event = last_event + 1,
                       updated_at = now()
      where tenant_id = $1 and id = $2 and waiting = 'quarantine'
      returning tenant_id, id, last_event, external_id, principal
    ), event as (
      insert into task_events (tenant_id, task_id, number, status, at)
      select tenant_id, id, last_event, $3, now() from released
    )
    select last_event as number, external_id, principal from released`,
  { name: 'tasks-release' },
);

/**
 * Records the intermediate output of a delegated agent: a chunk of an artifact, or a status message. Works whether the
 * task is claimed or not, and does not change its lease. No row: the task has ended, or has another status to show.
 */
export const recordDelegateProgress = statement<
  [tenantId: string, id: string, chunk: ArtifactChunk | null, status: TaskStatus | null],
  { number: number; status: TaskStatus }
>(
  `
    with shown as (
      update tasks t set
        last_event = t.last_event + 1, is_tainted = true, updated_at = now(), status = coalesce($4, t.status),
        artifacts = case when $3::json is null then t.artifacts else tasks_add_chunk(t.artifacts, $3) end
      where t.tenant_id = $1 and t.id = $2 and t.state in ('submitted', 'working', 'input-required')
        and ($4::json is null or (t.state = 'working' and t.status -> 'metadata' is null))
      returning t.last_event, t.status
    ), event as (
      insert into task_events (tenant_id, task_id, number, status, chunk, at)
      select $1, $2, last_event, status, $3, now() from shown
    )
    select last_event as number, status from shown`,
  { name: 'tasks-delegate-progress' },
);

export const taskArtifacts = statement<[tenantId: string, id: string], { artifacts: Artifact[] | null }>(
  'select artifacts from tasks where tenant_id = $1 and id = $2',
  { name: 'tasks-artifacts' },
);

/** The artifacts shown so far. */
export async function loadTaskArtifacts(tx: Tx, tenantId: string, taskId: string): Promise<Artifact[]> {
  return (await tx.one(taskArtifacts, [tenantId, taskId]))?.artifacts ?? [];
}

/**
 * Call when a call of the task is decided or settled. Recorded even while the task is being worked on: see
 * tasks_advance.
 */
export const wakeTask = statement<[tenantId: string, id: string]>(
  `update tasks set is_woken = true, due_at = case when waiting = 'approval' then now() else due_at end
   where tenant_id = $1 and id = $2 and due_at is not null`,
  { name: 'tasks-wake' },
);

/** States of tasks, in order, without chunks of artifacts. */
export const listTaskStates = statement<
  [tenantId: string, taskIds: readonly string[]],
  { taskId: string; number: number; status: TaskStatus; at: Date }
>(`
  select task_id as "taskId", number, status, at from task_events
  where tenant_id = $1 and task_id = any ($2) and chunk is null
  order by task_id, number`);
