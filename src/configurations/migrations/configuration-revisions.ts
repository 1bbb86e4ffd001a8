import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ConfigurationRevisions1790000001410 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table configurations add revision int not null default 1');
    // the default was for the rows that were there
    await runner.query('alter table configurations alter revision drop default');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table configurations drop revision');
  }
}
