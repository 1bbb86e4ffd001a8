import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../database/tenant-table.js';

/** Requests that carried an `Idempotency-Key`, and what they were answered. */
export class IdempotentRequests1790000001030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
      )`);
    await runner.query('create index idempotent_requests_age on idempotent_requests (created_at)');
    await tenantTable(runner, 'idempotent_requests', { system: ['select', 'delete'] });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table idempotent_requests');
  }
}
