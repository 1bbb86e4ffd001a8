import { advisoryLock } from '../platform/database/advisory-lock.js';
import { statement } from '../platform/database/statement.js';
import type { Tx } from '../platform/database/tx.js';
import type { Artifact } from '../agent/agent-model.port.js';
import type { TaskContentService } from './task-content.service.js';
import type { TaskStatus } from './task.entity.js';

export interface Delegation {
  callId: string;
  taskId: string;
  parentTaskId: string | null;
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

export const findDelegation = statement<[tenantId: string, callId: string], DelegatedTask>(
  `
    select d.call_id as "callId", d.task_id as "taskId", d.parent_task_id as "parentTaskId", d.created_at as "createdAt",
           t.status, t.artifacts, coalesce(t.is_tainted, false) as "isTainted",
           coalesce(p.state in ('completed', 'failed', 'canceled', 'rejected'), false) as "isParentOver"
    from task_delegations d
    left join tasks t on t.tenant_id = d.tenant_id and t.id = d.task_id
    left join tasks p on p.tenant_id = d.tenant_id and p.id = d.parent_task_id
    where d.tenant_id = $1 and d.call_id = $2`,
  { name: 'delegation-find' },
);

export const rootOfTask = statement<[tenantId: string, taskId: string], { rootId: string }>(
  `select coalesce((select root_id from task_delegations where tenant_id = $1 and task_id = $2), $2) as "rootId"`,
  { name: 'delegation-root' },
);
export const lockTree = advisoryLock<[tenantAndRootId: string]>('hashtextextended($1, 2)');
export const treeSize = statement<[tenantId: string, rootId: string], { tasks: number; turns: number }>(
  `
    select count(*)::int as tasks, coalesce(sum(t.turns), 0)::int as turns from task_delegations d
    left join tasks t on t.tenant_id = d.tenant_id and t.id = d.task_id
    where d.tenant_id = $1 and d.root_id = $2`,
  { name: 'delegation-tree' },
);

/** Returns the size of the tree that this call would join, and locks it against growth until the transaction ends. */
export async function lockDelegationTree(
  tx: Tx,
  tenantId: string,
  topId: string,
): Promise<{ rootId: string; tasks: number; turns: number }> {
  const [{ rootId }] = await tx.run(rootOfTask, [tenantId, topId]);
  await tx.execute(lockTree, [`${tenantId} ${rootId}`]);
  const [size] = await tx.run(treeSize, [tenantId, rootId]);
  return { rootId, ...size };
}

/** How many of these tasks, and of the tasks that delegated them, directly or not, are unfinished; of those that have any. */
export const unfinishedTaskCounts = statement<
  [tenantId: string, taskIds: readonly string[]],
  { taskId: string; count: number }
>(`
  with recursive line as (
    select t.id as leaf, t.id from unnest($2::uuid[]) as t (id)
    union
    select l.leaf, d.parent_task_id from line l
    join task_delegations d on d.tenant_id = $1 and d.task_id = l.id
    where d.parent_task_id is not null
  )
  select l.leaf as "taskId", count(*)::int as count from line l
  join tasks t on t.tenant_id = $1 and t.id = l.id and t.state in ('submitted', 'working', 'input-required')
  group by l.leaf`);

export const addDelegation = statement<
  [tenantId: string, callId: string, taskId: string, parentTaskId: string | null, rootId: string, isTainted: boolean]
>(
  `
    insert into task_delegations (tenant_id, call_id, task_id, parent_task_id, root_id, is_tainted, heard)
    values ($1, $2, $3, $4, $5, $6, coalesce((select items from tasks where tenant_id = $1 and id = $4), 0))
    on conflict (tenant_id, call_id) do nothing`,
  { name: 'delegation-add' },
);

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

export const oldestPendingReply = statement<[tenantId: string, callId: string], PendingReply & { taskId: string }>(
  `select i.position, i.body, i.task_id as "taskId" from ${pendingReplies} and d.call_id = $2 order by i.position limit 1`,
  { name: 'delegation-pending-reply' },
);

/** The oldest unhandled reply to the question of this call's agent. */
export async function findPendingReply(
  tx: Tx,
  tenantId: string,
  callId: string,
  content: TaskContentService,
): Promise<PendingReply | null> {
  const row = await tx.one(oldestPendingReply, [tenantId, callId]);
  if (!row) return null;
  const { position, taskId } = row;
  return { position, body: content.openItem(taskId, { kind: 'message', body: row.body }).body };
}

/**
 * Makes the task due if a reply arrived while the task was entering its wait, even a reply to another agent's question.
 */
export const makeDueIfReplyPending = statement<[tenantId: string, taskId: string]>(
  `
    update tasks set due_at = now()
    where tenant_id = $1 and id = $2 and due_at is not null and exists (
      select from ${pendingReplies} and d.parent_task_id = $2 and (
        exists (select from tasks t where t.tenant_id = $1 and t.id = d.task_id and t.state = 'input-required')
        or exists (
          select from remote_delegations r
          where r.tenant_id = $1 and r.call_id = d.call_id and r.standing ->> 'state' = 'input-required')))`,
  { name: 'delegation-due' },
);

/**
 * Records that the message replied to this call's agent, so it counts neither as a reply to another agent nor as a
 * request to the task itself. An undelivered message may be sent again with the same text.
 */
export const markReplyHandled = statement<[tenantId: string, callId: string, position: number, isDelivered: boolean]>(
  `
    with replied as (
      insert into task_replies (tenant_id, task_id, position, call_id)
      select tenant_id, parent_task_id, $3, call_id from task_delegations
      where tenant_id = $1 and call_id = $2 and parent_task_id is not null
      on conflict (tenant_id, task_id, position) do nothing
    ), unhashed as (
      update task_items i set hash = null from task_delegations d
      where not $4 and d.tenant_id = $1 and d.call_id = $2 and i.tenant_id = $1 and i.task_id = d.parent_task_id and i.position = $3
    )
    update task_delegations set heard = $3 where tenant_id = $1 and heard < $3
      and parent_task_id = (select parent_task_id from task_delegations where tenant_id = $1 and call_id = $2)`,
  { name: 'delegation-reply-handled' },
);

/** The positions of the messages that were replies to delegated agents. */
export const listDelegateReplies = statement<
  [tenantId: string, taskIds: readonly string[]],
  { taskId: string; position: number }
>('select task_id as "taskId", position from task_replies where tenant_id = $1 and task_id = any ($2)', {
  name: 'delegation-replies',
});

/** Open tasks that this task delegated. */
export const listOpenChildren = statement<[tenantId: string, parentTaskId: string], { id: string }>(
  `
    select t.id from task_delegations d join tasks t on t.tenant_id = d.tenant_id and t.id = d.task_id
    where d.tenant_id = $1 and d.parent_task_id = $2 and t.state in ('submitted', 'working', 'input-required')
    order by t.id`,
  { name: 'delegation-children' },
);

/** Makes the parent task due without a change of the status that its caller sees. No row: no parent waits. */
export const wakeParent = statement<[tenantId: string, taskId: string], { id: string }>(
  `
    update tasks p set
      is_woken = p.is_woken or p.working_since is not null,
      due_at = case when p.waiting in ('approval', 'information') then now() else p.due_at end
    from task_delegations d
    where d.tenant_id = $1 and d.task_id = $2 and p.tenant_id = $1 and p.id = d.parent_task_id and p.due_at is not null
    returning p.id`,
  { name: 'delegation-wake' },
);
