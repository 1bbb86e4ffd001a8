import type { Tx } from '../../platform/database/tx.js';
import type { Artifact } from '../../agent/agent-model.port.js';
import type { TaskContentService } from '../task-content.service.js';
import type { TaskStatus } from '../task.entity.js';

export interface Delegation {
  callId: string;
  taskId: string;
  parentTaskId: string | null;
  /** Position of the newest parent message that was handled for this task. */
  heard: number;
  createdAt: Date;
}

/** The delegated task, and whether its parent has ended. */
export interface DelegatedTask extends Delegation {
  /** Null: not submitted yet. */
  status: TaskStatus | null;
  artifacts: Artifact[] | null;
  isTainted: boolean;
  isParentOver: boolean;
}

const findDelegationStatement = {
  name: 'delegation-find',
  text: `
    select d.call_id as "callId", d.task_id as "taskId", d.parent_task_id as "parentTaskId", d.heard, d.created_at as "createdAt",
           t.status, t.artifacts, coalesce(t.is_tainted, false) as "isTainted",
           coalesce(p.state in ('completed', 'failed', 'canceled', 'rejected'), false) as "isParentOver"
    from task_delegations d
    left join tasks t on t.tenant_id = d.tenant_id and t.id = d.task_id
    left join tasks p on p.tenant_id = d.tenant_id and p.id = d.parent_task_id
    where d.tenant_id = $1 and d.call_id = $2`,
};
export async function findDelegation(tx: Tx, tenantId: string, callId: string): Promise<DelegatedTask | null> {
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<DelegatedTask>({ ...findDelegationStatement, values: [tenantId, callId] });
  return rows[0] ?? null;
}

/** Returns the size of the tree that this call would join, and locks it against growth until the transaction ends. */
export async function lockDelegationTree(
  tx: Tx,
  tenantId: string,
  topId: string,
): Promise<{ rootId: string; tasks: number; turns: number }> {
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<{ rootId: string }>({
    name: 'delegation-root',
    text: `select coalesce((select root_id from task_delegations where tenant_id = $1 and task_id = $2), $2) as "rootId"`,
    values: [tenantId, topId],
  });
  const [{ rootId }] = rows;
  await connection.query('select pg_advisory_xact_lock(hashtextextended($1, 2))', [`${tenantId} ${rootId}`]);
  const counted = await connection.query<{ tasks: number; turns: number }>({
    name: 'delegation-tree',
    text: `
      select count(*)::int as tasks, coalesce(sum(t.turns), 0)::int as turns from task_delegations d
      left join tasks t on t.tenant_id = d.tenant_id and t.id = d.task_id
      where d.tenant_id = $1 and d.root_id = $2`,
    values: [tenantId, rootId],
  });
  return { rootId, ...counted.rows[0] };
}

export async function addDelegation(
  tx: Tx,
  tenantId: string,
  {
    callId,
    taskId,
    parentTaskId,
    rootId,
    isTainted,
  }: { callId: string; taskId: string; parentTaskId: string | null; rootId: string; isTainted: boolean },
): Promise<void> {
  const connection = await pipelineOf(tx);
  await connection.query({
    name: 'delegation-add',
    text: `
      insert into task_delegations (tenant_id, call_id, task_id, parent_task_id, root_id, is_tainted, heard)
      values ($1, $2, $3, $4, $5, $6, coalesce((select items from tasks where tenant_id = $1 and id = $4), 0))
      on conflict (tenant_id, call_id) do nothing`,
    values: [tenantId, callId, taskId, parentTaskId, rootId, isTainted],
  });
}

/**
 * Unhandled parent messages of tenant $1, each joined to the delegation whose question was shown when the message
 * arrived. The parent may show another question by now. A message and its `submitted` event are written in one
 * transaction, so their times are equal.
 */
const pendingReplies = `
  task_delegations d
  join task_items i on i.tenant_id = d.tenant_id and i.task_id = d.parent_task_id and i.position > d.heard and i.kind = 'message'
  join task_events s on s.tenant_id = i.tenant_id and s.task_id = i.task_id and s.at = i.at and s.status ->> 'state' = 'submitted'
  where d.tenant_id = $1 and d.call_id::text = (
    select e.status -> 'metadata' ->> 'callId' from task_events e
    where e.tenant_id = $1 and e.task_id = i.task_id and e.number < s.number and e.status ->> 'state' = 'input-required'
    order by e.number desc limit 1)`;

export interface PendingReply {
  position: number;
  body: string;
}
/** The oldest unhandled reply to the question of this call's agent. */
export async function findPendingReply(
  tx: Tx,
  tenantId: string,
  callId: string,
  content: TaskContentService,
): Promise<PendingReply | null> {
  const connection = await pipelineOf(tx);
  const text = `select i.position, i.body, i.task_id as "taskId" from ${pendingReplies} and d.call_id = $2 order by i.position limit 1`;
  const statement = { name: 'delegation-unheard', text, values: [tenantId, callId] };
  const [row] = (await connection.query<PendingReply & { taskId: string }>(statement)).rows;
  if (!row) return null;
  const { position, taskId } = row;
  return { position, body: content.openItem(taskId, { kind: 'message', body: row.body }).body };
}

/**
 * Makes the task due if a reply arrived while the task was entering its wait, even a reply to another agent's question.
 */
export async function makeDueIfReplyPending(tx: Tx, tenantId: string, taskId: string): Promise<boolean> {
  const connection = await pipelineOf(tx);
  const { rowCount } = await connection.query({
    name: 'delegation-due',
    text: `
      update tasks set due_at = now()
      where tenant_id = $1 and id = $2 and due_at is not null and exists (
        select from ${pendingReplies} and d.parent_task_id = $2 and (
          exists (select from tasks t where t.tenant_id = $1 and t.id = d.task_id and t.state = 'input-required')
          or exists (
            select from remote_delegations r
            where r.tenant_id = $1 and r.call_id = d.call_id and r.standing ->> 'state' = 'input-required')))`,
    values: [tenantId, taskId],
  });
  return rowCount === 1;
}

/**
 * Records that the message replied to this call's agent, so it counts neither as a reply to another agent nor as a
 * request to the task itself. An undelivered message may be sent again with the same text.
 */
export async function markReplyHandled(
  tx: Tx,
  tenantId: string,
  callId: string,
  { position, isDelivered = true }: { position: number; isDelivered?: boolean },
): Promise<void> {
  const connection = await pipelineOf(tx);
  await connection.query({
    name: 'delegation-heard',
    text: `
      with replied as (
        insert into task_replies (tenant_id, task_id, position, call_id)
        select tenant_id, parent_task_id, $3, call_id from task_delegations
        where tenant_id = $1 and call_id = $2 and parent_task_id is not null
        on conflict (tenant_id, task_id, position) do nothing
      ), forgotten as (
        update task_items i set hash = null from task_delegations d
        where not $4 and d.tenant_id = $1 and d.call_id = $2 and i.tenant_id = $1 and i.task_id = d.parent_task_id and i.position = $3
      )
      update task_delegations set heard = $3 where tenant_id = $1 and heard < $3
        and parent_task_id = (select parent_task_id from task_delegations where tenant_id = $1 and call_id = $2)`,
    values: [tenantId, callId, position, isDelivered],
  });
}

/** The positions of the messages that were replies to delegated agents. */
export async function listDelegateReplies(
  tx: Tx,
  tenantId: string,
  taskIds: readonly string[],
): Promise<{ taskId: string; position: number }[]> {
  const connection = await pipelineOf(tx);
  const text = 'select task_id as "taskId", position from task_replies where tenant_id = $1 and task_id = any ($2)';
  const statement = { name: 'delegation-replies', text, values: [tenantId, taskIds] };
  return (await connection.query<{ taskId: string; position: number }>(statement)).rows;
}

/** Open tasks that this task delegated. */
export async function listOpenChildren(tx: Tx, tenantId: string, parentTaskId: string): Promise<string[]> {
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<{ id: string }>({
    name: 'delegation-children',
    text: `
      select t.id from task_delegations d join tasks t on t.tenant_id = d.tenant_id and t.id = d.task_id
      where d.tenant_id = $1 and d.parent_task_id = $2 and t.state in ('submitted', 'working', 'input-required')
      order by t.id`,
    values: [tenantId, parentTaskId],
  });
  return rows.map(({ id }) => id);
}

/** Makes the parent task due without a change of the status that its caller sees. Null: no parent waits. */
export async function wakeParent(tx: Tx, tenantId: string, taskId: string): Promise<string | null> {
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<{ id: string }>({
    name: 'delegation-wake',
    text: `
      update tasks p set
        is_woken = p.is_woken or p.working_since is not null,
        due_at = case when p.waiting in ('approval', 'information') then now() else p.due_at end
      from task_delegations d
      where d.tenant_id = $1 and d.task_id = $2 and p.tenant_id = $1 and p.id = d.parent_task_id and p.due_at is not null
      returning p.id`,
    values: [tenantId, taskId],
  });
  return rows[0]?.id ?? null;
}
