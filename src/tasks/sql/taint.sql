-- A delegated task starts tainted if its parent is tainted. The insert sets this, so that no process can work on the
-- task earlier. Only delegated tasks are their own owners.
create or replace function tasks_inherit_taint() returns trigger language plpgsql
as $$
begin
  new.is_tainted := new.is_tainted or exists (
    select from task_delegations d left join tasks p on p.tenant_id = d.tenant_id and p.id = d.parent_task_id
    where d.tenant_id = new.tenant_id and d.task_id = new.id and (d.is_tainted or p.is_tainted));
  return new;
end $$;

revoke all on function tasks_inherit_taint from public;

create or replace trigger tasks_inherit_taint before insert on tasks
for each row when (new.owner_id = new.id) execute function tasks_inherit_taint();
