import type { MigrationInterface, QueryRunner } from 'typeorm';

/** As before, but the event before is looked up by its key, whatever the planner believes of a young table. */
export class OutboxLookUp1790000001111 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function tasks_tell_outbox() returns trigger language plpgsql as $$
      begin
        insert into outbox (tenant_id, id, kind, payload, at)
        select e.tenant_id, cs_new_id(), 'task.state_changed', jsonb_build_object('taskId', e.task_id, 'number', e.number), e.at
        from added e
        cross join lateral (
          select b.status from task_events b
          where b.tenant_id = e.tenant_id and b.task_id = e.task_id and b.number = e.number - 1 limit 1
        ) before
        where e.number > 1 and before.status ->> 'state' <> e.status ->> 'state';
        return null;
      end $$`);
  }

  /** What it was before told the same. */
  async down(): Promise<void> {}
}
