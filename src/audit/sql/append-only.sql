-- Grants allow no update and no delete. The trigger also stops roles that have more privileges. Only retention.sql
-- deletes; its setting is of no use to roles that have no privilege to delete, or without a tombstone of the same
-- transaction.
create or replace function audit_is_append_only() returns trigger language plpgsql
as $$
begin
  if tg_op = 'DELETE' and tg_table_name in ('audit_events', 'audit_seals')
    and current_setting('countersign.audit_retention', true) = 'on'
    and exists (select from public.audit_tombstones t where t.xmin = pg_current_xact_id()::xid)
  then
    return null;
  end if;
  raise exception 'the audit log is never changed or removed' using errcode = 'insufficient_privilege';
end $$;

revoke all on function audit_is_append_only from public;

create or replace trigger audit_is_append_only before update or delete or truncate on audit_events
for each statement execute function audit_is_append_only();

create or replace trigger audit_is_append_only before update or delete or truncate on audit_seals
for each statement execute function audit_is_append_only();

create or replace trigger audit_is_append_only before update or delete or truncate on audit_nodes
for each statement execute function audit_is_append_only();

create or replace trigger audit_is_append_only before update or delete or truncate on audit_heads
for each statement execute function audit_is_append_only();

create or replace trigger audit_is_append_only before update or delete or truncate on audit_tombstones
for each statement execute function audit_is_append_only();
