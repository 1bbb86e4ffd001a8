import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who may decide is stored when the call is requested. A call that is run again is decided again: its approvals have rounds.
 * What waits from before has nobody stored, so it ends now, and may be requested anew.
 */
export class ApprovalDeciders1790000001551 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approvals
        add column deciders uuid[] not null default '{}',
        add column round int not null default 1 check (round > 0),
        drop constraint approvals_tenant_id_call_id_step_name_key,
        add constraint approvals_once_a_round unique (tenant_id, call_id, step_name, round)`);
    await runner.query('alter table approvals alter column deciders drop default, alter column round drop default');
    await runner.query(`update approvals set expires_at = least(expires_at, now()) where state = 'pending'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('delete from approvals where round > 1');
    await runner.query(`
      alter table approvals
        drop constraint approvals_once_a_round,
        drop column deciders,
        drop column round,
        add constraint approvals_tenant_id_call_id_step_name_key unique (tenant_id, call_id, step_name)`);
  }
}
