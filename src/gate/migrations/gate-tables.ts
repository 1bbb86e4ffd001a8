import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** The ledger. No foreign keys: a row outlives the configuration, the connection and the people it names. */
export class GateTables1790000000800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table tool_calls (
        tenant_id uuid not null,
        id uuid not null,
        configuration_id uuid not null,
        task_id text,
        identity text not null,
        caller jsonb not null,
        tool text not null,
        effect text check (effect in ('read', 'write', 'destructive')),
        connection_id uuid,
        connection_revision int,
        definition_hash text,
        definition jsonb,
        arguments_sealed bytea,
        arguments_hash bytea,
        redacted_arguments jsonb,
        policy_ids text[] not null,
        policy_revision int,
        steps text[] not null,
        tainted boolean not null,
        state text not null check (state in
          ('requested', 'denied', 'awaiting_approval', 'approved', 'executing', 'succeeded', 'failed', 'unsettled')),
        code text,
        reason text,
        attempts int not null,
        lease_epoch int,
        executor text,
        executing_until timestamptz,
        retry_key bytea,
        result_sealed bytea,
        requested_at timestamptz not null,
        expires_at timestamptz,
        executed_at timestamptz,
        ended_at timestamptz,
        delivered_at timestamptz,
        settled_by uuid,
        settlement text check (settlement in ('happened', 'did_not_happen', 'run_again')),
        primary key (tenant_id, id),
        check ((state = 'executing') = (executing_until is not null))
      )`);
    // an identical call finds this one: two at once wait for each other here
    await runner.query(
      'create unique index tool_calls_retry on tool_calls (tenant_id, retry_key) where retry_key is not null',
    );
    await runner.query('create index tool_calls_task on tool_calls (tenant_id, task_id) where task_id is not null');
    await runner.query(
      `create index tool_calls_pending on tool_calls (tenant_id, identity) where state = 'awaiting_approval'`,
    );
    await runner.query(`create index tool_calls_executing on tool_calls (executing_until) where state = 'executing'`);
    await runner.query(`create index tool_calls_approved on tool_calls (expires_at) where state = 'approved'`);
    await runner.query('create index tool_calls_ended on tool_calls (ended_at) where ended_at is not null');
    await tenantTable(runner, 'tool_calls', {
      app: ['select', 'insert', 'update'],
      system: ['select', 'update', 'delete'],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table tool_calls');
  }
}
