import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** Which call handed which task on. The row is there before the task is, so that a second look hands on the same one. */
export class TaskDelegations1790000001421 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table task_delegations (
        tenant_id uuid not null,
        call_id uuid not null,
        task_id uuid not null,
        parent_task_id uuid,
        root_id uuid not null,
        heard int not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, call_id)
      )`);
    await runner.query('create unique index task_delegations_task on task_delegations (tenant_id, task_id)');
    await runner.query('create index task_delegations_root on task_delegations (tenant_id, root_id)');
    await runner.query(`
      create index task_delegations_parent on task_delegations (tenant_id, parent_task_id) where parent_task_id is not null`);
    await tenantTable(runner, 'task_delegations', {
      app: ['select', 'insert', 'update'],
      system: ['select', 'delete'],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table task_delegations');
  }
}
