import type { MigrationInterface, QueryRunner } from 'typeorm';
import { secureTenantTable } from '../../platform/database/tenant-table.js';

/** Policy texts that are tried on new calls without deciding them. */
export class PolicyShadows1800000001860 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table policy_shadows (
        tenant_id uuid not null references tenants (id),
        configuration_id uuid not null,
        id uuid not null, -- new with every start
        text text not null,
        revision int not null, -- the published revision that it is compared with
        started_by uuid,
        starter text not null,
        started_at timestamptz not null,
        stopped_at timestamptz,
        stop_reason text check (stop_reason in ('stopped', 'published', 'too_expensive')),
        evaluated_until uuid not null, -- calls with lower ids were evaluated
        calls int not null,
        not_evaluated int not null,
        changes jsonb not null, -- calls with another verdict, by tool and verdicts
        primary key (tenant_id, configuration_id),
        check ((stopped_at is null) = (stop_reason is null))
      );
      ${secureTenantTable('policy_shadows', { system: ['select'] })}

      -- the calls of one configuration in a large ledger, for shadows and replays
      create index tool_calls_configuration on tool_calls (tenant_id, configuration_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index tool_calls_configuration; drop table policy_shadows');
  }
}
