import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The first migration of a module: its tables as a new database has them. There is nothing before it to go back to. */
export abstract class Baseline implements MigrationInterface {
  protected abstract readonly sql: string;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(this.sql);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('A baseline cannot be reverted. Drop the database instead.'));
  }
}
