import type { Tx } from '../platform/database/tx.js';
import { insertAuditEventsOf } from '../audit/audit.service.js';
import type { CallState, ToolCall } from './tool-call.entity.js';

/* Each state change is one conditional statement: it applies only if the row is still in the expected state. */

/** Column, property and type. Bytes are written in JSON in PostgreSQL's hex format: `\\x6162`. */
const columns = [
  ['tenant_id', 'tenantId', 'uuid'],
  ['id', 'id', 'uuid'],
  ['configuration_id', 'configurationId', 'uuid'],
  ['task_id', 'taskId', 'text'],
  ['call_refs', 'callRefs', 'text[]'],
  ['identity', 'identity', 'text'],
  ['caller', 'caller', 'jsonb'],
  ['tool', 'tool', 'text'],
  ['effect', 'effect', 'text'],
  ['connection_id', 'connectionId', 'uuid'],
  ['connection_revision', 'connectionRevision', 'int'],
  ['definition_hash', 'definitionHash', 'text'],
  ['definition', 'definition', 'jsonb'],
  ['arguments_sealed', 'argumentsSealed', 'bytea'],
  ['arguments_hash', 'argumentsHash', 'bytea'],
  ['redacted_arguments', 'redactedArguments', 'jsonb'],
  ['policy_ids', 'policyIds', 'text[]'],
  ['policy_revision', 'policyRevision', 'int'],
  ['steps', 'steps', 'text[]'],
  ['narrowed_by', 'narrowedBy', 'jsonb'],
  ['is_delegation', 'isDelegation', 'boolean'],
  ['tainted', 'tainted', 'boolean'],
  ['is_foreign', 'isForeign', 'boolean'],
  ['state', 'state', 'text'],
  ['code', 'code', 'text'],
  ['reason', 'reason', 'text'],
  ['attempts', 'attempts', 'int'],
  ['lease_epoch', 'leaseEpoch', 'int'],
  ['executor', 'executor', 'text'],
  ['executing_until', 'executingUntil', 'timestamptz'],
  ['retry_key', 'retryKey', 'bytea'],
  ['requested_at', 'requestedAt', 'timestamptz'],
  ['executed_at', 'executedAt', 'timestamptz'],
  ['ended_at', 'endedAt', 'timestamptz'],
  ['delivered_at', 'deliveredAt', 'timestamptz'],
] as const satisfies readonly (readonly [string, keyof ToolCall, string])[];

const columnNames = columns.map(([column]) => column).join(', ');
const insertCalls = {
  name: 'gate-insert',
  text: `with made as (
           insert into tool_calls (${columnNames})
           select ${columnNames} from json_to_recordset($1) as given(${columns.map(([column, , type]) => `${column} ${type}`).join(', ')})
           order by retry_key -- two processes with the same calls take them in the same order
           on conflict (tenant_id, retry_key) where retry_key is not null do nothing returning id),
         told as (${insertAuditEventsOf('made', '$2')})
         select id from made`,
};

const toJsonValue = (value: unknown) => (Buffer.isBuffer(value) ? byteaLiteral(value) : value);
const byteaLiteral = (value: Buffer) => `\\x${value.toString('hex')}`;

/**
 * Inserts calls with their audit events and returns the ids of the inserted ones: an identical call may exist already.
 * Waits for a concurrent insert of an identical call.
 */
export async function insertToolCalls(tx: Tx, calls: readonly ToolCall[], events: string): Promise<Set<string>> {
  if (!calls.length) return new Set();
  const given = calls.map((call) =>
    Object.fromEntries(columns.map(([column, name]) => [column, toJsonValue(call[name])])),
  );
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<{ id: string }>({ ...insertCalls, values: [JSON.stringify(given), events] });
  return new Set(rows.map(({ id }) => id));
}

export async function insertToolCall(tx: Tx, call: ToolCall, events: string): Promise<boolean> {
  return (await insertToolCalls(tx, [call], events)).has(call.id);
}

const taskCallHistories = {
  name: 'gate-task-standings',
  text: `select s.* from rows from (json_to_recordset($2) as (task text, tool text, refs text[])) with ordinality as a(task, tool, refs, nth)
         cross join lateral (
           select count(*) filter (where tool = a.tool and state = 'denied' and code in ('policy-denied', 'approval-denied'))::int as denials,
                  coalesce(max(lease_epoch), 0) as epoch,
                  (array_agg(id order by id desc) filter (
                    where call_refs && a.refs and (effect <> 'read' or is_delegation) and state in ('executing', 'succeeded', 'failed', 'unsettled')))[1] as "sentId"
           from tool_calls where tenant_id = $1 and task_id = a.task) s
         order by a.nth`,
};

export interface TaskCallHistoryRow {
  /** How many times the tool was denied in the task. */
  denials: number;
  /** The newest lease of the task in the ledger. */
  epoch: number;
  /** The id of this call, if the same turn sent it before. */
  sentId: string | null;
}

/** For task calls of one tenant, in the order of `calls`. */
export async function listTaskCallHistories(
  tx: Tx,
  tenantId: string,
  calls: readonly ToolCall[],
): Promise<TaskCallHistoryRow[]> {
  const keys = calls.map(({ taskId: task, tool, callRefs: refs }) => ({ task, tool, refs }));
  const connection = await pipelineOf(tx);
  return (
    await connection.query<TaskCallHistoryRow>({ ...taskCallHistories, values: [tenantId, JSON.stringify(keys)] })
  ).rows;
}

/** The model requested an identical call again: the new ref refers to this call, too. */
export async function addCallRefs(tx: Tx, call: ToolCall, refs: string[]): Promise<void> {
  const more = refs.filter((ref) => !call.callRefs.includes(ref));
  if (!more.length) return;
  call.callRefs = [...call.callRefs, ...more];
  await tx.query('update tool_calls set call_refs = call_refs || $3 where tenant_id = $1 and id = $2', [
    call.tenantId,
    call.id,
    more,
  ]);
}

// any() makes PostgreSQL use the index: a new table has no statistics, and the join alone would scan all of it
const recordOutcomes = {
  name: 'gate-outcomes',
  text: `with ended as (
         update tool_calls c set
           state = e.state, code = e.code, reason = e.reason, is_foreign = e.is_foreign, result_sealed = e.result, ended_at = clock_timestamp(), executing_until = null,
           delivered_at = case when e.delivered then clock_timestamp() else c.delivered_at end,
           retry_key = case when e.delivered and (c.effect = 'read' or e.code in ('account-needed', 'capability-needed')) then null else c.retry_key end
         from json_to_recordset($3) as e(id uuid, attempts int, state text, code text, reason text, is_foreign boolean, result bytea, delivered boolean)
         where c.tenant_id = $1 and c.id = any ($2) and c.id = e.id and c.state = 'executing' and c.attempts = e.attempts
         returning c.id),
         told as (${insertAuditEventsOf('ended', '$4')})
         select id from ended`,
};

export interface CallEnd {
  state: Extract<CallState, 'succeeded' | 'failed' | 'unsettled'>;
  code: string | null;
  reason: string | null;
  isForeign: boolean;
  resultSealed: Buffer | null;
  isDelivered: boolean;
}

/**
 * Ends calls of one tenant, with their audit events, and returns the ids of the ended ones. A missing id means that the
 * row has moved on from this attempt, and its outcome is ignored.
 */
export async function endCalls(
  tx: Tx,
  tenantId: string,
  endings: readonly { call: ToolCall; ended: CallEnd }[],
  events: string,
): Promise<Set<string>> {
  const ids = endings.map(({ call }) => call.id);
  const given = endings.map(
    ({ call: { id, attempts }, ended: { state, code, reason, isForeign, resultSealed, isDelivered } }) => ({
      id,
      attempts,
      state,
      code,
      reason,
      is_foreign: isForeign,
      result: resultSealed && byteaLiteral(resultSealed),
      delivered: isDelivered,
    }),
  );
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<{ id: string }>({
    ...recordOutcomes,
    values: [tenantId, ids, JSON.stringify(given), events],
  });
  return new Set(rows.map(({ id }) => id));
}

export async function endCall(tx: Tx, call: ToolCall, ended: CallEnd, events: string): Promise<boolean> {
  return (await endCalls(tx, call.tenantId, [{ call, ended }], events)).has(call.id);
}

/**
 * Marks the first delivery of an outcome. From then on, an identical call is not a retry if it is a read or was not
 * sent because a prerequisite was missing.
 */
export async function markDelivered(tx: Tx, { tenantId, id }: ToolCall): Promise<void> {
  await (
    await pipelineOf(tx)
  ).query({
    name: 'gate-deliver',
    text: `update tool_calls set delivered_at = clock_timestamp(), retry_key = case when effect = 'read' or code in ('account-needed', 'capability-needed') then null else retry_key end
           where tenant_id = $1 and id = $2 and delivered_at is null`,
    values: [tenantId, id],
  });
}

/**
 * Single use: of any number of concurrent claims, one succeeds. Stores the current effect of the tool, which decides
 * whether a lost call is run again.
 */
export async function claimApprovedCall(
  tx: Tx,
  call: ToolCall,
  /** `leaseEpoch` null: the call runs outside a task, so no other lease can take it over. */
  start: { executor: string; seconds: number; leaseEpoch: number | null; effect: string },
): Promise<boolean> {
  const { executor, seconds, leaseEpoch, effect } = start;
  const { rows } = await (
    await pipelineOf(tx)
  ).query<{ attempts: number; executing_until: Date }>({
    name: 'gate-claim',
    text: `update tool_calls set state = 'executing', attempts = attempts + 1, executor = $3, lease_epoch = coalesce($5, lease_epoch),
                  effect = $6, executed_at = clock_timestamp(), executing_until = clock_timestamp() + $4 * interval '1 second'
           where tenant_id = $1 and id = $2 and state = 'approved' returning attempts, executing_until`,
    values: [call.tenantId, call.id, executor, seconds, leaseEpoch, effect],
  });
  if (!rows.length) return false;
  const { attempts, executing_until: executingUntil } = rows[0];
  Object.assign(call, { state: 'executing', attempts, effect, leaseEpoch, executingUntil });
  return true;
}

/** Renews the lease of a running call. False: the attempt no longer owns the row. */
export async function renewExecution(tx: Tx, { tenantId, id, attempts }: ToolCall, seconds: number): Promise<boolean> {
  const { rowCount } = await (
    await pipelineOf(tx)
  ).query({
    name: 'gate-renew',
    text: `update tool_calls set executing_until = clock_timestamp() + $4 * interval '1 second'
           where tenant_id = $1 and id = $2 and state = 'executing' and attempts = $3`,
    values: [tenantId, id, attempts, seconds],
  });
  return rowCount === 1;
}

export interface CallStateRow {
  id: string;
  state: CallState;
}

export async function listCallStates(tx: Tx, tenantId: string, ids: readonly string[]): Promise<CallStateRow[]> {
  const connection = await pipelineOf(tx);
  const text = 'select id, state from tool_calls where tenant_id = $1 and id = any ($2)';
  return (await connection.query<CallStateRow>({ name: 'gate-positions', text, values: [tenantId, ids] })).rows;
}

/** Until the transaction ends, no other transaction adds pending calls of this caller. */
export async function lockIdentity(tx: Tx, { tenantId, identity }: ToolCall): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 1))', [`${tenantId} ${identity}`]);
}

/** The ids of each task's first calls. $1 tenant, $2 tasks, $3 maximum per task. */
export const callIdsOfTasks = `
  select c.id
  from unnest($2::text[]) task (id)
  cross join lateral (
    select id from tool_calls where tenant_id = $1 and task_id = task.id order by id limit $3
  ) c`;
