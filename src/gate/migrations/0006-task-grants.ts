import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** The approvers of a call can allow further calls of its tool in its task. */
export class TaskGrants1800000002002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table tool_calls add column grant_id uuid;
      create index tool_calls_grant on tool_calls (tenant_id, grant_id) where grant_id is not null;

      -- deleted with its call, because a hash of values must not outlive them
      create table task_grants (
        tenant_id uuid not null,
        id uuid not null,
        call_id uuid not null, -- the call that was approved together with the grant
        task_id text not null,
        configuration_id uuid not null,
        identity text not null,
        caller jsonb not null,
        tool text not null,
        definition_hash text not null,
        connection_id uuid,
        connection_revision int,
        steps text[] not null,
        arguments_hash bytea not null,
        equal_arguments text[] not null,
        free_arguments text[] not null,
        equal_hash bytea not null, -- of the arguments without the free ones
        max_uses int not null check (max_uses between 1 and 100),
        uses int not null default 0 check (uses between 0 and max_uses),
        expires_after_seconds int not null check (expires_after_seconds between 60 and 86400),
        message_count int not null, -- the messages of the task when the grant was proposed
        state text not null check (state in ('proposed', 'active', 'declined', 'revoked', 'ended')),
        proposed_by uuid not null,
        voters uuid[] not null,
        created_at timestamptz not null,
        expires_at timestamptz,
        ended_at timestamptz,
        ended_by uuid,
        end_reason text,
        primary key (tenant_id, id),
        foreign key (tenant_id, call_id) references tool_calls (tenant_id, id) on delete cascade,
        check (state <> 'active' or expires_at is not null),
        check ((state in ('proposed', 'active')) = (ended_at is null)),
        check ((ended_at is null) = (end_reason is null)),
        check (uses = 0 or expires_at is not null)
      );
      create unique index task_grants_of_call on task_grants (tenant_id, call_id) where state in ('proposed', 'active');
      create index task_grants_of_task on task_grants (tenant_id, task_id);
      ${secureTenantTable('task_grants', { app: ['select', 'insert', 'update'] })}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table task_grants;
      alter table tool_calls drop column grant_id;
    `);
  }
}
