import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** Documents that cost two worker processes their life: their names and hashes, nothing of their content. */
export class KnowledgeQuarantine1790000001521 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // the id is derived from connection and name: no index has to hold names of any length
    await runner.query(`
      create table knowledge_quarantine (
        tenant_id uuid not null,
        id uuid not null,
        connection_id uuid not null,
        external_id text not null,
        digest text not null,
        size int not null,
        reason text not null,
        quarantined_at timestamptz not null,
        primary key (tenant_id, id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      )`);
    await runner.query(
      'create index knowledge_quarantine_by_connection on knowledge_quarantine (tenant_id, connection_id)',
    );
    await tenantTable(runner, 'knowledge_quarantine');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table knowledge_quarantine');
  }
}
