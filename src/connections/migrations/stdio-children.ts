import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Commands of the operator, not of a tenant: no row-level security, and nothing of it for the application's role. Lines and
 * messages are worth nothing after a crash of the database, so that nothing of them is written ahead.
 */
export class StdioChildren1790000001260 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table stdio_children (
        command text primary key,
        child uuid,
        lease_until timestamptz,
        failures int not null,
        failure text,
        start_after timestamptz
      )`);
    await runner.query(`
      create unlogged table stdio_lines (
        id uuid primary key,
        command text not null,
        child uuid,
        alive_until timestamptz not null,
        closed text
      )`);
    await runner.query(`
      create unlogged table stdio_messages (
        number bigint generated always as identity primary key,
        line uuid not null references stdio_lines (id) on delete cascade,
        is_answer boolean not null,
        message bytea not null,
        expires_at timestamptz not null
      )`);
    await runner.query('create index stdio_messages_by_line on stdio_messages (line, is_answer)');
    for (const table of ['stdio_children', 'stdio_lines', 'stdio_messages'])
      await runner.query(`grant select, insert, update, delete on ${table} to cs_system`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table stdio_messages, stdio_lines, stdio_children');
  }
}
