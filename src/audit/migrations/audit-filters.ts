import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds what somebody did, and what happened to something. */
export class AuditFilters1790000001341 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index audit_events_by_actor on audit_events
        (tenant_id, coalesce(actor ->> 'memberId', actor ->> 'agentId'), id)`);
    await runner.query(`create index audit_events_by_subject on audit_events (tenant_id, (subject ->> 'id'), id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index audit_events_by_actor, audit_events_by_subject');
  }
}
