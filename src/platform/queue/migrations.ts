import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../database/tenant-table.js';

/** Jobs that were under way when a process was lost. After two losses they are quarantined: `cs_enqueue` does not add them. */
export class SuspectJobs1790000001591 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // max_attempts is null for work that is not in the queue
    await runner.query(`
      create table suspect_jobs (
        tenant_id uuid,
        id uuid not null default gen_random_uuid(),
        task text not null,
        payload jsonb not null,
        key text,
        max_attempts int,
        losses int not null,
        total_losses int not null,
        lost_at timestamptz not null,
        quarantined_at timestamptz,
        reported_at timestamptz,
        unique nulls not distinct (id, tenant_id),
        unique nulls not distinct (task, payload, tenant_id)
      )`);
    await tenantTable(runner, 'suspect_jobs', { app: ['select', 'update'], system: ['select', 'update'] });
    await runner.query('grant select, insert, update, delete on suspect_jobs to cs_worker');
    await runner.query('create policy worker on suspect_jobs to cs_worker using (true)');
    // cs_enqueue reads it as its owner, who is subject to row-level security too
    await runner.query('create policy owner on suspect_jobs to current_user using (true)');

    await runner.query(`
      create table work_in_hand (
        pool_id text not null,
        task text not null,
        payload jsonb not null,
        primary key (pool_id, task, payload)
      )`);
    await runner.query('grant select, insert, update, delete on work_in_hand to cs_worker');
    await runner.query('alter table job_pools add column is_stopping boolean not null default false');
    await runner.query('grant update on job_pools to cs_worker');

    // the lock on the row makes the sweep wait for this transaction, and so the sweep sees the job that is added here
    await runner.query(`
      create or replace function cs_enqueue(task text, payload json, job_key text, run_at timestamptz, max_attempts int)
      returns void language plpgsql security definer set search_path = pg_catalog
      as $$
      declare
        suspect record;
        lane text;
      begin
        select s.losses, s.quarantined_at into suspect from public.suspect_jobs s
        where s.task = cs_enqueue.task and s.payload = cs_enqueue.payload::jsonb
        for share;
        if found then
          if suspect.quarantined_at is not null then return; end if;
          if suspect.losses > 0 then lane := 'suspects'; end if;
        end if;
        perform graphile_worker.add_job(
          cs_enqueue.task, cs_enqueue.payload, lane, cs_enqueue.run_at, cs_enqueue.max_attempts, cs_enqueue.job_key);
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function cs_enqueue(task text, payload json, job_key text, run_at timestamptz, max_attempts int)
      returns void language sql security definer set search_path = pg_catalog
      as $$ select graphile_worker.add_job(task, payload, null, run_at, max_attempts, job_key) $$`);
    await runner.query('alter table job_pools drop column is_stopping');
    await runner.query('revoke update on job_pools from cs_worker');
    await runner.query('drop table work_in_hand, suspect_jobs');
  }
}
