import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One job at a time evaluates a shadow. */
export class ShadowClaims1800000001891 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table policy_shadows add column claimed_until timestamptz; -- until then, a job works on it
      grant update (claimed_until) on policy_shadows to cs_system`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      revoke update (claimed_until) on policy_shadows from cs_system;
      alter table policy_shadows drop column claimed_until`);
  }
}
