import type { EntityManager } from 'typeorm';
import { client } from '../platform/database/database.service.js';
import type { CallState, ToolCall } from './tool-call.entity.js';

/* Each move of a row is one conditional statement: it happens in the state that it was decided in, or not at all. */

const columns = [
  ['tenant_id', 'tenantId'],
  ['id', 'id'],
  ['configuration_id', 'configurationId'],
  ['task_id', 'taskId'],
  ['call_refs', 'callRefs'],
  ['identity', 'identity'],
  ['caller', 'caller'],
  ['tool', 'tool'],
  ['effect', 'effect'],
  ['connection_id', 'connectionId'],
  ['connection_revision', 'connectionRevision'],
  ['definition_hash', 'definitionHash'],
  ['definition', 'definition'],
  ['arguments_sealed', 'argumentsSealed'],
  ['arguments_hash', 'argumentsHash'],
  ['redacted_arguments', 'redactedArguments'],
  ['policy_ids', 'policyIds'],
  ['policy_revision', 'policyRevision'],
  ['steps', 'steps'],
  ['tainted', 'tainted'],
  ['state', 'state'],
  ['code', 'code'],
  ['reason', 'reason'],
  ['attempts', 'attempts'],
  ['lease_epoch', 'leaseEpoch'],
  ['executor', 'executor'],
  ['executing_until', 'executingUntil'],
  ['retry_key', 'retryKey'],
  ['requested_at', 'requestedAt'],
  ['executed_at', 'executedAt'],
  ['ended_at', 'endedAt'],
  ['delivered_at', 'deliveredAt'],
] as const satisfies readonly (readonly [string, keyof ToolCall])[];

const insertCall = {
  name: 'gate-insert',
  text: `insert into tool_calls (${columns.map(([column]) => column).join(', ')})
         values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
         on conflict (tenant_id, retry_key) where retry_key is not null do nothing`,
};

/** False: the same call is there already. Where it is just being made, this waits for it. */
export async function insert(tx: EntityManager, call: ToolCall): Promise<boolean> {
  const { rowCount } = await (
    await client(tx)
  ).query({ ...insertCall, values: columns.map(([, property]) => call[property]) });
  return rowCount === 1;
}

const standing = {
  name: 'gate-task-standing',
  text: `select count(*) filter (where tool = $3 and state = 'denied' and code in ('policy-denied', 'approval-denied'))::int as denials,
                coalesce(max(lease_epoch), 0) as epoch,
                (array_agg(id order by id desc) filter (
                  where call_refs && $4 and effect <> 'read' and state in ('executing', 'succeeded', 'failed', 'unsettled')))[1] as "sentId"
         from tool_calls where tenant_id = $1 and task_id = $2`,
};

export interface TaskStanding {
  /** How often the tool was denied in the task. */
  denials: number;
  /** The newest lease that the ledger has seen of the task. */
  epoch: number;
  /** This very call of the turn, where it was sent before. */
  sentId: string | null;
}
export async function taskStanding(
  tx: EntityManager,
  { tenantId, taskId, tool, callRefs }: ToolCall,
): Promise<TaskStanding> {
  const { rows } = await (
    await client(tx)
  ).query<TaskStanding>({ ...standing, values: [tenantId, taskId, tool, callRefs] });
  return rows[0];
}

/** The model asked for the same thing again: under this name, too, it is this call. */
export async function answerTo(tx: EntityManager, call: ToolCall, refs: string[]): Promise<void> {
  const more = refs.filter((ref) => !call.callRefs.includes(ref));
  if (!more.length) return;
  call.callRefs = [...call.callRefs, ...more];
  await tx.query('update tool_calls set call_refs = call_refs || $3 where tenant_id = $1 and id = $2', [
    call.tenantId,
    call.id,
    more,
  ]);
}

const recordOutcome = {
  name: 'gate-outcome',
  text: `update tool_calls set state = $4, code = $5, reason = $6, result_sealed = $7, ended_at = clock_timestamp(), executing_until = null,
                delivered_at = case when $8 then clock_timestamp() else delivered_at end,
                retry_key = case when $8 and effect = 'read' then null else retry_key end
         where tenant_id = $1 and id = $2 and state = 'executing' and attempts = $3`,
};

export interface Ended {
  state: Extract<CallState, 'succeeded' | 'failed' | 'unsettled'>;
  code: string | null;
  reason: string | null;
  resultSealed: Buffer | null;
  isDelivered: boolean;
}

/** False: this attempt is not the row's any more; its outcome counts for nothing. */
export async function end(tx: EntityManager, { tenantId, id, attempts }: ToolCall, ended: Ended): Promise<boolean> {
  const { state, code, reason, resultSealed, isDelivered } = ended;
  const values = [tenantId, id, attempts, state, code, reason, resultSealed, isDelivered];
  const { rowCount } = await (await client(tx)).query({ ...recordOutcome, values });
  return rowCount === 1;
}

/** Somebody hears the outcome for the first time. A read is not a retry any more then. */
export async function deliver(tx: EntityManager, { tenantId, id }: ToolCall): Promise<void> {
  await (
    await client(tx)
  ).query({
    name: 'gate-deliver',
    text: `update tool_calls set delivered_at = clock_timestamp(), retry_key = case when effect = 'read' then null else retry_key end
           where tenant_id = $1 and id = $2 and delivered_at is null`,
    values: [tenantId, id],
  });
}

/**
 * Single use: of any number that find the row approved, one makes it execute. With the effect that the tool counts as now:
 * by it a lost call is run again, or not.
 */
export async function claim(
  tx: EntityManager,
  call: ToolCall,
  /** `leaseEpoch` null: no task's process runs it, so no other lease takes it over. */
  start: { executor: string; seconds: number; leaseEpoch: number | null; effect: string },
): Promise<boolean> {
  const { executor, seconds, leaseEpoch, effect } = start;
  const { rows } = await (
    await client(tx)
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

/** Until the transaction ends, nobody else adds to what this caller has pending. */
export async function holdIdentity(tx: EntityManager, { tenantId, identity }: ToolCall): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 1))', [`${tenantId} ${identity}`]);
}
