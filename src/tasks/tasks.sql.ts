import type { Pool } from 'pg';
import type { EntityManager } from 'typeorm';
import { newId } from '../platform/crypto/ids.js';
import { pipelineOf } from '../platform/database/database.service.js';
import type { Queryable } from '../platform/database/pipeline-batch.js';
import type { Artifact, ArtifactChunk } from '../agent/agent-model.port.js';
import type { StoredPrincipal } from './stored-principal.js';
import type { TaskStatus, WaitReason } from './task.entity.js';

/* The hot statements: prepared, one round trip, a transaction each. The functions are in sql/. */

export interface NewTask {
  tenantId: string;
  id: string;
  ownerId: string;
  externalId: string;
  configurationId: string;
  /** The caller's name for what this is a part of. */
  contextId: string | null;
  keyId: string;
  principal: object;
  trace: object | null;
  status: TaskStatus;
  hash: Buffer;
  /** JSON, sealed for the id above */
  message: string;
  /** The id is the one of the task that the message continues. Without it no task that is there already gets the message. */
  continues?: boolean;
  /** Who, for the audit log */
  actor: object;
  requestId: string | null;
}
interface MessageRow<Outcome> {
  outcome: Outcome;
  task_id: string;
  status: TaskStatus;
  number: number;
}
/** `exists`: the id is taken by another message, and the task does not wait for one. */
export type StoredRow = MessageRow<'created' | 'same' | 'continued' | 'stored' | 'exists'>;
/** The task waits for a message, and this one comes again: sealed for `task_id`, and with `continues`. */
export type ContinuableRow = MessageRow<'continuable'>;
/** One tenant's messages; answered in their order. Null: the task was removed meanwhile, and its id is free again. */
export async function submitTasks(
  pool: Pool,
  tenantId: string,
  tasks: NewTask[],
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
  const { rows } = await pool.query<(StoredRow | ContinuableRow) & { nth: number }>({
    name: 'tasks-submit',
    text: 'select * from tasks_submit($1, $2)',
    values: [tenantId, JSON.stringify(messages)],
  });
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
/** One tenant's; answered in the order asked. */
export async function findTasks(pool: Pool, tenantId: string, lookups: TaskLookup[]): Promise<(FoundTaskRow | null)[]> {
  const { rows } = await pool.query<FoundTaskRow & { nth: number }>({
    name: 'tasks-find',
    text: 'select * from tasks_find($1, $2, $3)',
    values: [tenantId, lookups.map((task) => task.ownerId), lookups.map((task) => task.externalId)],
  });
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
export async function listTaskEventsAfter(
  pool: Pool,
  tenantId: string,
  taskIds: string[],
  after: number[],
): Promise<TaskEventRow[]> {
  const { rows } = await pool.query<TaskEventRow>({
    name: 'tasks-events-after',
    text: 'select * from tasks_events_after($1, $2, $3)',
    values: [tenantId, taskIds, after],
  });
  return rows;
}

export interface ItemRow {
  kind: 'message' | 'turn' | 'result';
  body: string;
}
/** Of one tenant's tasks; in the order asked. */
export const readTranscripts = (pool: Pool, tenantId: string, taskIds: string[]): Promise<ItemRow[][]> =>
  queryItems(pool, ['message', 'turn', 'result'], tenantId, taskIds);

/** Messages and turns. */
export const readMessages = (pool: Pool, tenantId: string, taskIds: string[]): Promise<ItemRow[][]> =>
  queryItems(pool, ['message', 'turn'], tenantId, taskIds);

async function queryItems(
  pool: Pool,
  kinds: ItemRow['kind'][],
  tenantId: string,
  taskIds: string[],
): Promise<ItemRow[][]> {
  const { rows } = await pool.query<ItemRow & { task_id: string }>({
    name: 'tasks-transcript',
    text: 'select * from tasks_transcript($1, $2, $3)',
    values: [tenantId, [...new Set(taskIds)], kinds],
  });
  const byTask = Map.groupBy(rows, (row) => row.task_id);
  return taskIds.map((id) => byTask.get(id) ?? []);
}

export interface Advance {
  items: ItemRow[];
  turns?: number;
  isTainted?: boolean;
  /** `keep` and `go on` keep the lease, everything else gives it back; `keep` and `retry` leave the task as it is. */
  step: 'keep' | 'go on' | 'wait' | 'end' | 'retry';
  status?: TaskStatus;
  /** Told with the status, which says again what it is. */
  chunk?: ArtifactChunk;
  artifacts?: Artifact[];
  waiting?: WaitReason;
  /** When the task may be claimed again; absent, when something happens to it. */
  dueSeconds?: number;
  /** Of the time since the task was claimed, what was no work on it. */
  unworkedMs?: number;
  /** Who ended it, for the audit log */
  actor?: object;
}
export interface TaskAdvance {
  tenantId: string;
  id: string;
  leaseEpoch: number;
  advance: Advance;
}
/** `kept` false: the task was woken, so it does not wait. */
export interface AdvanceResult {
  kept: boolean;
  number: number;
}
/** Of one tenant's tasks; in the order asked. Null: the lease was lost, and nothing was written. */
export async function advanceTasks(
  statements: Queryable,
  tenantId: string,
  advances: TaskAdvance[],
): Promise<(AdvanceResult | null)[]> {
  const rows = advances.map(({ id, leaseEpoch, advance }, nth) => ({
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
  const answer = await statements.query<AdvanceResult & { nth: number }>({
    name: 'tasks-advance',
    text: 'select * from tasks_advance($1, $2)',
    values: [tenantId, JSON.stringify(rows)],
  });
  const done: (AdvanceResult | null)[] = advances.map(() => null);
  for (const { nth, kept, number } of answer.rows) done[nth] = { kept, number };
  return done;
}

/** Ends what has not ended, and takes the lease from whoever works on it. Null: it has ended already. */
export async function cancelTask(
  tx: EntityManager,
  tenantId: string,
  taskId: string,
  status: TaskStatus,
): Promise<{ number: number; external_id: string; principal: StoredPrincipal } | null> {
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<{ number: number; external_id: string; principal: StoredPrincipal }>({
    name: 'tasks-cancel',
    text: `
      with held as (
        select tenant_id, id from tasks where tenant_id = $1 and id = $2 for update -- waits for a call that is passing the fence
      ), canceled as (
        update tasks t set state = 'canceled', status = $3, waiting = null, due_at = null, lease_epoch = t.lease_epoch + 1,
                           last_event = t.last_event + 1, updated_at = now()
        from held
        where t.tenant_id = held.tenant_id and t.id = held.id and t.state in ('submitted', 'working', 'input-required')
        returning t.tenant_id, t.id, t.last_event, t.external_id, t.principal
      ), told as (
        insert into task_events (tenant_id, task_id, number, status, at)
        select tenant_id, id, last_event, $3, now() from canceled
      )
      select last_event as number, external_id, principal from canceled`,
    values: [tenantId, taskId, JSON.stringify(status)],
  });
  return rows[0] ?? null;
}

/** Null: it is not quarantined. */
export async function releaseTask(
  tx: EntityManager,
  tenantId: string,
  taskId: string,
  status: TaskStatus,
): Promise<{ number: number; external_id: string; principal: StoredPrincipal } | null> {
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<{ number: number; external_id: string; principal: StoredPrincipal }>({
    name: 'tasks-release',
    text: `
      with released as (
        update tasks set state = $3::json ->> 'state', status = $3, waiting = null, due_at = now(), last_event = last_event + 1,
                         updated_at = now()
        where tenant_id = $1 and id = $2 and waiting = 'quarantine'
        returning tenant_id, id, last_event, external_id, principal
      ), told as (
        insert into task_events (tenant_id, task_id, number, status, at)
        select tenant_id, id, last_event, $3, now() from released
      )
      select last_event as number, external_id, principal from released`,
    values: [tenantId, taskId, JSON.stringify(status)],
  });
  return rows[0] ?? null;
}

/**
 * What an agent below shows while it works on a part of the task: a piece of an artifact, or a word. The task may be claimed or
 * not, its lease stays as it is. Null: it has ended, or there is nothing to say now.
 */
export async function recordDelegateProgress(
  tx: EntityManager,
  tenantId: string,
  taskId: string,
  { chunk, status }: { chunk?: ArtifactChunk; status?: TaskStatus },
): Promise<{ number: number; status: TaskStatus } | null> {
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<{ number: number; status: TaskStatus }>({
    name: 'tasks-show-below',
    text: `
      with shown as (
        update tasks t set
          last_event = t.last_event + 1, is_tainted = true, updated_at = now(), status = coalesce($4, t.status),
          artifacts = case when $3::json is null then t.artifacts else tasks_add_chunk(t.artifacts, $3) end
        where t.tenant_id = $1 and t.id = $2 and t.state in ('submitted', 'working', 'input-required')
          and ($4::json is null or (t.state = 'working' and t.status -> 'metadata' is null))
        returning t.last_event, t.status
      ), told as (
        insert into task_events (tenant_id, task_id, number, status, chunk, at)
        select $1, $2, last_event, status, $3, now() from shown
      )
      select last_event as number, status from shown`,
    values: [tenantId, taskId, chunk ? JSON.stringify(chunk) : null, status ? JSON.stringify(status) : null],
  });
  return rows[0] ?? null;
}

/** What was shown of it so far. */
export async function loadTaskArtifacts(tx: EntityManager, tenantId: string, taskId: string): Promise<Artifact[]> {
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<{ artifacts: Artifact[] | null }>({
    name: 'tasks-artifacts',
    text: 'select artifacts from tasks where tenant_id = $1 and id = $2',
    values: [tenantId, taskId],
  });
  return rows[0]?.artifacts ?? [];
}

/**
 * The fence of the gate: which of the leases are still their tasks' newest. They stay so until the transaction ends, since a
 * claim and a cancellation want the row for themselves, while a renewal may pass.
 */
export async function lockLeases(
  tx: EntityManager,
  tenantId: string,
  leases: readonly { taskId: string; leaseEpoch: number }[],
): Promise<boolean[]> {
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<{ id: string; epoch: number }>({
    name: 'tasks-fence',
    text: `select id, lease_epoch as epoch from tasks where tenant_id = $1 and id = any ($2) and due_at is not null
           order by id for key share`,
    values: [tenantId, leases.map(({ taskId }) => taskId)],
  });
  const epochs = new Map(rows.map(({ id, epoch }) => [id, epoch]));
  return leases.map(({ taskId, leaseEpoch }) => epochs.get(taskId) === leaseEpoch);
}

/** A call of the task is decided or settled. Noted even while the task is being worked on: see tasks_advance. */
export async function wakeTask(tx: EntityManager, tenantId: string, taskId: string): Promise<void> {
  const connection = await pipelineOf(tx);
  await connection.query({
    name: 'tasks-wake',
    text: `
      update tasks set is_woken = true, due_at = case when waiting = 'approval' then now() else due_at end
      where tenant_id = $1 and id = $2 and due_at is not null`,
    values: [tenantId, taskId],
  });
}

interface TaskEntryRow {
  taskId: string;
  at: Date;
}

/** States of tasks, in order; pieces of artifacts are left out. */
export function readEvents(
  tx: EntityManager,
  tenantId: string,
  taskIds: readonly string[],
): Promise<(TaskEntryRow & { number: number; status: TaskStatus })[]> {
  const text = `
    select task_id as "taskId", number, status, at from task_events
    where tenant_id = $1 and task_id = any ($2) and chunk is null
    order by task_id, number`;
  return tx.query(text, [tenantId, taskIds]);
}

export function readItems(
  tx: EntityManager,
  tenantId: string,
  taskIds: readonly string[],
): Promise<(TaskEntryRow & ItemRow)[]> {
  const text = `
    select task_id as "taskId", kind, body, at from task_items
    where tenant_id = $1 and task_id = any ($2)
    order by task_id, position`;
  return tx.query(text, [tenantId, taskIds]);
}
