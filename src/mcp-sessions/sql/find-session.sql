-- Runs for every request: one round trip in its own transaction, and at most one write per minute.
create or replace function mcp_session_find(
  p_tenant uuid, p_token bytea, p_member uuid, p_client uuid, p_configuration uuid, p_idle_seconds int
) returns table (id uuid, protocol_version text, initialize jsonb, log_level text, shown jsonb)
language plpgsql
as $$
#variable_conflict use_column
declare
  session mcp_sessions;
begin
  perform set_config('app.tenant', p_tenant::text, true);
  select * into session from mcp_sessions s
  where s.tenant_id = p_tenant and s.token_hash = p_token and s.member_id = p_member and s.client_id = p_client
    and s.configuration_id = p_configuration and s.ended_at is null
    and s.seen_at > now() - make_interval(secs => p_idle_seconds);
  if not found then
    return;
  end if;
  if session.seen_at < now() - interval '1 minute' then
    update mcp_sessions s set seen_at = now() where s.tenant_id = p_tenant and s.id = session.id;
  end if;
  return query
    select session.id, session.protocol_version, session.initialize, session.log_level, session.shown;
end $$;

revoke all on function mcp_session_find from public;
grant execute on function mcp_session_find to cs_app;
