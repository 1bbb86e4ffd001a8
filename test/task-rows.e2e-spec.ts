import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ArtifactChunk } from '../src/agent/agent-model.port.js';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { statement } from '../src/platform/database/statement.js';
import { OutboxService } from '../src/platform/events/outbox.service.js';
import {
  claimAbandoned,
  claimDue,
  type ClaimRow,
  releaseTaskLeases,
  renewTaskLeases,
  type TakeoverOptions,
} from '../src/tasks/claims.system.sql.js';
import { TaskContentService } from '../src/tasks/task-content.service.js';
import {
  awaitingApprovalStatus,
  canceledStatus,
  endStatus,
  pausedStatus,
  quarantinedStatus,
  submittedStatus,
  workingStatus,
} from '../src/tasks/task-status.js';
import { type Advance, advanceTasks } from '../src/tasks/task-advances.sql.js';
import { cancelTask, listTaskEventsAfter, findTasks, releaseTask, wakeTask } from '../src/tasks/tasks.sql.js';
import { sweepTasks } from '../src/tasks/task-retention.system.sql.js';
import { type NewTask, type StoredRow, submitTasks } from '../src/tasks/task-submissions.sql.js';
import { readTranscripts } from '../src/tasks/task-items.sql.js';
import { type TestServer, testServer } from './kit/server.js';
import { runSql } from './kit/run-sql.js';

let server: TestServer;
let database: DatabaseService;
let content: TaskContentService;
beforeAll(async () => {
  server = await testServer({ ROLE: 'web' }); // only this test claims tasks
  database = server.app.get(DatabaseService);
  content = server.app.get(TaskContentService);
});
afterAll(() => server.close());
beforeEach(async () => {
  await database.systemPool.execute(statement('delete from tasks'));
});

const tenantId = newId();
const ownerId = newId();
const keyId = newId();

interface Over {
  hash?: string;
  keyId?: string;
  ownerId?: string;
  tenantId?: string;
}
const newTask = (externalId: string, over: Over = {}): NewTask => ({
  tenantId,
  id: newId(),
  ownerId,
  externalId,
  configurationId: newId(),
  keyId,
  contextId: null,
  principal: { kind: 'agent', name: 'test', surface: 'a2a', scopes: [], chain: [] },
  trace: null,
  status: submittedStatus(),
  message: JSON.stringify({ parts: [{ text: externalId }] }),
  actor: {},
  requestId: null,
  ...over,
  hash: Buffer.from(over.hash ?? externalId),
});
const submitAll = (tasks: NewTask[]) => {
  const sealed = tasks.map((task) => ({
    ...task,
    message: content.sealItem(task.id, { kind: 'message', body: task.message }).body,
  }));
  return submitTasks(database.appPool, sealed[0].tenantId, sealed);
};
/** Submits like the service. */
const submit = async (task: NewTask): Promise<StoredRow> => {
  const [row] = await submitAll([task]);
  if (row?.outcome === 'continuable') return submit({ ...task, id: row.task_id, continues: true });
  return row!;
};
const send = (externalId: string, over: Over = {}) => submit(newTask(externalId, over));
const claim = (most = 10, perKey = 50) => database.systemPool.run(claimDue, [most, 10, perKey, workingStatus()]);
const takeOver = (more: Partial<TakeoverOptions> = {}) =>
  claimAbandoned(database.systemPool, { limit: 10, suspects: 1, own: [], ...more }, 10);
const advance = async (row: ClaimRow, change: Partial<Advance>) => {
  const advance: Advance = { items: [], step: 'go on', dueSeconds: 10, ...change };
  const lease = { tenantId: row.tenant_id, id: row.task_id, leaseEpoch: row.lease_epoch };
  return (
    await advanceTasks(database.appPool, row.tenant_id, [
      { ...lease, advance: content.sealAdvance(row.task_id, advance) },
    ])
  )[0];
};
const transcriptOf = async (taskId: string) => (await readTranscripts(database.appPool, tenantId, [taskId]))[0];
const waitForApproval: Partial<Advance> = {
  step: 'wait',
  waiting: 'approval',
  status: awaitingApprovalStatus({
    tool: 'tickets__create',
    approvalId: newId(),
    expiresAt: new Date(),
    reason: 'because',
    selfApproved: false,
  }),
  dueSeconds: 60,
};
const ask: Partial<Advance> = {
  step: 'wait',
  waiting: 'information',
  status: endStatus({ state: 'input-required', question: 'which?' }),
  dueSeconds: undefined,
};
const states = async (taskId: string) =>
  (await database.appPool.run(listTaskEventsAfter, [tenantId, [taskId], [0]])).map(
    ({ number, status }) => `${number} ${status.state}`,
  );
const wake = (row: ClaimRow) => database.tenant({ tenantId }, (tx) => tx.execute(wakeTask, [tenantId, row.task_id]));
const expire = (row: ClaimRow) =>
  database.systemPool.execute(
    statement<[id: string]>(`update tasks set due_at = now() - interval '1 second' where id = $1`),
    [row.task_id],
  );

describe('an artifact chunk', () => {
  const show = (row: ClaimRow, chunk: Partial<ArtifactChunk>) =>
    advance(row, {
      status: workingStatus(),
      chunk: { artifactId: 'a', parts: [], append: false, lastChunk: false, ...chunk },
    });
  const artifactsOf = async (externalId: string) => {
    const [row] = await findTasks(database.appPool, tenantId, [{ tenantId, ownerId, externalId }]);
    return content.openRow(row!.task_id, row!).artifacts;
  };

  it('is appended to its artifact or replaces its parts', async () => {
    await send('pieces');
    const [row] = await claim();
    await show(row, { name: 'first', parts: [{ text: '1' }] });
    await show(row, { artifactId: 'b', parts: [{ data: { n: 1.5, 'a b': null } }] });
    await show(row, { parts: [{ text: '2' }, { text: '3' }], append: true });
    await expect(artifactsOf('pieces')).resolves.toEqual([
      { artifactId: 'a', name: 'first', parts: [{ text: '1' }, { text: '2' }, { text: '3' }] },
      { artifactId: 'b', name: 'b', parts: [{ data: { n: 1.5, 'a b': null } }] },
    ]);
    await show(row, { parts: [{ text: 'all new' }], lastChunk: true });
    const shown = [
      { artifactId: 'a', name: 'first', parts: [{ text: 'all new' }] },
      { artifactId: 'b', name: 'b', parts: [{ data: { n: 1.5, 'a b': null } }] },
    ];
    await expect(artifactsOf('pieces')).resolves.toEqual(shown);
    await database.tenant({ tenantId }, (tx) => tx.one(cancelTask, [tenantId, row.task_id, canceledStatus()]));
    await expect(artifactsOf('pieces')).resolves.toEqual(shown);
  });

  it('is a numbered event, and is rejected from a process that has lost the task', async () => {
    await send('fenced');
    const [stale] = await claim();
    await show(stale, { parts: [{ text: '1' }] });
    await expire(stale);
    await expect(takeOver()).resolves.toHaveLength(1);
    await expect(show(stale, { parts: [{ text: '2' }], append: true })).resolves.toBeNull();
    const stored = await database.appPool.run(listTaskEventsAfter, [tenantId, [stale.task_id], [2]]);
    const events = stored.map((event) => content.openRow(stale.task_id, event));
    expect(events).toMatchObject([{ number: 3, status: { state: 'working' }, chunk: { parts: [{ text: '1' }] } }]);
  });

  it('can be delayed: the task is claimable at its due time, not earlier', async () => {
    await send('later');
    const [row] = await claim();
    await advance(row, { step: 'wait', waiting: 'time', dueSeconds: 60 });
    await expect(claim()).resolves.toEqual([]);
    await expect(takeOver()).resolves.toEqual([]);
    await expire(row);
    await expect(claim()).resolves.toMatchObject([{ task_id: row.task_id, waiting: null, is_told: false }]);
    await expect(states(row.task_id)).resolves.toEqual(['1 submitted', '2 working']);
  });
});

describe('a message', () => {
  it('creates a task once, and returns the same task when repeated', async () => {
    await expect(send('one')).resolves.toMatchObject({ outcome: 'created', number: 1, status: { state: 'submitted' } });
    await expect(send('one')).resolves.toMatchObject({ outcome: 'same', number: 1 });
    await expect(send('one', { hash: 'other' })).resolves.toMatchObject({ outcome: 'exists' });
  });

  it('creates one task when it arrives eight times at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => send('race')));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['created', ...Array<string>(7).fill('same')]);
    expect(new Set(outcomes.map(({ task_id }) => task_id)).size).toBe(1);
  });

  it('gets its own outcome in a batch, and continues only the task that it is sealed for', async () => {
    await send('batch asks');
    const [row] = await claim();
    await advance(row, ask);
    await send('batch runs');
    const batch = ['batch new', 'batch new', 'batch runs', 'batch runs', 'batch asks', 'batch asks'].map(
      (externalId, index) => newTask(externalId, index % 2 ? { hash: `other ${externalId}` } : {}),
    );
    const answers = await submitAll(batch);
    expect(answers.map((answer) => answer?.outcome)).toEqual([
      'created',
      'exists',
      'same',
      'exists',
      'same',
      'continuable',
    ]);
    const misaddressed = { ...batch[5], continues: true };
    await expect(submitAll([misaddressed])).resolves.toMatchObject([{ outcome: 'continuable', task_id: row.task_id }]);
    await expect(transcriptOf(row.task_id)).resolves.toHaveLength(1);
  });

  it('creates a separate task for each identity and tenant', async () => {
    await send('mine');
    await expect(send('mine', { ownerId: newId(), hash: 'x' })).resolves.toMatchObject({ outcome: 'created' });
    await expect(send('mine', { tenantId: newId(), hash: 'y' })).resolves.toMatchObject({ outcome: 'created' });
  });

  it('continues a task that waits for information, and both bodies can be repeated safely', async () => {
    await send('asks');
    const [row] = await claim();
    await advance(row, ask);
    await expect(claim()).resolves.toEqual([]);
    await expect(send('asks', { hash: 'answer' })).resolves.toMatchObject({
      outcome: 'continued',
      number: 4,
      status: { state: 'submitted' },
    });
    await expect(send('asks', { hash: 'answer' })).resolves.toMatchObject({ outcome: 'same' });
    await expect(send('asks')).resolves.toMatchObject({ outcome: 'same' });
    await claim();
    await expect(states(row.task_id)).resolves.toEqual([
      '1 submitted',
      '2 working',
      '3 input-required',
      '4 submitted',
      '5 working',
    ]);
  });

  it('is stored while the task waits for an approval, without waking it', async () => {
    await send('waits');
    const [row] = await claim();
    await advance(row, waitForApproval);
    await expect(send('waits', { hash: 'please' })).resolves.toMatchObject({
      outcome: 'stored',
      status: { state: 'input-required' },
    });
    await expect(claim()).resolves.toEqual([]);
    await expect(transcriptOf(row.task_id)).resolves.toHaveLength(2);
  });
});

describe('a claim', () => {
  it('takes a task once, publishes that it is working, and increments the epoch', async () => {
    const { task_id } = await send('claimed');
    const rows = (await Promise.all([claim(), claim(), claim()])).flat();
    expect(rows).toMatchObject([{ task_id, lease_epoch: 1, is_told: true, number: 2, status: { state: 'working' } }]);
    await expect(states(task_id)).resolves.toEqual(['1 submitted', '2 working']);
  });

  it('respects the limit of working tasks per key across concurrent claims', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, i) => send(`many-${i}`)));
    const other = await send('other', { keyId: newId() });
    const rows = (await Promise.all([claim(10, 5), claim(10, 5), claim(10, 5)])).flat();
    expect(rows).toHaveLength(6);
    expect(rows.map((row) => row.task_id)).toContain(other.task_id);
    await expect(claim(10, 5)).resolves.toEqual([]);
    await advance(
      rows.find((row) => row.task_id !== other.task_id)!,
      ask,
    ); // a waiting task does not count
    await expect(claim(10, 5)).resolves.toHaveLength(1);
  });

  it('takes over an abandoned task even if its key has reached the limit', async () => {
    await send('left');
    const [row] = await claim(10, 1);
    await expect(takeOver()).resolves.toEqual([]);
    await expire(row);
    await expect(takeOver()).resolves.toMatchObject([
      { task_id: row.task_id, lease_epoch: 2, attempts: 2, is_told: false },
    ]);
  });
});

describe('a lease', () => {
  it('allows no writes after it was lost', async () => {
    await send('lost');
    const [stalled] = await claim();
    await expire(stalled);
    const [successor] = await takeOver();
    await expect(
      advance(stalled, {
        items: [{ kind: 'turn', body: '{}' }],
        step: 'end',
        status: endStatus({ state: 'completed', artifacts: [] }),
      }),
    ).resolves.toBeNull();
    await expect(states(stalled.task_id)).resolves.toEqual(['1 submitted', '2 working']);
    await expect(transcriptOf(stalled.task_id)).resolves.toHaveLength(1);
    await expect(advance(successor, {})).resolves.toMatchObject({ isApplied: true });
  });

  it('is renewed only for its holder, and not after its release', async () => {
    await send('kept');
    const [row] = await claim();
    const lease = { tenantId, id: row.task_id, leaseEpoch: 1 };
    await expect(renewTaskLeases(database.systemPool, [lease, { ...lease, leaseEpoch: 0 }], 10)).resolves.toEqual(
      new Set([row.task_id]),
    );
    await advance(row, ask);
    await expect(renewTaskLeases(database.systemPool, [lease], 10)).resolves.toEqual(new Set());
  });

  it('ends with a cancellation, which succeeds only once', async () => {
    await send('canceled');
    const [row] = await claim();
    const cancel = () =>
      database.tenant({ tenantId }, (tx) =>
        tx.one(cancelTask, [tenantId, row.task_id, { state: 'canceled', timestamp: '' }]),
      );
    await expect(cancel()).resolves.toEqual({
      number: 3,
      external_id: 'canceled',
      principal: expect.objectContaining({ name: 'test' }),
    });
    await expect(cancel()).resolves.toBeNull();
    await expect(advance(row, {})).resolves.toBeNull();
    await expect(claim()).resolves.toEqual([]);
  });
});

describe('the outbox', () => {
  const publishedChanges = async (taskId: string) => {
    const changes = statement<[taskId: string], { kind: string; payload: object }>(
      `select kind, payload from outbox where payload ->> 'taskId' = $1 order by id`,
    );
    const rows = await database.systemPool.run(changes, [taskId]);
    return rows;
  };
  const change = (taskId: string, number: number) => ({ kind: 'task.state_changed', payload: { taskId, number } });

  it('receives each state change in its transaction, with ids only', async () => {
    await send('told');
    const [row] = await claim();
    expect(await publishedChanges(row.task_id)).toEqual([change(row.task_id, 2)]);
    await advance(row, { items: [{ kind: 'turn', body: '{}' }] });
    await advance(row, waitForApproval);
    await wake(row);
    const [next] = await claim();
    await advance(next, { step: 'wait', waiting: 'pause', status: pausedStatus('workplace__get'), dueSeconds: 0 });
    await database.tenant({ tenantId }, (tx) =>
      tx.one(cancelTask, [tenantId, row.task_id, { state: 'canceled', timestamp: '' }]),
    );
    // the fifth event reports a pause while the task stays in the state working
    expect(await states(row.task_id)).toHaveLength(6);
    expect(await publishedChanges(row.task_id)).toEqual([2, 3, 4, 6].map((number) => change(row.task_id, number)));
  });

  it('receives nothing for a lost lease or an empty claim', async () => {
    await send('quiet');
    const [row] = await claim();
    await claim();
    await advance(
      { ...row, lease_epoch: 0 },
      { step: 'end', status: endStatus({ state: 'completed', artifacts: [] }) },
    );
    expect(await publishedChanges(row.task_id)).toHaveLength(1);
  });

  it('drops entries that were not consumed within a week', async () => {
    await send('old news');
    const [row] = await claim();
    await send('news');
    const [recent] = await claim();
    await database.tenant({ tenantId }, (tx) =>
      runSql(
        tx,
        `insert into outbox (tenant_id, id, kind, payload, at)
         select tenant_id, $2, kind, payload, now() - interval '8 days' from outbox where payload ->> 'taskId' = $1`,
        [row.task_id, newId()],
      ),
    );
    expect(await publishedChanges(row.task_id)).toHaveLength(2);
    await server.app.get(OutboxService).sweep();
    expect(await publishedChanges(row.task_id)).toHaveLength(1);
    expect(await publishedChanges(recent.task_id)).toHaveLength(1);
  });
});

describe('a wait for an approval', () => {
  it('ends with the decision', async () => {
    await send('decided');
    const [row] = await claim();
    await expect(advance(row, waitForApproval)).resolves.toEqual({ isApplied: true, number: 3 });
    await wake(row);
    await expect(claim()).resolves.toMatchObject([{ task_id: row.task_id, lease_epoch: 3, is_told: true, number: 4 }]);
  });

  it('does not begin if the decision came first', async () => {
    await send('early');
    const [row] = await claim();
    await wake(row);
    await advance(row, { items: [{ kind: 'turn', body: '{}' }] });
    await expect(advance(row, waitForApproval)).resolves.toEqual({ isApplied: false, number: 2 });
    await expect(advance(row, waitForApproval)).resolves.toEqual({ isApplied: true, number: 3 });
  });

  it('is rechecked without an event for the caller', async () => {
    await send('forgotten');
    const [row] = await claim();
    await advance(row, waitForApproval);
    await expire(row);
    const [again] = await claim();
    expect(again).toMatchObject({ is_told: false, waiting: 'approval', status: { state: 'input-required' } });
    await expect(advance(again, { ...waitForApproval, status: undefined })).resolves.toEqual({
      isApplied: true,
      number: 3,
    });
    await expect(states(row.task_id)).resolves.toEqual(['1 submitted', '2 working', '3 input-required']);
  });
});

describe('retention', () => {
  it('removes tasks that ended long ago with all their rows, and keeps open tasks', async () => {
    await send('old');
    await send('busy');
    const [old, busy] = await claim();
    await advance(old, {
      step: 'end',
      status: endStatus({ state: 'completed', artifacts: [] }),
      artifacts: [],
      actor: {},
    });
    await database.systemPool.execute(statement(`update tasks set updated_at = now() - interval '91 days'`));
    await expect(database.systemPool.execute(sweepTasks, [90, 10])).resolves.toBe(1);
    await expect(states(old.task_id)).resolves.toEqual([]);
    await expect(states(busy.task_id)).resolves.toHaveLength(2);
  });
});

describe('a task whose lease expires while a process works on it', () => {
  const lost = async ({ task_id: id }: ClaimRow) => {
    const losses = statement<[id: string], { lost: number }>('select lost_processes as lost from tasks where id = $1');
    return (await database.systemPool.one(losses, [id]))!.lost;
  };
  const taken = async (row: ClaimRow) => {
    await expire(row);
    return (await takeOver())[0];
  };
  const abandoned = async (name: string) => {
    await send(name);
    const [row] = await claim();
    return taken(row);
  };

  it('counts consecutive lost processes', async () => {
    const second = await abandoned('counted');
    expect(second).toMatchObject({ lost_processes: 1, lease_epoch: 2 });
    await expect(taken(second)).resolves.toMatchObject({ lost_processes: 2 });
  });

  it('resets the count after progress', async () => {
    const second = await abandoned('progress');
    await advance(second, { items: [{ kind: 'turn', body: '{}' }] });
    await expect(taken(second)).resolves.toMatchObject({ lost_processes: 1 });
  });

  it.each<[string, Partial<Advance>]>([
    ['is retried later', { step: 'retry', dueSeconds: 60 }],
    ['waits for the next minute', { step: 'wait', waiting: 'time', dueSeconds: 60 }],
    ['waits for the end of a pause', { step: 'wait', waiting: 'pause', dueSeconds: 60 }],
  ])('stays a suspect if it only %s', async (name, change) => {
    const second = await abandoned(name);
    await advance(second, change);
    await expire(second);
    await expect(claim()).resolves.toEqual([]);
    await expect(takeOver()).resolves.toMatchObject([{ task_id: second.task_id, lost_processes: 1, waiting: null }]);
  });

  it('does not count a released lease, or a task of the same process', async () => {
    await send('given back');
    const [first] = await claim();
    await expire(first);
    await expect(takeOver({ own: [first.task_id] })).resolves.toEqual([]);
    await releaseTaskLeases(database.systemPool, [{ tenantId, id: first.task_id, leaseEpoch: first.lease_epoch }]);
    await expect(takeOver()).resolves.toMatchObject([{ lost_processes: 0 }]);
  });

  it('cannot be released by a process that has lost it', async () => {
    await send('stale');
    const [first] = await claim();
    const second = await taken(first);
    await releaseTaskLeases(database.systemPool, [{ tenantId, id: first.task_id, leaseEpoch: first.lease_epoch }]);
    await expect(taken(second)).resolves.toMatchObject({ lost_processes: 2 });
  });

  it('is taken over one at a time', async () => {
    for (const name of ['one', 'two', 'three']) await send(name);
    for (const row of await claim()) await expire(row);
    await expect(takeOver({ suspects: 0 })).resolves.toEqual([]);
    await expect(takeOver()).resolves.toHaveLength(1);
    await expect(takeOver()).resolves.toHaveLength(1);
  });

  it('counts a process lost during an approval recheck, unless the decision came meanwhile', async () => {
    await send('looked at');
    const [first] = await claim();
    await advance(first, waitForApproval);
    await expire(first);
    const [looking] = await claim();
    expect(looking).toMatchObject({ waiting: 'approval' });
    await wake(looking); // due at once, although a process holds it
    const [woken] = await claim();
    expect(woken).toMatchObject({ task_id: first.task_id, waiting: null });
    await expect(lost(first)).resolves.toBe(0);

    await advance(woken, waitForApproval);
    await expire(first);
    const [again] = await claim();
    await expire(again);
    await expect(claim()).resolves.toEqual([]);
    await expect(takeOver()).resolves.toMatchObject([{ lost_processes: 1, waiting: 'approval' }]);
    await expect(taken(first)).resolves.toMatchObject({ lost_processes: 2 });
  });

  it('accepts a message while it is quarantined, and continues when it is released', async () => {
    const row = await abandoned('set aside');
    await advance(row, { step: 'wait', waiting: 'quarantine', status: quarantinedStatus(), dueSeconds: undefined });
    await expect(send('set aside', { hash: 'more' })).resolves.toMatchObject({ outcome: 'stored' });
    await wake(row);
    await expect(claim()).resolves.toEqual([]);
    await expect(takeOver()).resolves.toEqual([]);
    const release = () =>
      database.tenant({ tenantId }, (tx) => tx.one(releaseTask, [tenantId, row.task_id, submittedStatus()]));
    await expect(release()).resolves.toMatchObject({ number: 4 });
    await expect(release()).resolves.toBeNull();
    await expect(claim()).resolves.toMatchObject([{ task_id: row.task_id }]);
    await expect(states(row.task_id)).resolves.toEqual([
      '1 submitted',
      '2 working',
      '3 input-required',
      '4 submitted',
      '5 working',
    ]);
  });
});
