import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Sessions of MCP clients, their resumable streams, and the questions that a running call asks its caller. Messages are sealed. */
export class McpSessionsBaseline1800000001100 extends Baseline {
  protected readonly sql = `
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
    );
    create index mcp_sessions_by_age on mcp_sessions (seen_at);
    create index mcp_sessions_by_holder on mcp_sessions (tenant_id, member_id, client_id, seen_at);
    ${secureTenantTable('mcp_sessions', { system: ['select', 'update', 'delete'] })}

    -- stream: the exchange of a request, or the session's own, by the session's id
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
    );
    create index mcp_events_by_age on mcp_events (at);
    ${secureTenantTable('mcp_events', { app: ['select', 'insert'], system: ['select', 'delete'] })}

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
    );
    create index mcp_exchanges_by_session on mcp_exchanges (tenant_id, session_id);
    create index mcp_exchanges_by_age on mcp_exchanges (alive_until);
    ${secureTenantTable('mcp_exchanges', { system: ['select', 'update', 'delete'] })}

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
    );
    ${secureTenantTable('mcp_exchange_messages', { app: ['select', 'insert', 'update'] })}
  `;
}
