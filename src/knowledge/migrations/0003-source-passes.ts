import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Sync passes that continue after an interruption, cursors, and webhook hints. */
export class SourcePasses1800000002700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table sources
        -- when a listing last completed
        add column listed_at timestamptz,
        add column cursor jsonb,
        -- a cursor is valid only for the settings that it was created with
        add column cursor_revision int,
        -- when a listing became necessary
        add column listing_due_at timestamptz,
        add column seen_before int not null default 0,
        add column expected int,
        add column quota jsonb,
        add column wait_reason text,
        -- of the current or last run
        add column pass_kind text check (pass_kind in ('listing', 'changes')),
        -- the first sync waits until containers are chosen
        add column is_held boolean not null default false;

      -- a pass in progress, once it has reached a checkpoint
      create table source_passes (
        tenant_id uuid not null,
        connection_id uuid not null,
        id uuid not null,
        kind text not null check (kind in ('listing', 'changes')),
        connection_revision int not null,
        started_at timestamptz not null,
        progress jsonb not null,
        state jsonb not null,
        primary key (tenant_id, connection_id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      );
      ${secureTenantTable('source_passes')}

      -- the documents that a listing has seen, 16 bytes each, in one row per checkpoint
      create table source_pass_marks (
        tenant_id uuid not null,
        connection_id uuid not null,
        pass_id uuid not null,
        number int not null,
        marks bytea not null,
        primary key (tenant_id, connection_id, pass_id, number),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      );
      ${secureTenantTable('source_pass_marks', { app: ['select', 'insert', 'delete'] })}

      create table source_hints (
        tenant_id uuid not null,
        connection_id uuid not null,
        id uuid not null,
        hint jsonb not null,
        primary key (tenant_id, connection_id, id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      );
      ${secureTenantTable('source_hints', { app: ['select', 'insert', 'delete'] })}

      -- ids of accepted webhooks, to ignore repeated deliveries
      create table source_deliveries (
        tenant_id uuid not null,
        connection_id uuid not null,
        digest bytea not null,
        received_at timestamptz not null,
        primary key (tenant_id, connection_id, digest),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      );
      create index source_deliveries_by_time on source_deliveries (received_at);
      ${secureTenantTable('source_deliveries', { app: ['select', 'insert', 'delete'], system: ['select', 'delete'] })}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table source_passes, source_pass_marks, source_hints, source_deliveries;
      alter table sources drop column listed_at, drop column cursor, drop column cursor_revision, drop column listing_due_at,
        drop column seen_before, drop column expected, drop column quota, drop column wait_reason, drop column is_held, drop column pass_kind;
    `);
  }
}
