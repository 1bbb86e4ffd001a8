import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** What was judged by which rules, and what was approved when it was. */
export class FindingsTables1790000001321 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table estate_findings
        add column fix text not null,
        add column rank smallint not null generated always as (
          case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 when 'low' then 3 else 4 end
        ) stored`);
    await runner.query(
      'create index estate_findings_worst on estate_findings (tenant_id, rank, first_seen desc, id desc)',
    );
    // a file whose version or rules are others than here is judged again
    await runner.query(`
      create table estate_judged (
        tenant_id uuid not null,
        file_id uuid not null,
        version int not null,
        parser int not null,
        is_gone boolean not null,
        rulebook text not null,
        judged_at timestamptz not null,
        primary key (tenant_id, file_id),
        foreign key (tenant_id, file_id) references estate_files (tenant_id, id) on delete cascade
      )`);
    // how an entry read when it last was on the approved list
    await runner.query(`
      create table estate_approved_entries (
        tenant_id uuid not null,
        entry_id uuid not null,
        definition_hash text not null,
        definition jsonb not null,
        approved_at timestamptz not null,
        primary key (tenant_id, entry_id),
        foreign key (tenant_id, entry_id) references estate_entries (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'estate_judged');
    await tenantTable(runner, 'estate_approved_entries');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table estate_approved_entries, estate_judged');
    await runner.query('drop index estate_findings_worst');
    await runner.query('alter table estate_findings drop column rank, drop column fix');
  }
}
