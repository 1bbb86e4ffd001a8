import type { QueryRunner } from 'typeorm';

type Grants = 'select' | 'insert' | 'update' | 'delete';
interface Access {
  /** What the tenant's own transactions may do; all four unless narrowed. */
  app?: Grants[];
  /** What work without a tenant may do (credential look-ups, claims, sweeps); nothing unless named. */
  system?: Grants[];
}

/** Closes a table of tenants' rows: row-level security forced, and each role granted no more than it needs. */
export async function tenantTable(runner: QueryRunner, table: string, access: Access = {}): Promise<void> {
  const { app = ['select', 'insert', 'update', 'delete'], system = [] } = access;
  await runner.query(`alter table ${table} enable row level security`);
  await runner.query(`alter table ${table} force row level security`);
  await runner.query(
    `create policy tenant on ${table} to cs_app using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  );
  await backedUp(runner, table);
  if (app.length) await runner.query(`grant ${app.join(', ')} on ${table} to cs_app`);
  if (system.length) {
    await runner.query(`create policy system on ${table} to cs_system using (true)`);
    await runner.query(`grant ${system.join(', ')} on ${table} to cs_system`);
  }
}

/** What `countersign backup` takes along. Every table that a foreign key of such a table names has to be one too. */
export async function backedUp(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(`grant select on ${table} to cs_backup`);
  await runner.query(`create policy backup on ${table} for select to cs_backup using (true)`);
}
