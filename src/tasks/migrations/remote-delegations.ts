import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';
import { create } from './advance-together.js';
import { advanceWithChunks } from './task-chunks.js';
import { reworded } from './task-contexts.js';

/** What of the time since the claim was not work: looking how others' tasks stand. */
export const advanceUnworked = reworded(
  reworded(advanceWithChunks, 'waiting text, due', 'unworked double precision, waiting text, due'),
  'now() - t.working_since) * 1000, 0)',
  'now() - t.working_since) * 1000 - k.unworked, 0)',
);

/** Of delegations to agents elsewhere: where they were sent, what they are called there, and how they stood when last looked at. */
export class RemoteDelegations1790000001433 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table remote_delegations (
        tenant_id uuid not null,
        call_id uuid not null,
        connection_id uuid not null,
        attempt int not null default 0,
        sent_at timestamptz,
        address jsonb,
        remote_task_id text,
        remote_context_id text,
        standing jsonb,
        told_at timestamptz not null default now(),
        silent_since timestamptz,
        answered int not null default 0,
        primary key (tenant_id, call_id),
        foreign key (tenant_id, call_id) references task_delegations on delete cascade
      )`);
    await tenantTable(runner, 'remote_delegations', {
      app: ['select', 'insert', 'update'],
      system: ['select', 'delete'],
    });
    await runner.query('create index task_delegations_age on task_delegations (created_at)');
    await runner.query('drop function tasks_advance_all');
    await create(runner, 'tasks_advance_all', [advanceUnworked]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function tasks_advance_all');
    await create(runner, 'tasks_advance_all', [advanceWithChunks]);
    await runner.query('drop index task_delegations_age');
    await runner.query('drop table remote_delegations');
  }
}
