import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The first migration of a module: the tables of a new database. There is no earlier state to revert to. */
export abstract class Baseline implements MigrationInterface {
  protected abstract readonly sql: string;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(this.sql);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('A baseline cannot be reverted. Drop the database instead.'));
  }
}
