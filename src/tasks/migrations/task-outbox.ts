import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whoever writes an event of a task, by which statement ever, tells the outbox in the same one where it brings another state.
 * Nothing is told of the first event, which is the caller's own sending. By statement, so that many events cost one insert.
 */
export class TaskOutbox1790000001110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // UUIDv7, as Node makes them: in the order of time, so that they are appended to the index
    await runner.query(`
      create function cs_new_id() returns uuid language sql volatile as $$
        select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
          placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid $$`);
    await runner.query(`
      create function tasks_tell_outbox() returns trigger language plpgsql as $$
      begin
        insert into outbox (tenant_id, id, kind, payload, at)
        select e.tenant_id, cs_new_id(), 'task.state_changed', jsonb_build_object('taskId', e.task_id, 'number', e.number), e.at
        from added e
        join task_events before on before.tenant_id = e.tenant_id and before.task_id = e.task_id and before.number = e.number - 1
        where before.status ->> 'state' <> e.status ->> 'state';
        return null;
      end $$`);
    await runner.query('revoke all on function cs_new_id, tasks_tell_outbox from public');
    await runner.query('grant execute on function cs_new_id, tasks_tell_outbox to cs_app, cs_system');
    await runner.query('grant insert on outbox to cs_system'); // a claim makes a task working
    await runner.query(`
      create trigger tell_outbox after insert on task_events referencing new table as added
      for each statement execute function tasks_tell_outbox()`);
    await runner.query('create index outbox_at on outbox using brin (at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger tell_outbox on task_events');
    await runner.query('drop function tasks_tell_outbox, cs_new_id');
    await runner.query('drop index outbox_at');
    await runner.query('revoke insert on outbox from cs_system');
  }
}
