-- A new identity gets the next slot of its connection, so that no sync has to look for new identities.
create or replace function spend_identities_assign_slots() returns trigger language plpgsql
as $$
begin
  -- one transaction at a time: each continues where the one before ended, which the statement below sees by then
  perform pg_advisory_xact_lock(hashtextextended('spend.slots' || c.tenant_id || c.connection_id, 0))
  from (select distinct tenant_id, connection_id from new_rows order by 1, 2) c;
  with free as materialized (
    select c.tenant_id, c.connection_id, (
      select coalesce(max(s.slot) + 1, 0) from spend_slots s
      where s.tenant_id = c.tenant_id and s.connection_id = c.connection_id) as slot
    from (select distinct tenant_id, connection_id from new_rows) c
  )
  insert into spend_slots (tenant_id, connection_id, slot, identity)
  select tenant_id, connection_id,
         f.slot + (row_number() over (partition by tenant_id, connection_id order by n.id) - 1)::int, n.id
  from new_rows n join free f using (tenant_id, connection_id);
  return null;
end $$;

revoke all on function spend_identities_assign_slots from public;

create or replace trigger spend_identities_assign_slots after insert on spend_identities
referencing new table as new_rows
for each statement execute function spend_identities_assign_slots();
