import type { MigrationInterface, QueryRunner } from 'typeorm';
import { backedUp, tenantTable } from './tenant-table.js';

/** What the platform keeps for itself: the proof of the master key, the outbox, processes that are alive. */
export class PlatformTables1790000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table installation (
        singleton boolean primary key default true check (singleton),
        key_check bytea not null,
        created_at timestamptz not null default now()
      )`);
    await backedUp(runner, 'installation');

    // the domain's transaction enqueues; graphile-worker itself stays out of the app role's reach
    await runner.query(`
      create function cs_enqueue(task text, payload json, job_key text, run_at timestamptz, max_attempts int) returns void
      language sql security definer set search_path = pg_catalog
      as $$ select graphile_worker.add_job(task, payload, null, run_at, max_attempts, job_key) $$`);
    await runner.query('revoke all on function cs_enqueue from public');
    await runner.query('grant execute on function cs_enqueue to cs_app, cs_system');

    await runner.query(`
      create table outbox (
        tenant_id uuid not null,
        id uuid not null,
        kind text not null,
        payload jsonb not null,
        at timestamptz not null,
        primary key (tenant_id, id)
      )`);
    await tenantTable(runner, 'outbox', { app: ['select', 'insert'], system: ['select', 'delete'] });

    await runner.query(`
      create table ticks (
        name text primary key,
        due_at timestamptz not null
      )`);
    await runner.query('grant select, insert, update on ticks to cs_system');

    await runner.query('create table job_pools (pool_id text primary key, lock int not null)');
    await runner.query('grant select, insert, delete on job_pools to cs_worker');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table job_pools, ticks, outbox, installation');
    await runner.query('drop function cs_enqueue');
  }
}
