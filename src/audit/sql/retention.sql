-- Removes the events of a tenant up to a signed head, which is older than the cutoff. A signed tombstone and an audit
-- event take their place. This is the only way past the triggers of sql/append-only.sql.
create or replace function cs_remove_audit_events(
  tenant uuid, start_position bigint, end_position bigint, frontier bytea, cutoff timestamptz, at timestamptz,
  epoch int, signature bytea, event_id uuid, actor jsonb, detail jsonb) returns void
language plpgsql security definer set search_path = pg_catalog
as $$
begin
  if cutoff > least(now(), cs_remove_audit_events.at) - interval '1 day' then
    raise exception 'events of the last day are not removed' using errcode = 'insufficient_privilege';
  end if;
  if not exists (
    select from public.audit_heads h
    where h.tenant_id = tenant and h.size = cs_remove_audit_events.end_position and h.at < cutoff)
  then
    raise exception 'no signed head that is older than the cutoff ends here' using errcode = 'insufficient_privilege';
  end if;
  -- the signed text names the start
  if cs_remove_audit_events.start_position <> (
    select coalesce(max(t.end_position), 0) from public.audit_tombstones t where t.tenant_id = tenant)
  then
    raise exception 'the newest tombstone ends elsewhere' using errcode = 'serialization_failure';
  end if;

  insert into public.audit_tombstones values
    (tenant, cs_remove_audit_events.start_position, cs_remove_audit_events.end_position, frontier, cutoff, at, epoch,
     signature);
  insert into public.audit_events (tenant_id, id, at, kind, actor, detail) values
    (tenant, event_id, cs_remove_audit_events.at, 'audit.events_removed', actor, detail);
  -- set here because only a superuser can create a function with this option
  perform set_config('countersign.audit_retention', 'on', true);
  delete from public.audit_events e using public.audit_seals s
  where s.tenant_id = tenant and s.position < cs_remove_audit_events.end_position
    and e.tenant_id = tenant and e.id = s.event_id;
  delete from public.audit_seals s
  where s.tenant_id = tenant and s.position < cs_remove_audit_events.end_position;
  perform set_config('countersign.audit_retention', 'off', true);
end $$;

revoke all on function cs_remove_audit_events from public;
grant execute on function cs_remove_audit_events to cs_sealer;
