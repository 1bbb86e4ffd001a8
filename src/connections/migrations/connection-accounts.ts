import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** What people may do themselves at connected systems, and how we are known at the servers that say so. */
export class ConnectionAccounts1790000001240 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
        check ((sealed is null) = (ended_at is not null)),
        primary key (tenant_id, id),
        unique (tenant_id, connection_id, member_id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id),
        foreign key (tenant_id, member_id) references members (tenant_id, id)
      )`);
    await runner.query(
      'create unique index connection_accounts_that_list on connection_accounts (tenant_id, connection_id) where lists_tools',
    );
    await tenantTable(runner, 'connection_accounts');

    // one for a connection and server, whoever connects: a client for each person would flood the server
    await runner.query(`
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
      )`);
    await tenantTable(runner, 'connection_clients');

    // under way: a person has left for the authorization server; beginning again replaces it
    await runner.query(`
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
      )`);
    await tenantTable(runner, 'connection_authorizations');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table connection_authorizations, connection_clients, connection_accounts');
  }
}
