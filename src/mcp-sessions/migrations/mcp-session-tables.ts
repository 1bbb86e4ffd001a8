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
}

async function events(runner: QueryRunner): Promise<void> {
  // of the stream of one request (exchange_id), or of the session itself
  await runner.query(`
    create table mcp_events (
      tenant_id uuid not null,
      session_id uuid not null,
      number int not null,
      exchange_id uuid,
      is_last boolean not null,
      message_sealed bytea not null,
      at timestamptz not null,
      primary key (tenant_id, session_id, number),
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
