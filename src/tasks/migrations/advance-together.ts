import type { MigrationInterface, QueryRunner } from 'typeorm';
import { advance, advanceAll } from './task-functions.js';

/**
 * What runners write, of many tasks in one statement: transcript items, and with them what becomes of the task. Nothing at
 * all where the lease is no longer the one that the runner claimed. A wait does not begin when the task was woken since: the
 * decision came while the turn was being written. `keep` writes items down and leaves everything else as it is.
 */
export const advanceTogether = `
  create function tasks_advance_all(p_tenant uuid, p_advances json) returns table (nth int, kept boolean, number int)
  language plpgsql as $$
  #variable_conflict use_column
  begin
    perform set_config('app.tenant', p_tenant::text, true);
    return query
      with given as materialized (
        select * from json_to_recordset(p_advances) as a(
          nth int, task uuid, epoch int, items json, turns int, tainted boolean, step text, status json, artifacts json,
          waiting text, due double precision, audit uuid, actor jsonb)
      ), held as materialized ( -- in one order, so that two processes cannot wait for each other
        select t.id, t.lease_epoch, t.items, t.last_event, t.is_woken, t.external_id, t.turns from tasks t
        where t.tenant_id = p_tenant and t.id = any (array(select g.task from given g)) and t.due_at is not null
        order by t.id for no key update
      ), known as materialized (
        select g.*, h.items as items_before, h.last_event, h.external_id, h.turns + g.turns as turns_after,
               not (g.step = 'wait' and g.waiting = 'approval' and h.is_woken) as is_kept
        from given g join held h on h.id = g.task and h.lease_epoch = g.epoch
      ), taken as materialized (
        select k.*, k.status is not null and k.is_kept as is_told, case when k.is_kept then k.step else 'go on' end as becomes from known k
      ), items as (
        insert into task_items (tenant_id, task_id, position, kind, body, at)
        select p_tenant, k.task, k.items_before + i.position, i.item ->> 'kind', i.item ->> 'body', now()
        from taken k cross join lateral json_array_elements(k.items) with ordinality as i(item, position)
      ), events as (
        insert into task_events (tenant_id, task_id, number, status, at)
        select p_tenant, k.task, k.last_event + 1, k.status, now() from taken k where k.is_told
      ), audits as (
        insert into audit_events (tenant_id, id, at, kind, actor, subject, detail)
        select p_tenant, k.audit, now(), 'task.' || (k.status ->> 'state'), k.actor,
               jsonb_build_object('type', 'task', 'id', k.task, 'name', k.external_id),
               jsonb_strip_nulls(jsonb_build_object('turns', k.turns_after, 'code', k.status -> 'error' ->> 'code'))
        from taken k where k.becomes = 'end'
      ), moved as (
        update tasks t set
          items = t.items + json_array_length(k.items),
          turns = k.turns_after,
          is_tainted = t.is_tainted or k.tainted,
          attempts = case when k.becomes = 'retry' then t.attempts else 0 end,
          state = case when k.is_told then k.status ->> 'state' else t.state end,
          status = case when k.is_told then k.status else t.status end,
          last_event = t.last_event + k.is_told::int,
          artifacts = case when k.becomes = 'end' then k.artifacts else t.artifacts end,
          waiting = case when k.becomes = 'wait' then k.waiting when k.becomes in ('keep', 'retry') then t.waiting end,
          is_woken = t.is_woken and k.step in ('keep', 'go on', 'retry'),
          -- while it goes on no indexed column changes, which keeps the update to its page; the lease is renewed by a clock
          due_at = case when k.becomes in ('keep', 'go on') then t.due_at when k.becomes <> 'end' then now() + k.due * interval '1 second' end,
          lease_epoch = t.lease_epoch + case when k.becomes in ('keep', 'go on') then 0 else 1 end,
          worked_ms = t.worked_ms + case when k.becomes in ('wait', 'end')
            then coalesce(extract(epoch from now() - t.working_since) * 1000, 0)::bigint else 0 end,
          working_since = case when k.becomes in ('wait', 'end') then null else t.working_since end,
          updated_at = now()
        from taken k
        -- by any(): a young table has no statistics, and without the index this would read all of it
        where t.tenant_id = p_tenant and t.id = any (array(select g.task from given g)) and t.id = k.task
      )
      select k.nth, k.is_kept, k.last_event + k.is_told::int from taken k;
  end $$`;

export class AdvanceTogether1790000000902 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop function tasks_advance_all, tasks_advance');
    await create(runner, 'tasks_advance_all', [advanceTogether]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function tasks_advance_all');
    await create(runner, 'tasks_advance_all, tasks_advance', [advance, advanceAll]);
  }
}

export async function create(runner: QueryRunner, names: string, definitions: string[]): Promise<void> {
  for (const definition of definitions) await runner.query(definition);
  await runner.query(`revoke all on function ${names} from public`);
  await runner.query(`grant execute on function ${names} to cs_app`);
}
