import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/**
 * What is between us and the clients of the protocol's versions with sessions, and what a call in the middle of its work asks
 * its caller in any version. What was said lies sealed.
 */
export class McpSessionTables1790000001200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await sessions(runner);
    await events(runner);
    await exchanges(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function mcp_session_find');
    await runner.query('drop table mcp_exchange_messages, mcp_exchanges, mcp_events, mcp_sessions');
  }
}

async function sessions(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table mcp_sessions (
      tenant_id uuid not null,
      id uuid not null,
      token_hash bytea not null,
      member_id uuid not null,
      client_id uuid not null,
      configuration_id uuid not null,
      protocol_version text not null,
      initialize jsonb not null,
      log_level text,
      subscriptions text[] not null,
      subscription_changes int not null,
      shown jsonb,
      listener uuid,
      last_event int not null,
      created_at timestamptz not null,
      seen_at timestamptz not null,
      ended_at timestamptz,
      primary key (tenant_id, id),
      unique (tenant_id, token_hash),
      foreign key (tenant_id, member_id) references members (tenant_id, id)
    )`);
  await runner.query('create index mcp_sessions_by_age on mcp_sessions (seen_at)');
  await runner.query('create index mcp_sessions_by_holder on mcp_sessions (tenant_id, member_id, client_id, seen_at)');
  await tenantTable(runner, 'mcp_sessions', { system: ['select', 'update', 'delete'] });
  // with every request: one round trip, a transaction of its own, and a write once a minute
  await runner.query(`
    create function mcp_session_find(
      p_tenant uuid, p_token bytea, p_member uuid, p_client uuid, p_configuration uuid, p_idle_seconds int
    ) returns table (id uuid, protocol_version text, initialize jsonb, log_level text, shown jsonb)
    language plpgsql as $$
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
    end $$`);
}

/** `stream`: of one request, which is its exchange; or the session's own, by the session's id. */
async function events(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table mcp_events (
      tenant_id uuid not null,
      session_id uuid not null,
      stream uuid not null,
      number int not null,
      is_last boolean not null,
      message_sealed bytea not null,
      at timestamptz not null,
      primary key (tenant_id, session_id, stream, number),
      foreign key (tenant_id, session_id) references mcp_sessions (tenant_id, id) on delete cascade
    )`);
  await runner.query('create index mcp_events_by_age on mcp_events (at)');
  await tenantTable(runner, 'mcp_events', { app: ['select', 'insert'], system: ['select', 'delete'] });
}

async function exchanges(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table mcp_exchanges (
      tenant_id uuid not null,
      id uuid not null,
      member_id uuid not null,
      client_id uuid not null,
      configuration_id uuid not null,
      session_id uuid,
      request_id jsonb,
      alive_until timestamptz not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, member_id) references members (tenant_id, id),
      foreign key (tenant_id, session_id) references mcp_sessions (tenant_id, id) on delete cascade
    )`);
  await runner.query('create index mcp_exchanges_by_session on mcp_exchanges (tenant_id, session_id)');
  await runner.query('create index mcp_exchanges_by_age on mcp_exchanges (alive_until)');
  await tenantTable(runner, 'mcp_exchanges', { system: ['select', 'update', 'delete'] });
  await runner.query(`
    create table mcp_exchange_messages (
      tenant_id uuid not null,
      exchange_id uuid not null,
      number int not null,
      kind text not null check (kind in ('asked', 'ended')),
      message_sealed bytea not null,
      answer_sealed bytea,
      withdrawn_at timestamptz,
      primary key (tenant_id, exchange_id, number),
      foreign key (tenant_id, exchange_id) references mcp_exchanges (tenant_id, id) on delete cascade
    )`);
  await tenantTable(runner, 'mcp_exchange_messages', { app: ['select', 'insert', 'update'] });
}
