import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A file that cost two worker processes their life is stored without its content. */
export class QuarantinedFiles1790000001520 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await allow(runner, "'read', 'partly', 'unreadable', 'quarantined'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("update estate_files set status = 'unreadable' where status = 'quarantined'");
    await allow(runner, "'read', 'partly', 'unreadable'");
  }
}

async function allow(runner: QueryRunner, statuses: string): Promise<void> {
  await runner.query('alter table estate_files drop constraint estate_files_status_check');
  await runner.query(
    `alter table estate_files add constraint estate_files_status_check check (status in (${statuses}))`,
  );
}
