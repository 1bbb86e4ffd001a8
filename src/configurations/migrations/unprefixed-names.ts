import type { MigrationInterface, QueryRunner } from 'typeorm';

export class UnprefixedNames1790000001230 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table configurations add unprefixed boolean not null default false');
    // the default was for the rows that were there
    await runner.query('alter table configurations alter unprefixed drop default');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table configurations drop unprefixed');
  }
}
