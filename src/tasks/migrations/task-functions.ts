import type { MigrationInterface, QueryRunner } from 'typeorm';

/*
 * The hot statements as functions: one round trip each, several rows in one transaction. They run with the caller's rights.
 * Those of a tenant set it themselves, as `Database.tenant` does, since they are transactions of their own.
 */

export const submit = `
  create function tasks_submit(
    p_tenant uuid, p_id uuid, p_owner uuid, p_external text, p_configuration uuid, p_key uuid, p_principal json, p_trace json,
    p_status json, p_hash bytea, p_message text, p_audit_id uuid, p_actor jsonb, p_request uuid
  ) returns table (outcome text, task_id uuid, status json, number int)
  language plpgsql as $$
  #variable_conflict use_column
  declare
    task record;
  begin
    perform set_config('app.tenant', p_tenant::text, true);
    insert into tasks (tenant_id, id, owner_id, external_id, configuration_id, key_id, principal, trace, state, status, last_event,
                       items, turns, is_tainted, is_woken, due_at, lease_epoch, attempts, worked_ms, created_at, updated_at)
    values (p_tenant, p_id, p_owner, p_external, p_configuration, p_key, p_principal, p_trace, 'submitted', p_status, 1,
            1, 0, false, false, now(), 0, 0, 0, now(), now())
    on conflict (tenant_id, owner_id, external_id) do nothing;
    if found then
      insert into task_events (tenant_id, task_id, number, status, at) values (p_tenant, p_id, 1, p_status, now());
      insert into task_items (tenant_id, task_id, position, kind, hash, body, at)
      values (p_tenant, p_id, 1, 'message', p_hash, p_message, now());
      insert into audit_events (tenant_id, id, at, kind, actor, subject, detail, request_id)
      values (p_tenant, p_audit_id, now(), 'task.submitted', p_actor, jsonb_build_object('type', 'task', 'id', p_id, 'name', p_external),
              jsonb_build_object('configurationId', p_configuration), p_request);
      return query select 'created', p_id, p_status, 1;
      return;
    end if;

    select t.id, t.status, t.waiting, t.state, t.last_event, t.items into task from tasks t
    where t.tenant_id = p_tenant and t.owner_id = p_owner and t.external_id = p_external for update;
    if exists (select 1 from task_items i where i.tenant_id = p_tenant and i.task_id = task.id and i.hash = p_hash) then
      return query select 'same', task.id, task.status, task.last_event;
      return;
    end if;
    if task.state <> 'input-required' then
      return query select 'exists', task.id, task.status, task.last_event;
      return;
    end if;
    insert into task_items (tenant_id, task_id, position, kind, hash, body, at)
    values (p_tenant, task.id, task.items + 1, 'message', p_hash, p_message, now());
    insert into audit_events (tenant_id, id, at, kind, actor, subject, detail, request_id)
    values (p_tenant, p_audit_id, now(), 'task.continued', p_actor, jsonb_build_object('type', 'task', 'id', task.id, 'name', p_external),
            jsonb_build_object('waitedFor', task.waiting), p_request);
    if task.waiting = 'approval' then
      -- kept for the next turn; a message never decides
      update tasks t set items = t.items + 1, updated_at = now() where t.tenant_id = p_tenant and t.id = task.id;
      return query select 'stored', task.id, task.status, task.last_event;
      return;
    end if;
    insert into task_events (tenant_id, task_id, number, status, at) values (p_tenant, task.id, task.last_event + 1, p_status, now());
    update tasks t set items = t.items + 1, state = 'submitted', status = p_status, waiting = null, due_at = now(),
                       key_id = p_key, principal = p_principal, trace = p_trace, last_event = t.last_event + 1, updated_at = now()
    where t.tenant_id = p_tenant and t.id = task.id;
    return query select 'continued', task.id, p_status, task.last_event + 1;
  end $$`;

/** Many at once, one transaction: only those whose id was free. The others are for tasks_submit, which looks closer. */
export const submitAll = `
  create function tasks_submit_all(p_tenant uuid, p_tasks json) returns table (task_id uuid)
  language plpgsql as $$
  #variable_conflict use_column
  begin
    perform set_config('app.tenant', p_tenant::text, true);
    return query
      with given as materialized (
        select * from json_to_recordset(p_tasks) as t(
          id uuid, owner uuid, external text, configuration uuid, key uuid, principal json, trace json, status json,
          hash text, message text, audit uuid, actor jsonb, request uuid)
      ), made as (
        insert into tasks (tenant_id, id, owner_id, external_id, configuration_id, key_id, principal, trace, state, status, last_event,
                           items, turns, is_tainted, is_woken, due_at, lease_epoch, attempts, worked_ms, created_at, updated_at)
        select p_tenant, g.id, g.owner, g.external, g.configuration, g.key, g.principal, g.trace, 'submitted', g.status, 1,
               1, 0, false, false, now(), 0, 0, 0, now(), now()
        from given g order by g.owner, g.external -- two batches with the same ids take them in the same order
        on conflict (tenant_id, owner_id, external_id) do nothing
        returning id
      ), events as (
        insert into task_events (tenant_id, task_id, number, status, at)
        select p_tenant, g.id, 1, g.status, now() from given g join made m on m.id = g.id
      ), items as (
        insert into task_items (tenant_id, task_id, position, kind, hash, body, at)
        select p_tenant, g.id, 1, 'message', decode(g.hash, 'hex'), g.message, now() from given g join made m on m.id = g.id
      ), audits as (
        insert into audit_events (tenant_id, id, at, kind, actor, subject, detail, request_id)
        select p_tenant, g.audit, now(), 'task.submitted', g.actor, jsonb_build_object('type', 'task', 'id', g.id, 'name', g.external),
               jsonb_build_object('configurationId', g.configuration), g.request
        from given g join made m on m.id = g.id
      )
      select id from made;
  end $$`;

export const find = `
  create function tasks_find(p_tenant uuid, p_owners uuid[], p_externals text[])
  returns table (nth int, task_id uuid, status json, artifacts json, number int)
  language plpgsql as $$
  begin
    perform set_config('app.tenant', p_tenant::text, true);
    return query select a.nth::int, t.id, t.status, t.artifacts, t.last_event
      from unnest(p_owners, p_externals) with ordinality as a(owner, external, nth)
      join tasks t on t.tenant_id = p_tenant and t.owner_id = a.owner and t.external_id = a.external;
  end $$`;

export const eventsAfter = `
  create function tasks_events_after(p_tenant uuid, p_tasks uuid[], p_after int[])
  returns table (task_id uuid, number int, status json, artifacts json)
  language plpgsql as $$
  begin
    perform set_config('app.tenant', p_tenant::text, true);
    return query
      select e.task_id, e.number, e.status, case when e.status ->> 'state' = 'completed' then t.artifacts end
      from unnest(p_tasks, p_after) as f(task_id, after)
      join task_events e on e.tenant_id = p_tenant and e.task_id = f.task_id and e.number > f.after
      join tasks t on t.tenant_id = e.tenant_id and t.id = e.task_id
      order by e.task_id, e.number;
  end $$`;

const transcript = `
  create function tasks_transcript(p_tenant uuid, p_tasks uuid[]) returns table (task_id uuid, kind text, body text)
  language plpgsql as $$
  begin
    perform set_config('app.tenant', p_tenant::text, true);
    return query select t.id, i.kind, i.body
      from unnest(p_tasks) as t(id)
      cross join lateral (select * from task_items o where o.tenant_id = p_tenant and o.task_id = t.id order by o.position) i;
  end $$`;

/**
 * What a runner writes: transcript items, and with them what becomes of the task. Nothing at all when the lease is no longer
 * the one that the runner claimed. A wait does not begin when the task was woken since: the decision came while the turn was
 * being written.
 */
export const advance = `
  create function tasks_advance(
    p_tenant uuid, p_task uuid, p_epoch int, p_items json, p_turns int, p_tainted boolean, p_step text, p_status json,
    p_artifacts json, p_waiting text, p_due double precision, p_audit_id uuid, p_actor jsonb
  ) returns table (kept boolean, number int)
  language plpgsql as $$
  #variable_conflict use_column
  declare
    task record;
    step text := p_step;
    count int := json_array_length(p_items);
  begin
    perform set_config('app.tenant', p_tenant::text, true);
    select t.items, t.last_event, t.is_woken, t.external_id, t.turns into task from tasks t
    where t.tenant_id = p_tenant and t.id = p_task and t.lease_epoch = p_epoch and t.due_at is not null for no key update;
    if not found then
      return;
    end if;
    if step = 'wait' and p_waiting = 'approval' and task.is_woken then
      step := 'go on';
    end if;
    insert into task_items (tenant_id, task_id, position, kind, body, at)
    select p_tenant, p_task, task.items + i.position, i.item ->> 'kind', i.item ->> 'body', now()
    from json_array_elements(p_items) with ordinality as i(item, position);
    if p_status is not null and step = p_step then
      insert into task_events (tenant_id, task_id, number, status, at) values (p_tenant, p_task, task.last_event + 1, p_status, now());
    end if;
    if step = 'end' then
      insert into audit_events (tenant_id, id, at, kind, actor, subject, detail)
      values (p_tenant, p_audit_id, now(), 'task.' || (p_status ->> 'state'), p_actor,
              jsonb_build_object('type', 'task', 'id', p_task, 'name', task.external_id),
              jsonb_strip_nulls(jsonb_build_object('turns', task.turns + p_turns, 'code', p_status -> 'error' ->> 'code')));
    end if;
    update tasks t set
      items = t.items + count,
      turns = t.turns + p_turns,
      is_tainted = t.is_tainted or p_tainted,
      attempts = case when step = 'retry' then t.attempts else 0 end,
      state = case when p_status is not null and step = p_step then p_status ->> 'state' else t.state end,
      status = case when p_status is not null and step = p_step then p_status else t.status end,
      last_event = t.last_event + case when p_status is not null and step = p_step then 1 else 0 end,
      artifacts = case when step = 'end' then p_artifacts else t.artifacts end,
      waiting = case when step = 'wait' then p_waiting when step = 'retry' then t.waiting else null end,
      is_woken = t.is_woken and p_step in ('go on', 'retry'),
      -- while it goes on no indexed column changes, which keeps the update to its page; the lease is renewed by a clock
      due_at = case step when 'end' then null when 'go on' then t.due_at else now() + p_due * interval '1 second' end,
      lease_epoch = t.lease_epoch + case when step = 'go on' then 0 else 1 end,
      worked_ms = t.worked_ms + case when step = 'wait' or step = 'end'
        then coalesce(extract(epoch from now() - t.working_since) * 1000, 0)::bigint else 0 end,
      working_since = case when step = 'wait' or step = 'end' then null else t.working_since end,
      updated_at = now()
    where t.tenant_id = p_tenant and t.id = p_task;
    return query select step = p_step, task.last_event + case when p_status is not null and step = p_step then 1 else 0 end;
  end $$`;

/** Those of several runs at once; their rows in one order, so that two processes cannot wait for each other. */
export const advanceAll = `
  create function tasks_advance_all(p_tenant uuid, p_advances json) returns table (nth int, kept boolean, number int)
  language plpgsql as $$
  begin
    return query
      select a.nth, done.kept, done.number
      from (
        select * from json_to_recordset(p_advances) as x(
          nth int, task uuid, epoch int, items json, turns int, tainted boolean, step text, status json, artifacts json,
          waiting text, due double precision, audit uuid, actor jsonb)
        order by x.task
      ) a
      cross join lateral tasks_advance(p_tenant, a.task, a.epoch, a.items, a.turns, a.tainted, a.step, a.status, a.artifacts,
                                       a.waiting, a.due, a.audit, a.actor) as done;
  end $$`;

/**
 * Takes tasks that are due, oldest first, of no key more than it may have working. The advisory lock per key makes the count
 * exact across processes; keys are locked in their order, so that two claims cannot wait for each other.
 */
export const claim = `
  create function tasks_claim(p_most int, p_lease double precision, p_per_key int, p_status json)
  returns table (tenant_id uuid, task_id uuid, configuration_id uuid, principal json, trace json, status json, waiting text, number int,
                 is_told boolean, turns int, is_tainted boolean, lease_epoch int, attempts int, worked_ms bigint)
  language plpgsql as $$
  #variable_conflict use_column
  declare
    due record;
    free int;
    moment timestamptz := clock_timestamp();
  begin
    for due in
      with recursive keys as (
        (select t.key_id from tasks t where t.due_at is not null and (t.state <> 'working' or t.waiting is not null)
         order by t.key_id limit 1)
        union all
        select (select t.key_id from tasks t where t.due_at is not null and (t.state <> 'working' or t.waiting is not null)
                and t.key_id > keys.key_id order by t.key_id limit 1)
        from keys where keys.key_id is not null
      )
      select oldest.key_id, count(*)::int as tasks from (
        select keys.key_id, t.due_at from keys cross join lateral (
          select q.due_at from tasks q
          where q.key_id = keys.key_id and q.due_at <= moment and (q.state <> 'working' or q.waiting is not null)
          order by q.due_at
          limit greatest(0, p_per_key - (select count(*) from tasks w where w.key_id = keys.key_id and w.state = 'working' and w.waiting is null))
        ) t
        order by t.due_at limit p_most
      ) oldest group by oldest.key_id order by oldest.key_id
    loop
      perform pg_advisory_xact_lock(hashtextextended(due.key_id::text, 900));
      select p_per_key - count(*) into free from tasks w where w.key_id = due.key_id and w.state = 'working' and w.waiting is null;
      return query
        with picked as (
          select q.tenant_id, q.id,
            q.state = 'submitted' or q.waiting = 'pause' or (q.waiting = 'approval' and q.is_woken) as is_resumed,
            q.state <> 'working' and (q.state = 'submitted' or q.is_woken) as is_told
          from tasks q
          where q.key_id = due.key_id and q.due_at <= moment and (q.state <> 'working' or q.waiting is not null)
          order by q.due_at limit greatest(0, least(free, due.tasks)) for update skip locked
        ), claimed as (
          update tasks t set
            lease_epoch = t.lease_epoch + 1,
            attempts = t.attempts + 1,
            due_at = clock_timestamp() + p_lease * interval '1 second',
            waiting = case when p.is_resumed then null else t.waiting end,
            is_woken = false,
            state = case when p.is_told then 'working' else t.state end,
            status = case when p.is_told then p_status else t.status end,
            last_event = t.last_event + p.is_told::int,
            working_since = clock_timestamp(),
            updated_at = now()
          from picked p where t.tenant_id = p.tenant_id and t.id = p.id
          returning t.*, p.is_told
        ), told as (
          insert into task_events (tenant_id, task_id, number, status, at)
          select c.tenant_id, c.id, c.last_event, p_status, now() from claimed c where c.is_told
        )
        select c.tenant_id, c.id, c.configuration_id, c.principal, c.trace, c.status, c.waiting, c.last_event, c.is_told, c.turns, c.is_tainted,
               c.lease_epoch, c.attempts, c.worked_ms from claimed c;
    end loop;
  end $$`;

export class TaskFunctions1790000000901 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const definition of [submit, submitAll, find, eventsAfter, transcript, advance, advanceAll, claim])
      await runner.query(definition);
    const names =
      'tasks_submit, tasks_submit_all, tasks_find, tasks_events_after, tasks_transcript, tasks_advance, tasks_advance_all';
    await runner.query(`revoke all on function ${names}, tasks_claim from public`);
    await runner.query(`grant execute on function ${names} to cs_app`);
    await runner.query('grant execute on function tasks_claim to cs_system');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop function tasks_submit, tasks_submit_all, tasks_find, tasks_events_after, tasks_transcript, tasks_advance, tasks_advance_all, tasks_claim',
    );
  }
}
