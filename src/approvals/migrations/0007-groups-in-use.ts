import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A group cannot be removed while an approval step uses it. */
export class GroupsInUse1800000001870 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // not valid: a step may still name a group that was removed before
    await runner.query(`
      alter table approval_steps
        add constraint approval_steps_approver_group
          foreign key (tenant_id, approver_group_id) references groups (tenant_id, id) not valid,
        add constraint approval_steps_escalation_group
          foreign key (tenant_id, escalation_group_id) references groups (tenant_id, id) not valid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approval_steps
        drop constraint approval_steps_approver_group,
        drop constraint approval_steps_escalation_group`);
  }
}
