import type { MigrationInterface, QueryRunner } from 'typeorm';
import { create } from './advance-together.js';
import { reworded } from './task-contexts.js';
import { said } from './tasks-said.js';

/** Turns are sealed, so the reader looks which of them ask something. */
const saidSealed = reworded(said, ` and o.body like '%"question":%'`, '');

/**
 * What tasks say is sealed from now on; what stands there in clear is sealed in the background, see task-sealing.service.ts. The
 * constraints are for what is written from now on.
 */
export class SealedTasks1790000001561 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create table task_sealing (part text primary key, after jsonb, done_at timestamptz)');
    await runner.query(
      `insert into task_sealing (part) values ('task_items'), ('task_events'), ('tasks'), ('remote_delegations')`,
    );
    await runner.query('grant select, update on task_sealing to cs_system');
    await runner.query('grant update on task_items, task_events, remote_delegations to cs_system');
    await runner.query(
      `alter table task_items add constraint task_items_sealed check (left(body, 1) <> '{') not valid`,
    );
    await runner.query(`
      alter table task_events add constraint task_events_sealed
      check (status -> 'message' is null and status #> '{error,detail}' is null) not valid`);
    await runner.query('drop function tasks_said');
    await create(runner, 'tasks_said', [saidSealed]);
  }

  async down(): Promise<void> {
    return Promise.reject(new Error('what was sealed is not written down in clear again'));
  }
}
