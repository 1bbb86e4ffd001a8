import { advisoryLock } from '../platform/database/advisory-lock.js';
import { statement } from '../platform/database/statement.js';
import type { Tx } from '../platform/database/tx.js';
import { insertAuditEventsOf } from '../audit/audit.service.js';
import type { ResultNotice } from '../connections/tools.service.js';
import type { AttemptEnd, CallIn } from './call-state.js';
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
  ['grant_id', 'grantId', 'uuid'],
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
export const insertCalls = statement<[calls: string, auditEvents: string], { id: string }>(
  `with made as (
     insert into tool_calls (${columnNames})
     select ${columnNames} from json_to_recordset($1) as given(${columns.map(([column, , type]) => `${column} ${type}`).join(', ')})
     order by retry_key -- two processes with the same calls take them in the same order
     on conflict (tenant_id, retry_key) where retry_key is not null do nothing returning id),
   audited as (${insertAuditEventsOf('made', '$2')})
   select id from made`,
  { name: 'gate-insert' },
);

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
  const rows = await tx.run(insertCalls, [JSON.stringify(given), events]);
  return new Set(rows.map(({ id }) => id));
}

export async function insertToolCall(tx: Tx, call: ToolCall, events: string): Promise<boolean> {
  return (await insertToolCalls(tx, [call], events)).has(call.id);
}

export interface TaskCallHistoryRow {
  /** How many times the tool was denied in the task. */
  denials: number;
  /** The newest lease of the task in the ledger. */
  epoch: number;
  /** The id of this call, if the same turn sent it before. */
  sentId: string | null;
}

export const taskCallHistories = statement<[tenantId: string, calls: string], TaskCallHistoryRow>(
  `select s.* from rows from (json_to_recordset($2) as (task text, tool text, refs text[])) with ordinality as a(task, tool, refs, nth)
   cross join lateral (
     select count(*) filter (where tool = a.tool and state = 'denied' and code in ('policy-denied', 'approval-denied'))::int as denials,
            coalesce(max(lease_epoch), 0) as epoch,
            (array_agg(id order by id desc) filter (
              where call_refs && a.refs and (effect <> 'read' or is_delegation) and state in ('executing', 'succeeded', 'failed', 'unsettled')))[1] as "sentId"
     from tool_calls where tenant_id = $1 and task_id = a.task) s
   order by a.nth`,
  { name: 'gate-task-histories' },
);

/** For task calls of one tenant, in the order of `calls`. */
export function listTaskCallHistories(
  tx: Tx,
  tenantId: string,
  calls: readonly ToolCall[],
): Promise<TaskCallHistoryRow[]> {
  const keys = calls.map(({ taskId: task, tool, callRefs: refs }) => ({ task, tool, refs }));
  return tx.run(taskCallHistories, [tenantId, JSON.stringify(keys)]);
}

export const appendCallRefs = statement<[tenantId: string, id: string, refs: readonly string[]]>(
  'update tool_calls set call_refs = call_refs || $3 where tenant_id = $1 and id = $2',
);

/** The model requested an identical call again: the new ref refers to this call, too. */
export async function addCallRefs(tx: Tx, call: ToolCall, refs: string[]): Promise<void> {
  const more = refs.filter((ref) => !call.callRefs.includes(ref));
  if (!more.length) return;
  call.callRefs = [...call.callRefs, ...more];
  await tx.execute(appendCallRefs, [call.tenantId, call.id, more]);
}

// any() makes PostgreSQL use the index: a new table has no statistics, and the join alone would scan all of it
export const recordOutcomes = statement<
  [tenantId: string, ids: readonly string[], outcomes: string, auditEvents: string],
  { id: string; endedAt: Date }
>(
  `with ended as (
     update tool_calls c set
       state = e.state, code = e.code, reason = e.reason, is_foreign = e.is_foreign, result_sealed = e.result, result_hash = e.result_hash, result_notice = e.notice, ended_at = clock_timestamp(), executing_until = null,
       delivered_at = case when e.delivered then clock_timestamp() else c.delivered_at end,
       retry_key = case when e.delivered and (c.effect = 'read' or e.code in ('account-needed', 'capability-needed')) then null else c.retry_key end
     from json_to_recordset($3) as e(id uuid, attempts int, state text, code text, reason text, is_foreign boolean, result bytea, result_hash bytea, notice jsonb, delivered boolean)
     where c.tenant_id = $1 and c.id = any ($2) and c.id = e.id and c.state = 'executing' and c.attempts = e.attempts
     returning c.id, c.ended_at),
   audited as (${insertAuditEventsOf('ended', '$4')})
   select id, ended_at as "endedAt" from ended`,
  { name: 'gate-outcomes', neverNull: ['endedAt'] },
);

export type CallEnd = AttemptEnd & {
  resultSealed: Buffer | null;
  isDelivered: boolean;
  resultHash?: string;
  notice?: ResultNotice;
};

/**
 * Ends calls of one tenant, with their audit events, and returns when each of them ended. A missing id means that the
 * row has moved on from this attempt, and its outcome is ignored.
 */
export async function endCalls(
  tx: Tx,
  tenantId: string,
  endings: readonly { call: CallIn<'executing'>; ended: CallEnd }[],
  events: string,
): Promise<Map<string, Date>> {
  const ids = endings.map(({ call }) => call.id);
  const given = endings.map(
    ({
      call: { id, attempts },
      ended: { state, code, reason, isForeign, resultSealed, isDelivered, resultHash, notice },
    }) => ({
      id,
      attempts,
      state,
      code,
      reason,
      is_foreign: isForeign,
      result: resultSealed && byteaLiteral(resultSealed),
      result_hash: resultHash && `\\x${resultHash}`,
      notice,
      delivered: isDelivered,
    }),
  );
  const rows = await tx.run(recordOutcomes, [tenantId, ids, JSON.stringify(given), events]);
  return new Map(rows.map(({ id, endedAt }) => [id, endedAt]));
}

/**
 * Marks the first delivery of an outcome. From then on, an identical call is not a retry if it is a read or was not
 * sent because a prerequisite was missing.
 */
export const markDelivered = statement<[tenantId: string, id: string]>(
  `update tool_calls set delivered_at = clock_timestamp(), retry_key = case when effect = 'read' or code in ('account-needed', 'capability-needed') then null else retry_key end
   where tenant_id = $1 and id = $2 and delivered_at is null`,
  { name: 'gate-deliver' },
);

export const claimCall = statement<
  [tenantId: string, id: string, executor: string, seconds: number, leaseEpoch: number | null, effect: string],
  { attempts: number; executedAt: Date; executingUntil: Date }
>(
  `update tool_calls set state = 'executing', attempts = attempts + 1, executor = $3, lease_epoch = coalesce($5, lease_epoch),
          effect = $6, executed_at = clock_timestamp(), executing_until = clock_timestamp() + $4 * interval '1 second'
   where tenant_id = $1 and id = $2 and state = 'approved'
   returning attempts, executed_at as "executedAt", executing_until as "executingUntil"`,
  { name: 'gate-claim', neverNull: ['executedAt', 'executingUntil'] },
);

export const extendExecution = statement<[tenantId: string, id: string, attempts: number, seconds: number]>(
  `update tool_calls set executing_until = clock_timestamp() + $4 * interval '1 second'
   where tenant_id = $1 and id = $2 and state = 'executing' and attempts = $3`,
  { name: 'gate-renew' },
);

/** Renews the lease of a running call. False: the attempt no longer owns the row. */
export async function renewExecution(tx: Tx, { tenantId, id, attempts }: ToolCall, seconds: number): Promise<boolean> {
  return (await tx.execute(extendExecution, [tenantId, id, attempts, seconds])) === 1;
}

export const listCallStates = statement<[tenantId: string, ids: readonly string[]], { id: string; state: CallState }>(
  'select id, state from tool_calls where tenant_id = $1 and id = any ($2)',
  { name: 'gate-call-states' },
);

/** Until the transaction ends, no other transaction adds pending calls of this caller. */
export const lockCaller = advisoryLock<[tenantAndIdentity: string]>('hashtextextended($1, 1)');

/** The ids of each task's first calls. */
export const callIdsOfTasks = statement<
  [tenantId: string, taskIds: readonly string[], maxPerTask: number],
  { id: string }
>(`
  select c.id
  from unnest($2::text[]) task (id)
  cross join lateral (
    select id from tool_calls where tenant_id = $1 and task_id = task.id order by id limit $3
  ) c`);
