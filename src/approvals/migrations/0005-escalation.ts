import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A step can add an escalation group after some time. Who may decide then is stored when the call is requested. */
export class ApprovalEscalation1800000001820 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- without a group: the administrators
      alter table approval_steps
        add escalation_group_id uuid,
        add escalates_after_seconds int,
        add constraint approval_steps_escalation check (
          case when escalates_after_seconds is null then escalation_group_id is null
               else tier = 'review' and escalates_after_seconds between 60 and expires_after_seconds - 1 end);

      alter table approvals
        add escalation_group_id uuid,
        add escalates_after_seconds int,
        add escalates_at timestamptz,
        add escalated_at timestamptz,
        add escalation_deciders uuid[] not null default '{}',
        add constraint approvals_escalation check (escalated_at is null or escalates_at is not null);
      create index approvals_to_escalate on approvals (escalates_at) where state = 'pending' and escalated_at is null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approvals
        drop column escalation_group_id,
        drop column escalates_after_seconds,
        drop column escalates_at,
        drop column escalated_at,
        drop column escalation_deciders;
      alter table approval_steps drop column escalation_group_id, drop column escalates_after_seconds;
    `);
  }
}
