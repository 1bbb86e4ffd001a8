import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tenantTable } from '../../platform/database/tenant-table.js';

/** What may be spent in a month, and which shares of it were reached when: each share once a month. */
export class BudgetTables1790000001312 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table spend_budgets (
        tenant_id uuid not null,
        id uuid not null,
        scope text not null check (scope in ('organization', 'group', 'cost_centre', 'person')),
        unit_id uuid,
        person_id uuid,
        counts text not null check (counts in ('all_usage', 'usage_based')),
        amount_cents numeric not null check (amount_cents > 0),
        thresholds int[] not null,
        created_at timestamptz not null,
        primary key (tenant_id, id),
        unique nulls not distinct (tenant_id, scope, unit_id, person_id, counts),
        check ((unit_id is not null) = (scope in ('group', 'cost_centre'))),
        check ((person_id is not null) = (scope = 'person')),
        foreign key (tenant_id, unit_id) references spend_units (tenant_id, id) on delete cascade,
        foreign key (tenant_id, person_id) references spend_people (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'spend_budgets', { system: ['select'] });
    await runner.query(`
      create table spend_budget_alerts (
        tenant_id uuid not null,
        budget_id uuid not null,
        month date not null,
        threshold int not null,
        reached_at timestamptz not null,
        spent_cents numeric not null,
        amount_cents numeric not null,
        primary key (tenant_id, budget_id, month, threshold),
        foreign key (tenant_id, budget_id) references spend_budgets (tenant_id, id) on delete cascade
      )`);
    await tenantTable(runner, 'spend_budget_alerts');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table spend_budget_alerts, spend_budgets');
  }
}
