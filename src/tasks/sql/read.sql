-- Reads for callers and runners, for many tasks in one round trip. Each function sets the tenant, because each call is
-- its own transaction.

create or replace function tasks_find(p_tenant uuid, p_owners uuid[], p_externals text[])
returns table (nth int, task_id uuid, status json, artifacts json, number int, context text)
language plpgsql
as $$
begin
  perform set_config('app.tenant', p_tenant::text, true);
  return query
    select a.nth::int, t.id, t.status, t.artifacts, t.last_event, t.context_id
    from unnest(p_owners, p_externals) with ordinality as a(owner, external, nth)
    join tasks t on t.tenant_id = p_tenant and t.owner_id = a.owner and t.external_id = a.external;
end $$;

create or replace function tasks_events_after(p_tenant uuid, p_tasks uuid[], p_after int[])
returns table (task_id uuid, number int, status json, artifacts json, chunk json)
language plpgsql
as $$
begin
  perform set_config('app.tenant', p_tenant::text, true);
  return query
    select e.task_id, e.number, e.status, case when e.status ->> 'state' = 'completed' then t.artifacts end, e.chunk
    from unnest(p_tasks, p_after) as f(task_id, after)
    join task_events e on e.tenant_id = p_tenant and e.task_id = f.task_id and e.number > f.after
    join tasks t on t.tenant_id = e.tenant_id and t.id = e.task_id
    order by e.task_id, e.number;
end $$;

-- Transcript items of the given kinds, in order.
create or replace function tasks_transcript(p_tenant uuid, p_tasks uuid[], p_kinds text[])
returns table (task_id uuid, kind text, body text)
language plpgsql
as $$
begin
  perform set_config('app.tenant', p_tenant::text, true);
  return query
    select t.id, i.kind, i.body
    from unnest(p_tasks) as t(id)
    cross join lateral (
      select o.kind, o.body from task_items o
      where o.tenant_id = p_tenant and o.task_id = t.id and o.kind = any (p_kinds)
      order by o.position) i;
end $$;

revoke all on function tasks_find, tasks_events_after, tasks_transcript from public;
grant execute on function tasks_find, tasks_events_after, tasks_transcript to cs_app;
