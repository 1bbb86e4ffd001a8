import { statement, type StatementRunner } from '../platform/database/statement.js';

/* Transcripts: messages, turns and results. The function is in sql/read.sql. */

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

export const listTaskItems = statement<
  [tenantId: string, taskIds: readonly string[]],
  { taskId: string; at: Date } & ItemRow
>(`
  select task_id as "taskId", kind, body, at from task_items
  where tenant_id = $1 and task_id = any ($2)
  order by task_id, position`);

/** The messages that submitted the tasks. Longer ones than `maxBytes` are left out: opening them takes too long. */
export const listFirstMessages = statement<
  [tenantId: string, taskIds: readonly string[], maxBytes: number],
  { taskId: string } & ItemRow
>(`
  select task_id as "taskId", kind, body from task_items
  where tenant_id = $1 and task_id = any ($2) and position = 1 and kind = 'message' and octet_length(body) <= $3`);

/**
 * How many messages the callers have sent in these tasks and in the tasks that delegated them, directly or not, and
 * whether the tasks have ended.
 */
export const taskConversations = statement<
  [tenantId: string, taskIds: readonly string[]],
  { taskId: string; messageCount: number; isOver: boolean }
>(`
  with recursive line as (
    select t.id as leaf, t.id from unnest($2::uuid[]) as t (id)
    union
    select l.leaf, d.parent_task_id from line l
    join task_delegations d on d.tenant_id = $1 and d.task_id = l.id
    where d.parent_task_id is not null
  )
  select t.id as "taskId", t.state in ('completed', 'failed', 'canceled', 'rejected') as "isOver",
         (select count(*) from line l join task_items i on i.tenant_id = $1 and i.task_id = l.id and i.kind = 'message'
          where l.leaf = t.id)::int as "messageCount"
  from tasks t where t.tenant_id = $1 and t.id = any ($2)`);
