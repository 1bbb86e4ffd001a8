import { newId } from '../platform/crypto/ids.js';
import { statement, type StatementRunner } from '../platform/database/statement.js';
import type { Tx } from '../platform/database/tx.js';
import type { Artifact, ArtifactChunk } from '../agent/agent-model.port.js';
import type { StoredPrincipal } from './stored-principal.js';
import type { TaskState, TaskStatus, WaitReason } from './task.entity.js';

/* Performance-critical statements: prepared, one round trip and one transaction each. The functions are in sql/. */

export interface NewTask {
  tenantId: string;
  id: string;
  ownerId: string;
  externalId: string;
  configurationId: string;
  /** The caller's id of the context that the task belongs to. */
  contextId: string | null;
  keyId: string;
  principal: object;
  trace: object | null;
  status: TaskStatus;
  hash: Buffer;
  /** JSON, sealed for `id` */
  message: string;
  /** `id` is the task that the message continues. Without this flag, no existing task receives the message. */
  continues?: boolean;
  /** The actor for the audit log */
  actor: object;
  requestId: string | null;
}
interface MessageRow<Outcome> {
  outcome: Outcome;
  task_id: string;
  status: TaskStatus;
  number: number;
}
/** `exists`: the id is in use with another message, and the task does not wait for one. */
export type StoredRow = MessageRow<'created' | 'same' | 'continued' | 'stored' | 'exists'>;
/** The task waits for a message. Submit it again with `continues`, sealed for `task_id`. */
export type ContinuableRow = MessageRow<'continuable'>;
export const submitMessages = statement<
  [tenantId: string, messages: string],
  (StoredRow | ContinuableRow) & { nth: number }
>('select * from tasks_submit($1, $2)', { name: 'tasks-submit' });

/**
 * Stores one tenant's messages; results in the same order. Null: the task was removed meanwhile, and its id is free
 * again.
 */
export async function submitTasks(
  runner: StatementRunner,
  tenantId: string,
  tasks: readonly NewTask[],
): Promise<(StoredRow | ContinuableRow | null)[]> {
  const messages = tasks.map((task, nth) => ({
    nth,
    id: task.id,
    owner: task.ownerId,
    external: task.externalId,
    configuration: task.configurationId,
    context: task.contextId,
    key: task.keyId,
    principal: task.principal,
    trace: task.trace,
    status: task.status,
    hash: task.hash.toString('hex'),
    message: task.message,
    audit: newId(),
    actor: task.actor,
    request: task.requestId,
    continues: task.continues,
  }));
  const rows = await runner.run(submitMessages, [tenantId, JSON.stringify(messages)]);
  const answers: (StoredRow | ContinuableRow | null)[] = tasks.map(() => null);
  for (const { nth, ...row } of rows) answers[nth] = row;
  return answers;
}

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

export interface ItemRow {
  kind: 'message' | 'turn' | 'result';
  body: string;
}

export const transcriptItems = statement<
  [tenantId: string, taskIds: readonly string[], kinds: readonly ItemRow['kind'][]],
  ItemRow & { task_id: string }
>('select * from tasks_transcript($1, $2, $3)', { name: 'tasks-transcript' });

/** Transcripts of one tenant's tasks, in the order of the ids. */
export const readTranscripts = (runner: StatementRunner, tenantId: string, taskIds: string[]): Promise<ItemRow[][]> =>
  queryItems(runner, ['message', 'turn', 'result'], tenantId, taskIds);

/** Messages and turns only. */
export const readMessages = (runner: StatementRunner, tenantId: string, taskIds: string[]): Promise<ItemRow[][]> =>
  queryItems(runner, ['message', 'turn'], tenantId, taskIds);

async function queryItems(
  runner: StatementRunner,
  kinds: ItemRow['kind'][],
  tenantId: string,
  taskIds: string[],
): Promise<ItemRow[][]> {
  const rows = await runner.run(transcriptItems, [tenantId, [...new Set(taskIds)], kinds]);
  const byTask = Map.groupBy(rows, (row) => row.task_id);
  return taskIds.map((id) => byTask.get(id) ?? []);
}

export interface Advance {
  items: ItemRow[];
  turns?: number;
  isTainted?: boolean;
  /** `keep` and `go on` keep the lease, the others release it. `keep` and `retry` do not change the task. */
  step: 'keep' | 'go on' | 'wait' | 'end' | 'retry';
  status?: TaskStatus;
  /** Published together with the unchanged status. */
  chunk?: ArtifactChunk;
  artifacts?: Artifact[];
  waiting?: WaitReason;
  /** Time until the task may be claimed again; absent: it waits for an event. */
  dueSeconds?: number;
  /** Part of the time since the claim that does not count as work. */
  unworkedMs?: number;
  /** Who ended the task, for the audit log */
  actor?: object;
}
export interface TaskAdvance {
  tenantId: string;
  id: string;
  leaseEpoch: number;
  advance: Advance;
}
/** `isApplied` false: the task was woken meanwhile, so the wait did not begin. */
export interface AdvanceResult {
  isApplied: boolean;
  number: number;
}

export const storeAdvances = statement<[tenantId: string, advances: string], AdvanceResult & { nth: number }>(
  'select nth, kept as "isApplied", number from tasks_advance($1, $2)',
  { name: 'tasks-advance' },
);

/** Advances one tenant's tasks; results in the same order. Null: the lease was lost, and nothing was written. */
export async function advanceTasks(
  runner: StatementRunner,
  tenantId: string,
  advances: readonly TaskAdvance[],
): Promise<(AdvanceResult | null)[]> {
  const given = advances.map(({ id, leaseEpoch, advance }, nth) => ({
    nth,
    task: id,
    epoch: leaseEpoch,
    items: advance.items,
    turns: advance.turns ?? 0,
    tainted: advance.isTainted ?? false,
    step: advance.step,
    status: advance.status,
    chunk: advance.chunk,
    artifacts: advance.artifacts,
    waiting: advance.waiting,
    due: advance.dueSeconds,
    unworked: advance.unworkedMs ?? 0,
    audit: newId(),
    actor: advance.actor,
  }));
  const rows = await runner.run(storeAdvances, [tenantId, JSON.stringify(given)]);
  const done: (AdvanceResult | null)[] = advances.map(() => null);
  for (const { nth, ...result } of rows) done[nth] = result;
  return done;
}

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
  { name: 'tasks-show-below' },
);

export const taskArtifacts = statement<[tenantId: string, id: string], { artifacts: Artifact[] | null }>(
  'select artifacts from tasks where tenant_id = $1 and id = $2',
  { name: 'tasks-artifacts' },
);

/** The artifacts shown so far. */
export async function loadTaskArtifacts(tx: Tx, tenantId: string, taskId: string): Promise<Artifact[]> {
  return (await tx.one(taskArtifacts, [tenantId, taskId]))?.artifacts ?? [];
}

export const lockLeasedTasks = statement<[tenantId: string, ids: readonly string[]], { id: string; epoch: number }>(
  `select id, lease_epoch as epoch from tasks where tenant_id = $1 and id = any ($2) and due_at is not null
   order by id for key share`,
  { name: 'tasks-fence' },
);

/**
 * The fence of the gate: returns which leases are still the newest of their tasks. They stay so until the transaction
 * ends, because a claim and a cancellation need an exclusive row lock. A renewal is not blocked.
 */
export async function lockLeases(
  tx: Tx,
  tenantId: string,
  leases: readonly { taskId: string; leaseEpoch: number }[],
): Promise<boolean[]> {
  const ids = leases.map(({ taskId }) => taskId);
  const epochs = new Map((await tx.run(lockLeasedTasks, [tenantId, ids])).map(({ id, epoch }) => [id, epoch]));
  return leases.map(({ taskId, leaseEpoch }) => epochs.get(taskId) === leaseEpoch);
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

interface TaskEntryRow {
  taskId: string;
  at: Date;
}

/** States of tasks, in order, without chunks of artifacts. */
export const listTaskStates = statement<
  [tenantId: string, taskIds: readonly string[]],
  TaskEntryRow & { number: number; status: TaskStatus }
>(`
  select task_id as "taskId", number, status, at from task_events
  where tenant_id = $1 and task_id = any ($2) and chunk is null
  order by task_id, number`);

export const listTaskItems = statement<[tenantId: string, taskIds: readonly string[]], TaskEntryRow & ItemRow>(`
  select task_id as "taskId", kind, body, at from task_items
  where tenant_id = $1 and task_id = any ($2)
  order by task_id, position`);

type OwnTasksFilter = [
  tenantId: string,
  ownerId: string,
  contextId: string | null,
  state: TaskState | null,
  needsCredentials: boolean | null,
  since: string | null,
];
const waitsForCredentials = `coalesce(t.status -> 'metadata' ->> 'reason' = 'credentials', false)`;
/** Null: no filter. */
const ownTasksClause = `
  from tasks t where t.tenant_id = $1 and t.owner_id::text = $2
    and ($3::text is null or coalesce(t.context_id, t.external_id) = $3)
    and ($4::text is null or t.state = $4)
    and ($5::boolean is null or ${waitsForCredentials} = $5)
    and ($6::text is null or t.status ->> 'timestamp' >= $6)`;

export const countOwnTasks = statement<OwnTasksFilter, { count: number }>(
  `select count(*)::int as count ${ownTasksClause}`,
);
/** Most recently changed first. `beforeTime` and `beforeId`: the last task of the previous page. */
export const listOwnTasks = statement<
  [...filter: OwnTasksFilter, beforeTime: string | null, beforeId: string | null, limit: number],
  FoundTaskRow & { id: string }
>(`
  select t.external_id as id, t.id as task_id, t.status, t.artifacts, t.last_event as number, t.context_id as context
  ${ownTasksClause} and ($7::text is null or (t.status ->> 'timestamp', t.id) < ($7, $8::uuid))
  order by t.status ->> 'timestamp' desc, t.id desc limit $9`);

/** The messages that submitted the tasks. Longer ones than `maxBytes` are left out: opening them takes too long. */
export const listFirstMessages = statement<
  [tenantId: string, taskIds: readonly string[], maxBytes: number],
  { taskId: string } & ItemRow
>(`
  select task_id as "taskId", kind, body from task_items
  where tenant_id = $1 and task_id = any ($2) and position = 1 and kind = 'message' and octet_length(body) <= $3`);
