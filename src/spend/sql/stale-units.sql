-- Marks units whose sums were made with other people in them. Triggers do it, so that no statement that moves people can forget
-- it. They run once a statement: an import moves ten thousand people, a first sync matches a hundred thousand, into a few units.

-- Which groups (scope 1) and cost centres (scope 2) a person left or joined; all zeros stand for people without one.
create or replace function spend_changed_units(group_before uuid, group_after uuid, cost_centre_before uuid, cost_centre_after uuid)
returns table (scope smallint, unit_id uuid)
language sql immutable
as $$
  select change.scope, coalesce(side.unit_id, '00000000-0000-0000-0000-000000000000')
  from (values (1::smallint, group_before, group_after), (2::smallint, cost_centre_before, cost_centre_after)) change (scope, before, after)
  cross join lateral (values (change.before), (change.after)) side (unit_id)
  where change.before is distinct from change.after
$$;

create or replace function spend_people_mark_stale_units() returns trigger language plpgsql
as $$
begin
  insert into spend_stale_units (tenant_id, scope, unit_id, version)
  select tenant_id, scope, unit_id, gen_random_uuid()
  from (
    select distinct a.tenant_id, u.scope, u.unit_id
    from old_rows b join new_rows a on a.tenant_id = b.tenant_id and a.id = b.id
    cross join lateral spend_changed_units(b.group_id, a.group_id, b.cost_centre_id, a.cost_centre_id) u
  ) changed
  order by tenant_id, scope, unit_id
  on conflict (tenant_id, scope, unit_id) do update set version = excluded.version;
  return null;
end $$;

create or replace function spend_identities_mark_stale_units() returns trigger language plpgsql
as $$
begin
  insert into spend_stale_units (tenant_id, scope, unit_id, version)
  select tenant_id, scope, unit_id, gen_random_uuid()
  from (
    select distinct a.tenant_id, u.scope, u.unit_id
    from old_rows b join new_rows a on a.tenant_id = b.tenant_id and a.id = b.id
    left join spend_people former on former.tenant_id = b.tenant_id and former.id = b.person_id
    left join spend_people latter on latter.tenant_id = a.tenant_id and latter.id = a.person_id
    cross join lateral spend_changed_units(former.group_id, latter.group_id, former.cost_centre_id, latter.cost_centre_id) u
    where b.person_id is distinct from a.person_id
  ) changed
  order by tenant_id, scope, unit_id
  on conflict (tenant_id, scope, unit_id) do update set version = excluded.version;
  return null;
end $$;

revoke all on function spend_changed_units, spend_people_mark_stale_units, spend_identities_mark_stale_units from public;
grant execute on function spend_changed_units to cs_app, cs_bulk;

create or replace trigger spend_people_mark_stale_units after update on spend_people
referencing old table as old_rows new table as new_rows
for each statement execute function spend_people_mark_stale_units();

create or replace trigger spend_identities_mark_stale_units after update on spend_identities
referencing old table as old_rows new table as new_rows
for each statement execute function spend_identities_mark_stale_units();
