-- Stores messages of callers, for many tasks in one statement. Returns one outcome per message, by its `nth`:
--   created      no task had the caller's id
--   same         the task already has this message
--   exists       the task exists and does not wait for a message
--   continuable  the task waits for a message. Nothing is stored, because a message is sealed for the id of its task:
--                the caller sends it again with `continues`, sealed for the id in `task_id`
--   continued    the task continues with the message
--   stored       the message is stored for the next turn: it cannot decide an approval or end a quarantine
-- Without `continues`, no statement here waits for a locked task.
create or replace function tasks_submit(p_tenant uuid, p_messages json)
returns table (nth int, outcome text, task_id uuid, status json, number int)
language plpgsql
as $$
#variable_conflict use_column
declare
  created_nths int[];
  created_ids uuid[];
  created_statuses json[];
  message record;
  task record;
begin
  perform set_config('app.tenant', p_tenant::text, true);

  with messages as materialized (
    select * from json_to_recordset(p_messages) as m(
      nth int, id uuid, owner uuid, external text, configuration uuid, context text, key uuid, principal json, trace json, status json,
      hash text, message text, audit uuid, actor jsonb, request uuid)
  ), created as (
    insert into tasks (tenant_id, id, owner_id, external_id, configuration_id, context_id, key_id, principal, trace, state, status,
                       last_event, items, turns, is_tainted, is_woken, due_at, lease_epoch, attempts, worked_ms, created_at, updated_at)
    select p_tenant, m.id, m.owner, m.external, m.configuration, m.context, m.key, m.principal, m.trace, 'submitted', m.status,
           1, 1, 0, false, false, now(), 0, 0, 0, now(), now()
    from messages m order by m.owner, m.external -- a fixed order, so that two batches with the same ids cannot deadlock
    on conflict (tenant_id, owner_id, external_id) do nothing
    returning id
  ), new_messages as materialized (
    select m.* from messages m join created c on c.id = m.id
  ), events as (
    insert into task_events (tenant_id, task_id, number, status, at)
    select p_tenant, m.id, 1, m.status, now() from new_messages m
  ), items as (
    insert into task_items (tenant_id, task_id, position, kind, hash, body, at)
    select p_tenant, m.id, 1, 'message', decode(m.hash, 'hex'), m.message, now() from new_messages m
  ), audits as (
    insert into audit_events (tenant_id, id, at, kind, actor, subject, detail, request_id)
    select p_tenant, m.audit, now(), 'task.submitted', m.actor, jsonb_build_object('type', 'task', 'id', m.id, 'name', m.external),
           jsonb_build_object('configurationId', m.configuration), m.request
    from new_messages m
  )
  select coalesce(array_agg(m.nth), '{}'), array_agg(m.id), array_agg(m.status)
  into created_nths, created_ids, created_statuses from new_messages m;

  return query select c.nth, 'created', c.id, c.status, 1 from unnest(created_nths, created_ids, created_statuses) as c(nth, id, status);
  if cardinality(created_nths) = json_array_length(p_messages) then
    return;
  end if;

  for message in
    select m.*, t.id as task_id
    from json_to_recordset(p_messages) as m(
      nth int, id uuid, owner uuid, external text, key uuid, principal json, trace json, status json, hash text, message text, audit uuid,
      actor jsonb, request uuid, continues boolean)
    join tasks t on t.tenant_id = p_tenant and t.owner_id = m.owner and t.external_id = m.external
    where m.nth <> all (created_nths)
    order by t.id, m.nth -- the lock order of the other functions
  loop
    if message.continues and message.id = message.task_id then
      perform from tasks t where t.tenant_id = p_tenant and t.id = message.task_id for update;
    end if;
    select t.id, t.status, t.waiting, t.state, t.last_event, t.items into task from tasks t
    where t.tenant_id = p_tenant and t.id = message.task_id;
    if not found then
      continue; -- removed meanwhile
    end if;

    if exists (select from task_items i where i.tenant_id = p_tenant and i.task_id = task.id and i.hash = decode(message.hash, 'hex')) then
      return query select message.nth, 'same', task.id, task.status, task.last_event;
      continue;
    end if;
    if task.state <> 'input-required' then
      return query select message.nth, 'exists', task.id, task.status, task.last_event;
      continue;
    end if;
    if message.continues is not true or message.id <> task.id then
      return query select message.nth, 'continuable', task.id, task.status, task.last_event;
      continue;
    end if;

    insert into task_items (tenant_id, task_id, position, kind, hash, body, at)
    values (p_tenant, task.id, task.items + 1, 'message', decode(message.hash, 'hex'), message.message, now());
    insert into audit_events (tenant_id, id, at, kind, actor, subject, detail, request_id)
    values (p_tenant, message.audit, now(), 'task.continued', message.actor,
            jsonb_build_object('type', 'task', 'id', task.id, 'name', message.external),
            jsonb_build_object('waitedFor', task.waiting), message.request);
    if task.waiting in ('approval', 'quarantine') then
      update tasks t set items = t.items + 1, updated_at = now() where t.tenant_id = p_tenant and t.id = task.id;
      return query select message.nth, 'stored', task.id, task.status, task.last_event;
      continue;
    end if;

    insert into task_events (tenant_id, task_id, number, status, at)
    values (p_tenant, task.id, task.last_event + 1, message.status, now());
    update tasks t set
      items = t.items + 1, state = 'submitted', status = message.status, waiting = null, due_at = now(), is_claimed = false,
      lost_processes = 0, key_id = message.key, principal = message.principal, trace = message.trace, last_event = t.last_event + 1,
      updated_at = now()
    where t.tenant_id = p_tenant and t.id = task.id;
    return query select message.nth, 'continued', task.id, message.status, task.last_event + 1;
  end loop;
end $$;

revoke all on function tasks_submit from public;
grant execute on function tasks_submit to cs_app;
