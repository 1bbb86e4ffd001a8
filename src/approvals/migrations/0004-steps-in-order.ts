import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The steps of a call are decided one after the other. A later step waits for its turn, and its time starts then. */
export class StepsInOrder1800000001810 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table approval_steps add position int not null default 1 check (position between 1 and 100);

      -- steps that were requested together before stay open together: each counts as the only one
      alter table approvals
        add step_number int not null default 1,
        add step_count int not null default 1,
        add expires_after_seconds int,
        add opened_at timestamptz;
      update approvals set opened_at = created_at, expires_after_seconds = extract(epoch from expires_at - created_at);
      alter table approvals
        alter step_number drop default,
        alter step_count drop default,
        alter expires_after_seconds set not null,
        add check (step_number between 1 and step_count),
        drop constraint approvals_state_check,
        add constraint approvals_state_check
          check (state in ('waiting', 'pending', 'approved', 'denied', 'expired', 'void')),
        drop constraint approvals_check2,
        add constraint approvals_decided_when_closed check ((state in ('waiting', 'pending')) = (decided_at is null)),
        add constraint approvals_opened check (state in ('waiting', 'void') or opened_at is not null);
      drop index approvals_pending;
      create index approvals_open on approvals (tenant_id, configuration_id) where state in ('waiting', 'pending');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update approvals set state = 'pending', opened_at = created_at where state = 'waiting';
      drop index approvals_open;
      create index approvals_pending on approvals (tenant_id, configuration_id) where state = 'pending';
      alter table approvals
        drop constraint approvals_opened,
        drop constraint approvals_decided_when_closed,
        add constraint approvals_check2 check ((state = 'pending') = (decided_at is null)),
        drop constraint approvals_state_check,
        add constraint approvals_state_check check (state in ('pending', 'approved', 'denied', 'expired', 'void')),
        drop column step_number,
        drop column step_count,
        drop column expires_after_seconds,
        drop column opened_at;
      alter table approval_steps drop column position;
    `);
  }
}
