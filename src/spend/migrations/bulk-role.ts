import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What bulk work needs besides its own tables: which connections work, who is a member, records, events and jobs. */
const others = {
  connections: 'select (tenant_id, id, kind, paused_at, removed_at)',
  members: 'select (tenant_id, id, email, name, status)',
  audit_events: 'insert',
  outbox: 'insert',
};

/** `cs_bulk` reaches the tables of spend as `cs_app` does, and no credential, call, task or policy. */
export class BulkRole1790000001580 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const granted = (await runner.query(
      `select g.table_name as "table", string_agg(g.privilege_type, ', ') as privileges
       from information_schema.role_table_grants g
       where g.grantee = 'cs_app' and g.table_schema = 'public' and g.table_name like 'spend\\_%' group by 1`,
    )) as { table: string; privileges: string }[];
    const tables = [...granted, ...Object.entries(others).map(([table, privileges]) => ({ table, privileges }))];
    for (const { table, privileges } of tables) {
      await runner.query(`alter policy tenant on ${table} to cs_app, cs_bulk`);
      await runner.query(`grant ${privileges} on ${table} to cs_bulk`);
    }
    await runner.query('grant execute on function cs_enqueue to cs_bulk');
  }

  async down(runner: QueryRunner): Promise<void> {
    const tables = (await runner.query(
      `select tablename as "table" from pg_policies where schemaname = 'public' and policyname = 'tenant' and 'cs_bulk' = any (roles)`,
    )) as { table: string }[];
    for (const { table } of tables) {
      await runner.query(`alter policy tenant on ${table} to cs_app`);
      await runner.query(`revoke all on ${table} from cs_bulk`); // of its columns, too
    }
    await runner.query('revoke execute on function cs_enqueue from cs_bulk');
  }
}
