import type { MigrationInterface, QueryRunner } from 'typeorm';
import { advanceTogether, create } from './advance-together.js';
import { claim, eventsAfter } from './task-functions.js';

/** The artifacts with one more piece: at the end of its artifact, or in the place of what this was. */
const withChunk = `
  create function tasks_with_chunk(p_artifacts json, p_chunk json) returns json language sql immutable as $$
    with before as (
      select a.nth, a.artifact, a.artifact ->> 'artifactId' = p_chunk ->> 'artifactId' as is_same
      from json_array_elements(coalesce(p_artifacts, '[]')) with ordinality as a(artifact, nth)
    ), placed as (
      select nth, case when not is_same then artifact else json_build_object(
        'artifactId', p_chunk -> 'artifactId',
        'name', coalesce(p_chunk ->> 'name', artifact ->> 'name'),
        'parts', case when (p_chunk ->> 'append')::boolean then (
          select json_agg(p.part order by p.piece, p.nth) from (
            select 1 as piece, o.nth, o.part from json_array_elements(artifact -> 'parts') with ordinality as o(part, nth)
            union all
            select 2, n.nth, n.part from json_array_elements(p_chunk -> 'parts') with ordinality as n(part, nth)
          ) p) else p_chunk -> 'parts' end) end as artifact
      from before
      union all
      select 1000000, json_build_object(
        'artifactId', p_chunk -> 'artifactId',
        'name', coalesce(p_chunk ->> 'name', p_chunk ->> 'artifactId'),
        'parts', p_chunk -> 'parts')
      where not exists (select from before where is_same)
    )
    select json_agg(artifact order by nth) from placed $$`;

/** As before, and an event may bring a piece of an artifact, which the task keeps put together. */
export const advanceWithChunks = `
  create function tasks_advance_all(p_tenant uuid, p_advances json) returns table (nth int, kept boolean, number int)
  language plpgsql as $$
  #variable_conflict use_column
  begin
    perform set_config('app.tenant', p_tenant::text, true);
    return query
      with given as materialized (
        select * from json_to_recordset(p_advances) as a(
          nth int, task uuid, epoch int, items json, turns int, tainted boolean, step text, status json, chunk json, artifacts json,
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
        insert into task_events (tenant_id, task_id, number, status, chunk, at)
        select p_tenant, k.task, k.last_event + 1, k.status, k.chunk, now() from taken k where k.is_told
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
          artifacts = case when k.becomes = 'end' then coalesce(k.artifacts, t.artifacts)
                           when k.is_told and k.chunk is not null then tasks_with_chunk(t.artifacts, k.chunk) else t.artifacts end,
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

const eventsWithChunks = `
  create function tasks_events_after(p_tenant uuid, p_tasks uuid[], p_after int[])
  returns table (task_id uuid, number int, status json, artifacts json, chunk json)
  language plpgsql as $$
  begin
    perform set_config('app.tenant', p_tenant::text, true);
    return query
      select e.task_id, e.number, e.status, case when e.status ->> 'state' = 'completed' then t.artifacts end, e.chunk
      from unnest(p_tasks, p_after) as f(task_id, after)
      join task_events e on e.tenant_id = p_tenant and e.task_id = f.task_id and e.number > f.after
      join tasks t on t.tenant_id = e.tenant_id and t.id = e.task_id
      order by e.task_id, e.number;
  end $$`;

export const orReplace = (definition: string) => definition.replace('create function', 'create or replace function');

/** Whoever waits for a time to come is at work again when it has. */
export const claimWithTimes = claim.replace("q.waiting = 'pause'", "q.waiting in ('pause', 'time')");

/** Tasks that go on by themselves after a while, and artifacts that are shown piece by piece. */
export class TaskChunks1790000001431 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table task_events add column chunk json');
    await runner.query('alter table tasks drop constraint tasks_waiting_check');
    await runner.query(`
      alter table tasks add constraint tasks_waiting_check check (waiting in ('information', 'approval', 'pause', 'time'))`);
    await runner.query('drop function tasks_advance_all, tasks_events_after');
    await create(runner, 'tasks_with_chunk, tasks_advance_all, tasks_events_after', [
      withChunk,
      advanceWithChunks,
      eventsWithChunks,
    ]);
    await runner.query(orReplace(claimWithTimes));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(orReplace(claim));
    await runner.query('drop function tasks_advance_all, tasks_events_after, tasks_with_chunk');
    await create(runner, 'tasks_advance_all, tasks_events_after', [advanceTogether, eventsAfter]);
    await runner.query(`update tasks set waiting = 'pause' where waiting = 'time'`);
    await runner.query('alter table tasks drop constraint tasks_waiting_check');
    await runner.query(`
      alter table tasks add constraint tasks_waiting_check check (waiting in ('information', 'approval', 'pause'))`);
    await runner.query('alter table task_events drop column chunk');
  }
}
