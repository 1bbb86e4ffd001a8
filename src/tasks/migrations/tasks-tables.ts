import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** Tasks, their numbered events, and the transcript that a killed process's successor continues from. */
export class TasksTables1790000000900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // no foreign key to the configuration: its row would be locked by every send
    await runner.query(`
      create table tasks (
        tenant_id uuid not null,
        id uuid not null,
        owner_id uuid not null,
        external_id text not null,
        configuration_id uuid not null,
        key_id uuid not null,
        principal json not null,
        trace json,
        state text not null check (state in ('submitted', 'working', 'input-required', 'completed', 'failed', 'canceled', 'rejected')),
        status json not null,
        artifacts json,
        last_event int not null,
        items int not null,
        turns int not null,
        is_tainted boolean not null,
        waiting text check (waiting in ('information', 'approval', 'pause')),
        is_woken boolean not null,
        due_at timestamptz,
        lease_epoch int not null,
        attempts int not null,
        worked_ms bigint not null,
        working_since timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id),
        unique (tenant_id, owner_id, external_id)
      ) with (fillfactor = 80)`);
    // what may be claimed, by key, since each key may only have so many working; and what is being worked on
    await runner.query(`
      create index tasks_queued on tasks (key_id, due_at)
      where due_at is not null and (state <> 'working' or waiting is not null)`);
    await runner.query(
      `create index tasks_working on tasks (key_id, due_at) where state = 'working' and waiting is null`,
    );
    // an expression, so that a look-up by (tenant_id, owner_id, external_id) cannot prefer it while there are no statistics
    await runner.query('create index tasks_of_owner on tasks (tenant_id, (owner_id::text), id)');
    await tenantTable(runner, 'tasks', { system: ['select', 'update', 'delete'] });

    await runner.query(`
      create table task_events (
        tenant_id uuid not null,
        task_id uuid not null,
        number int not null,
        status json not null,
        at timestamptz not null,
        primary key (tenant_id, task_id, number)
      )`);
    await tenantTable(runner, 'task_events', { app: ['select', 'insert'], system: ['select', 'insert', 'delete'] });

    // bodies are text, not jsonb: what was said is kept as it was said
    await runner.query(`
      create table task_items (
        tenant_id uuid not null,
        task_id uuid not null,
        position int not null,
        kind text not null check (kind in ('message', 'turn', 'result')),
        hash bytea,
        body text not null,
        at timestamptz not null,
        primary key (tenant_id, task_id, position)
      )`);
    await tenantTable(runner, 'task_items', { app: ['select', 'insert'], system: ['select', 'delete'] });

    // counts of the last minutes: nothing is lost with them but a limit's memory, so they stay out of the write-ahead log
    await runner.query(`
      create unlogged table key_usage (
        tenant_id uuid not null,
        key_id uuid not null,
        what text not null,
        slot int not null,
        count int not null,
        at timestamptz not null,
        primary key (tenant_id, key_id, what, slot)
      )`);
    await tenantTable(runner, 'key_usage', { app: [], system: ['select', 'insert', 'update', 'delete'] });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table key_usage, task_items, task_events, tasks');
  }
}
