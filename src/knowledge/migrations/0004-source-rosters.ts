import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/**
 * The permissions of sources. Ids are derived from the connection and the id in the source. Each account and group
 * stores the ids of its groups and reader sets as arrays, so that unchanged rows are not written again, and a search
 * reads only the rows of its reader.
 */
export class SourceRosters1800000002710 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const bulk = ['select', 'insert', 'update', 'delete'] as const;
    await runner.query(`
      -- when the roster of a connection was read, and its lease
      create table source_rosters (
        tenant_id uuid not null,
        connection_id uuid not null,
        connection_revision int,
        run_id uuid,
        running_until timestamptz,
        started_at timestamptz,
        complete_at timestamptz,
        next_at timestamptz not null,
        failure text,
        failures int not null default 0,
        wait_reason text,
        account_count int not null default 0,
        group_count int not null default 0,
        audience_count int not null default 0,
        problems jsonb not null default '[]',
        primary key (tenant_id, connection_id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      );
      create index source_rosters_due on source_rosters (next_at);
      ${secureTenantTable('source_rosters', { bulk: ['select', 'update'], system: ['select', 'insert', 'update'] })}

      create table source_accounts (
        tenant_id uuid not null,
        connection_id uuid not null,
        id uuid not null,
        external_id text not null,
        name text not null,
        email text,
        group_ids uuid[] not null,
        set_ids uuid[] not null,
        primary key (tenant_id, connection_id, id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      );
      create index source_accounts_by_email on source_accounts (tenant_id, email, connection_id) where email is not null;
      ${secureTenantTable('source_accounts', { app: ['select', 'delete'], bulk: [...bulk] })}

      create table source_groups (
        tenant_id uuid not null,
        connection_id uuid not null,
        id uuid not null,
        external_id text not null,
        set_ids uuid[] not null,
        primary key (tenant_id, connection_id, id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      );
      ${secureTenantTable('source_groups', { app: ['select', 'delete'], bulk: [...bulk] })}

      create table source_audiences (
        tenant_id uuid not null,
        connection_id uuid not null,
        id uuid not null,
        external_id text not null,
        title text not null,
        url text,
        rule text not null,
        readers text not null check (readers in ('everyone', 'unreadable', 'sets')),
        set_count int not null,
        primary key (tenant_id, connection_id, id),
        check ((readers = 'sets') = (set_count > 0)),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      );
      ${secureTenantTable('source_audiences', { app: ['select', 'delete'], bulk: [...bulk] })}

      create table source_audience_sets (
        tenant_id uuid not null,
        connection_id uuid not null,
        id uuid not null,
        audience_id uuid not null,
        number int not null,
        -- the number of sets of the audience
        set_count int not null,
        primary key (tenant_id, connection_id, id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      );
      create index source_audience_sets_by_audience on source_audience_sets (tenant_id, connection_id, audience_id);
      ${secureTenantTable('source_audience_sets', { app: ['select', 'delete'], bulk: [...bulk] })}

      -- accounts that an administrator assigned to a member, or to no member (null)
      create table source_account_assignments (
        tenant_id uuid not null,
        connection_id uuid not null,
        account_id uuid not null,
        member_id uuid,
        assigned_by uuid not null,
        assigned_at timestamptz not null,
        primary key (tenant_id, connection_id, account_id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id),
        foreign key (tenant_id, member_id) references members (tenant_id, id),
        foreign key (tenant_id, assigned_by) references members (tenant_id, id)
      );
      create index source_account_assignments_by_member on source_account_assignments (tenant_id, member_id);
      ${secureTenantTable('source_account_assignments')}

      alter table shelves add column audience_id uuid;
      create index identities_by_email on identities (tenant_id, email);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index identities_by_email;
      alter table shelves drop column audience_id;
      drop table source_account_assignments, source_audience_sets, source_audiences, source_groups, source_accounts, source_rosters;
    `);
  }
}
