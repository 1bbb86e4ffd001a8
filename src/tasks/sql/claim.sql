-- Claims due tasks, oldest first, up to each key's limit of working tasks. The advisory lock per key makes the count
-- exact across processes; keys are locked in order, so that two claims cannot deadlock.
--
-- A lease that was not released belonged to a process that died. Such a task is not started here: a claim of suspects
-- takes it over (see claims.system.sql.ts), unless it was woken while a process worked on it: then it is simply claimed
-- again.
create or replace function tasks_claim(p_most int, p_lease double precision, p_per_key int, p_status json)
returns table (
  tenant_id uuid, task_id uuid, configuration_id uuid, principal json, trace json, status json, waiting text, number int,
  is_told boolean, turns int, is_tainted boolean, lease_epoch int, attempts int, worked_ms bigint
)
language plpgsql
as $$
#variable_conflict use_column
declare
  due record;
  free int;
  moment timestamptz := clock_timestamp();
begin
  for due in
    with recursive keys as ( -- each key with queued tasks, one index lookup per key
      (select t.key_id from tasks t
       where t.due_at is not null and (t.state <> 'working' or t.waiting is not null) and t.lost_processes = 0
       order by t.key_id limit 1)
      union all
      select (
        select t.key_id from tasks t
        where t.due_at is not null and (t.state <> 'working' or t.waiting is not null) and t.lost_processes = 0
          and t.key_id > keys.key_id
        order by t.key_id limit 1)
      from keys where keys.key_id is not null
    )
    select oldest.key_id, count(*)::int as tasks from (
      select keys.key_id, t.due_at from keys cross join lateral (
        select q.due_at from tasks q
        where q.key_id = keys.key_id and q.due_at <= moment and (q.state <> 'working' or q.waiting is not null) and q.lost_processes = 0
        order by q.due_at
        limit greatest(0, p_per_key - (
          select count(*) from tasks w where w.key_id = keys.key_id and w.state = 'working' and w.waiting is null))
      ) t
      order by t.due_at limit p_most
    ) oldest group by oldest.key_id order by oldest.key_id
  loop
    perform pg_advisory_xact_lock(hashtextextended(due.key_id::text, 900));
    select p_per_key - count(*) into free from tasks w where w.key_id = due.key_id and w.state = 'working' and w.waiting is null;
    return query
      with picked as (
        select q.tenant_id, q.id,
          q.state = 'submitted' or q.waiting in ('pause', 'time') or (q.waiting = 'approval' and q.is_woken) as is_resumed,
          q.state <> 'working' and (q.state = 'submitted' or q.is_woken) as is_told,
          q.is_claimed and not q.is_woken as is_lost
        from tasks q
        where q.key_id = due.key_id and q.due_at <= moment and (q.state <> 'working' or q.waiting is not null) and q.lost_processes = 0
        order by q.due_at limit greatest(0, least(free, due.tasks)) for update skip locked
      ), claimed as (
        update tasks t set
          lease_epoch = t.lease_epoch + 1,
          attempts = t.attempts + 1,
          due_at = case when p.is_lost then t.due_at else clock_timestamp() + p_lease * interval '1 second' end,
          is_claimed = not p.is_lost,
          lost_processes = p.is_lost::int,
          waiting = case when p.is_resumed then null else t.waiting end,
          is_woken = false,
          state = case when p.is_told then 'working' else t.state end,
          status = case when p.is_told then p_status else t.status end,
          last_event = t.last_event + p.is_told::int,
          working_since = case when p.is_lost then t.working_since else clock_timestamp() end,
          updated_at = now()
        from picked p where t.tenant_id = p.tenant_id and t.id = p.id
        returning t.*, p.is_told, p.is_lost
      ), events as (
        insert into task_events (tenant_id, task_id, number, status, at)
        select c.tenant_id, c.id, c.last_event, p_status, now() from claimed c where c.is_told
      )
      select c.tenant_id, c.id, c.configuration_id, c.principal, c.trace, c.status, c.waiting, c.last_event, c.is_told, c.turns,
             c.is_tainted, c.lease_epoch, c.attempts, c.worked_ms
      from claimed c where not c.is_lost;
  end loop;
end $$;

revoke all on function tasks_claim from public;
grant execute on function tasks_claim to cs_system;
