import { Baseline } from '../database/baseline.js';
import { includeInBackup, secureTenantTable } from '../database/tenant-table.js';

/** The installation, the outbox, idempotency keys, and the processes and jobs of the queue. */
export class PlatformBaseline1800000000000 extends Baseline {
  protected readonly sql = `
    -- the proof of the master key
    create table installation (
      singleton boolean primary key default true check (singleton),
      key_check bytea not null,
      created_at timestamptz not null default now()
    );
    ${includeInBackup('installation')}

    -- which SQL files are applied: see repeatable-migrations.ts
    create table repeatable_migrations (
      name text primary key,
      hash text not null,
      applied_at timestamptz not null
    );

    create table outbox (
      tenant_id uuid not null,
      id uuid not null,
      kind text not null,
      payload jsonb not null,
      at timestamptz not null,
      primary key (tenant_id, id)
    );
    create index outbox_at on outbox using brin (at);
    -- cs_system: a claim changes a task's state
    ${secureTenantTable('outbox', { app: ['select', 'insert'], bulk: ['insert'], system: ['select', 'insert', 'delete'] })}

    -- requests with an Idempotency-Key, and their responses
    create table idempotent_requests (
      tenant_id uuid not null,
      caller text not null,
      key text not null,
      id uuid not null,
      fingerprint bytea not null,
      busy_until timestamptz not null,
      answer_sealed bytea,
      created_at timestamptz not null,
      primary key (tenant_id, caller, key)
    );
    create index idempotent_requests_age on idempotent_requests (created_at);
    ${secureTenantTable('idempotent_requests', { system: ['select', 'delete'] })}

    -- when periodic work is due, for all processes together
    create table ticks (
      name text primary key,
      due_at timestamptz not null
    );
    grant select, insert, update on ticks to cs_system;

    -- processes that run jobs; each holds its advisory lock while it is alive
    create table job_pools (
      pool_id text primary key,
      lock int not null,
      is_stopping boolean not null default false
    );
    grant select, insert, update, delete on job_pools to cs_worker;

    -- jobs that a process works on
    create table work_in_hand (
      pool_id text not null,
      task text not null,
      payload jsonb not null,
      primary key (pool_id, task, payload)
    );
    grant select, insert, update, delete on work_in_hand to cs_worker;

    -- jobs whose process ended while it worked on them; after two losses cs_enqueue does not add them
    create table suspect_jobs (
      tenant_id uuid,
      id uuid not null default gen_random_uuid(),
      task text not null,
      payload jsonb not null,
      payload_digest text not null generated always as (md5(payload::text)) stored, -- an index entry has a limited size
      key text,
      max_attempts int, -- null: the work is not in the queue
      losses int not null,
      total_losses int not null,
      lost_at timestamptz not null,
      quarantined_at timestamptz,
      reported_at timestamptz,
      unique nulls not distinct (id, tenant_id),
      unique nulls not distinct (task, payload_digest, tenant_id)
    );
    ${secureTenantTable('suspect_jobs', { app: ['select', 'update'], system: ['select', 'update'] })}
    create policy worker on suspect_jobs to cs_worker using (true);
    grant select, insert, update, delete on suspect_jobs to cs_worker;
    -- cs_enqueue reads it as its owner, who is subject to row-level security too
    create policy owner on suspect_jobs to current_user using (true);
  `;
}
