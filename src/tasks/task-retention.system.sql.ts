import { statement } from '../platform/database/statement.js';

/** Removes tasks that nobody works on, after `days` days without activity, with all their rows. */
export const sweepTasks = statement<[days: number, limit: number]>(
  `
    with old as (
      select tenant_id, id from tasks
      where updated_at < now() - $1 * interval '1 day' and state not in ('submitted', 'working')
      limit $2 for update skip locked
    ), events as (
      delete from task_events e using old where e.tenant_id = old.tenant_id and e.task_id = old.id
    ), delegations as (
      delete from task_delegations d using old where d.tenant_id = old.tenant_id and d.task_id = old.id
    ), items as (
      delete from task_items i using old where i.tenant_id = old.tenant_id and i.task_id = old.id
    )
    delete from tasks t using old where t.tenant_id = old.tenant_id and t.id = old.id`,
  { name: 'tasks-sweep' },
);

/** Removes delegations to remote agents after `days` days, at least 4: every delegation has ended by then. */
export const sweepRemoteDelegations = statement<[days: number, limit: number]>(
  `
    delete from task_delegations d using (
      select o.tenant_id, o.call_id from task_delegations o
      join remote_delegations r on r.tenant_id = o.tenant_id and r.call_id = o.call_id
      where o.created_at < now() - greatest($1, 4) * interval '1 day' limit $2
    ) old
    where d.tenant_id = old.tenant_id and d.call_id = old.call_id`,
  { name: 'delegations-sweep' },
);
