-- Writes the results of runners, for many tasks in one statement: transcript items together with the next step of the
-- task. Nothing is written if the lease is no longer the one that the runner claimed. A wait does not begin if the task
-- was woken meanwhile: the decision came while the turn was being written. `keep` stores items and changes nothing
-- else.
create or replace function tasks_advance(p_tenant uuid, p_advances json) returns table (nth int, is_applied boolean, number int)
language plpgsql
as $$
#variable_conflict use_column
begin
  perform set_config('app.tenant', p_tenant::text, true);
  return query
    with advances as materialized (
      select * from json_to_recordset(p_advances) as a(
        nth int, task uuid, epoch int, items json, turns int, tainted boolean, step text, status json, chunk json, artifacts json,
        unworked double precision, waiting text, due double precision, audit uuid, actor jsonb)
    ), locked as materialized ( -- in a fixed order, so that two processes cannot deadlock
      select t.id, t.lease_epoch, t.items, t.last_event, t.is_woken, t.external_id, t.turns from tasks t
      where t.tenant_id = p_tenant and t.id = any (array(select a.task from advances a)) and t.due_at is not null
      order by t.id for no key update
    ), fenced as materialized (
      select a.*, l.items as items_before, l.last_event, l.external_id, l.turns + a.turns as turns_after,
             not (a.step = 'wait' and a.waiting = 'approval' and l.is_woken) as is_applied
      from advances a join locked l on l.id = a.task and l.lease_epoch = a.epoch
    ), resolved as materialized (
      select f.*, f.status is not null and f.is_applied as has_event, case when f.is_applied then f.step else 'go on' end as next_step
      from fenced f
    ), items as (
      insert into task_items (tenant_id, task_id, position, kind, body, at)
      select p_tenant, r.task, r.items_before + i.position, i.item ->> 'kind', i.item ->> 'body', now()
      from resolved r cross join lateral json_array_elements(r.items) with ordinality as i(item, position)
    ), events as (
      insert into task_events (tenant_id, task_id, number, status, chunk, at)
      select p_tenant, r.task, r.last_event + 1, r.status, r.chunk, now() from resolved r where r.has_event
    ), audits as (
      insert into audit_events (tenant_id, id, at, kind, actor, subject, detail)
      select p_tenant, r.audit, now(), 'task.' || (r.status ->> 'state'), r.actor,
             jsonb_build_object('type', 'task', 'id', r.task, 'name', r.external_id),
             jsonb_strip_nulls(jsonb_build_object('turns', r.turns_after, 'code', r.status -> 'error' ->> 'code'))
      from resolved r where r.next_step = 'end'
    ), updated as (
      update tasks t set
        items = t.items + json_array_length(r.items),
        turns = r.turns_after,
        is_tainted = t.is_tainted or r.tainted,
        attempts = case when r.next_step = 'retry' then t.attempts else 0 end,
        is_claimed = t.is_claimed and r.next_step in ('keep', 'go on'),
        -- progress ends the suspicion; a wait that only postpones the step is not progress
        lost_processes = case
          when r.next_step = 'retry' or r.next_step = 'wait' and r.waiting in ('pause', 'time') and json_array_length(r.items) = 0
          then t.lost_processes else 0 end,
        state = case when r.has_event then r.status ->> 'state' else t.state end,
        status = case when r.has_event then r.status else t.status end,
        last_event = t.last_event + r.has_event::int,
        artifacts = case when r.next_step = 'end' then coalesce(r.artifacts, t.artifacts)
                         when r.has_event and r.chunk is not null then tasks_add_chunk(t.artifacts, r.chunk) else t.artifacts end,
        waiting = case when r.next_step = 'wait' then r.waiting when r.next_step in ('keep', 'retry') then t.waiting end,
        is_woken = t.is_woken and r.step in ('keep', 'go on', 'retry'),
        -- while the task continues, no indexed column changes, so the update stays on its page; a timer renews the lease
        due_at = case when r.next_step in ('keep', 'go on') then t.due_at
                      when r.next_step <> 'end' then now() + r.due * interval '1 second' end,
        lease_epoch = t.lease_epoch + case when r.next_step in ('keep', 'go on') then 0 else 1 end,
        worked_ms = t.worked_ms + case when r.next_step in ('wait', 'end')
          then coalesce(extract(epoch from now() - t.working_since) * 1000 - r.unworked, 0)::bigint else 0 end,
        working_since = case when r.next_step in ('wait', 'end') then null else t.working_since end,
        updated_at = now()
      from resolved r
      -- any() forces the index: a new table has no statistics, and the planner would scan all of it
      where t.tenant_id = p_tenant and t.id = any (array(select a.task from advances a)) and t.id = r.task
    )
    select r.nth, r.is_applied, r.last_event + r.has_event::int from resolved r;
end $$;

revoke all on function tasks_advance from public;
grant execute on function tasks_advance to cs_app;
