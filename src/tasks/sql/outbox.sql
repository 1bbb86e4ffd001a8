-- Publishes the state changes among the task events that a statement inserts. The first event is not published: it is
-- the caller's own message. Runs once per statement, so that many events cost one insert.
create or replace function tasks_publish_state_changes() returns trigger language plpgsql
as $$
begin
  insert into outbox (tenant_id, id, kind, payload, at)
  select e.tenant_id, cs_new_id(), 'task.state_changed', jsonb_build_object('taskId', e.task_id, 'number', e.number), e.at
  from added e
  cross join lateral ( -- forces a lookup by key, whatever the planner assumes about a new table
    select b.status from task_events b
    where b.tenant_id = e.tenant_id and b.task_id = e.task_id and b.number = e.number - 1 limit 1
  ) before
  where e.number > 1 and before.status ->> 'state' <> e.status ->> 'state';
  return null;
end $$;

revoke all on function tasks_publish_state_changes from public;

create or replace trigger tasks_publish_state_changes after insert on task_events
referencing new table as added
for each statement execute function tasks_publish_state_changes();
