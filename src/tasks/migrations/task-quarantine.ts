import type { MigrationInterface, QueryRunner } from 'typeorm';
import { advanceUnworked } from './remote-delegations.js';
import { claimWithTimes, orReplace } from './task-chunks.js';
import { all, reworded, submitWithContext } from './task-contexts.js';

/**
 * A task that nobody gave back cost a process its life. It stays as it is until a claim of suspects takes it: see
 * claims.system.sql.ts. One that was woken while somebody worked on it is only claimed anew.
 */
const claimCounting = all(
  claimWithTimes
    .replaceAll(
      "(t.state <> 'working' or t.waiting is not null)",
      "(t.state <> 'working' or t.waiting is not null) and t.lost_processes = 0",
    )
    .replaceAll(
      "(q.state <> 'working' or q.waiting is not null)",
      "(q.state <> 'working' or q.waiting is not null) and q.lost_processes = 0",
    ),
  [
    ['or q.is_woken) as is_told', 'or q.is_woken) as is_told,\n            q.is_claimed and not q.is_woken as is_lost'],
    [
      "due_at = clock_timestamp() + p_lease * interval '1 second',",
      `due_at = case when p.is_lost then t.due_at else clock_timestamp() + p_lease * interval '1 second' end,
            is_claimed = not p.is_lost,
            lost_processes = p.is_lost::int,`,
    ],
    [
      'working_since = clock_timestamp(),',
      'working_since = case when p.is_lost then t.working_since else clock_timestamp() end,',
    ],
    ['returning t.*, p.is_told', 'returning t.*, p.is_told, p.is_lost'],
    ['c.worked_ms from claimed c;', 'c.worked_ms from claimed c where not c.is_lost;'],
  ],
);

/** Progress clears a task of suspicion. A wait that only put its step off is none. */
const advanceCounting = reworded(
  advanceUnworked,
  "attempts = case when k.becomes = 'retry' then t.attempts else 0 end,",
  `attempts = case when k.becomes = 'retry' then t.attempts else 0 end,
          is_claimed = t.is_claimed and k.becomes in ('keep', 'go on'),
          lost_processes = case
            when k.becomes = 'retry' or k.becomes = 'wait' and k.waiting in ('pause', 'time') and json_array_length(k.items) = 0
            then t.lost_processes else 0 end,`,
);

/** A message does not release a quarantined task: it is stored for afterwards. */
const submitStoring = all(submitWithContext, [
  ["if task.waiting = 'approval' then", "if task.waiting in ('approval', 'quarantine') then"],
  [
    'waiting = null, due_at = now(),\n',
    'waiting = null, due_at = now(), is_claimed = false, lost_processes = 0,\n                       ',
  ],
]);

const queued = (more: string) => `
  create index tasks_queued on tasks (key_id, due_at)
  where due_at is not null and (state <> 'working' or waiting is not null) ${more}`;
const waits = (...reasons: string[]) => `
  alter table tasks add constraint tasks_waiting_check check (waiting in (${reasons.map((one) => `'${one}'`).join(', ')}))`;

/** Which tasks are in the hands of a process, and how many processes in a row ended while their current step was. */
export class TaskQuarantine1790000001590 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table tasks add column is_claimed boolean not null default false, add column lost_processes int not null default 0`);
    await runner.query('alter table tasks drop constraint tasks_waiting_check');
    await runner.query(waits('information', 'approval', 'pause', 'time', 'quarantine'));
    await runner.query('drop index tasks_queued');
    await runner.query(queued('and lost_processes = 0'));
    await runner.query('create index tasks_suspect on tasks (due_at) where lost_processes > 0');
    for (const definition of [claimCounting, advanceCounting, submitStoring]) await runner.query(orReplace(definition));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const definition of [claimWithTimes, advanceUnworked, submitWithContext])
      await runner.query(orReplace(definition));
    await runner.query('drop index tasks_suspect');
    await runner.query('drop index tasks_queued');
    await runner.query(queued(''));
    await runner.query(`update tasks set waiting = 'pause', due_at = now() where waiting = 'quarantine'`);
    await runner.query('alter table tasks drop constraint tasks_waiting_check');
    await runner.query(waits('information', 'approval', 'pause', 'time'));
    await runner.query('alter table tasks drop column is_claimed, drop column lost_processes');
  }
}
