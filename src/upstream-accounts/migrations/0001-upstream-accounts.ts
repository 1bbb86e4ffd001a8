import { Baseline } from '../../platform/database/baseline.js';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** People's own accounts at connected systems, our OAuth clients there, and the authorization servers to use. */
export class UpstreamAccountsBaseline1800000000310 extends Baseline {
  protected readonly sql = `
    create table connection_accounts (
      tenant_id uuid not null,
      id uuid not null,
      connection_id uuid not null,
      member_id uuid not null,
      address text not null,
      issuer text not null,
      scope text,
      wanted_scope text,
      lists_tools boolean not null,
      sealed bytea,
      version int not null,
      expires_at timestamptz,
      renewing_until timestamptz,
      connected_at timestamptz not null,
      ended_at timestamptz,
      ended_reason text,
      primary key (tenant_id, id),
      unique (tenant_id, connection_id, member_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id),
      foreign key (tenant_id, member_id) references members (tenant_id, id),
      check ((sealed is null) = (ended_at is not null))
    );
    create unique index connection_accounts_that_list on connection_accounts (tenant_id, connection_id) where lists_tools;
    ${secureTenantTable('connection_accounts')}

    -- our registration at an authorization server: one for all people, since one per person would overload the server
    create table connection_clients (
      tenant_id uuid not null,
      connection_id uuid not null,
      issuer text not null,
      redirect_uri text not null,
      sealed bytea not null,
      revision int not null,
      is_entered boolean not null,
      created_at timestamptz not null,
      primary key (tenant_id, connection_id, issuer),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${secureTenantTable('connection_clients')}

    -- authorizations in progress: the person is at the authorization server; a new start replaces the row
    create table connection_authorizations (
      tenant_id uuid not null,
      connection_id uuid not null,
      member_id uuid not null,
      session_id uuid not null,
      state_hash bytea not null,
      sealed bytea not null,
      expires_at timestamptz not null,
      primary key (tenant_id, connection_id, member_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id)
    );
    ${secureTenantTable('connection_authorizations')}

    -- where people may be sent to sign in: what an administrator confirmed, and what was found since and is unconfirmed
    create table connection_authorization_servers (
      tenant_id uuid not null,
      connection_id uuid not null,
      confirmed jsonb,
      confirmed_by uuid,
      confirmed_at timestamptz,
      pending jsonb,
      pending_at timestamptz,
      primary key (tenant_id, connection_id),
      foreign key (tenant_id, connection_id) references connections (tenant_id, id),
      check ((pending is null) = (pending_at is null)),
      check ((confirmed is null) = (confirmed_at is null)),
      check (confirmed is not null or pending is not null)
    );
    ${secureTenantTable('connection_authorization_servers')}
  `;
}
