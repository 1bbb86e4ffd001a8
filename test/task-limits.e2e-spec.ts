import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { connect } from 'node:net';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { TaskContentService } from '../src/tasks/task-content.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { decideApproval, newTaskId, type Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';

const channels = { tool: 'workplace__list_channels', arguments: {} };
const ticket = { tool: 'workplace__create_ticket', arguments: { title: 'Waited for long' } };

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.start();
});
afterAll(() => workplace.stop());

function serverWith(settings: Record<string, string>) {
  const context = {} as { server: TestServer; fixture: GateFixture; wire: Wire };
  beforeAll(async () => {
    context.server = await testServer(settings);
    context.fixture = await GateFixture.create(context.server, workplace);
    context.wire = wireOf(context.fixture, context.server.url);
  });
  afterAll(async () => {
    await workplace.clearFaults();
    await context.server.close();
  });
  return context;
}

describe('a work limit of one second', () => {
  const context = serverWith({ TASK_WORK_SECONDS: '1' });

  it('fails a task that takes longer', async () => {
    await workplace.fail({ fault: 'slow', ms: 1500, times: 1 });
    const id = newTaskId();
    await context.wire.send(id, channels);
    await expect(context.wire.until(id, 'failed', 'completed')).resolves.toMatchObject({
      status: { state: 'failed', error: { code: 'task-timeout' } },
    });
  });
});

describe('a work limit of two minutes', () => {
  const context = serverWith({ TASK_WORK_SECONDS: '120' });

  it('does not count waiting time', async () => {
    const id = newTaskId();
    await context.wire.send(id, ticket);
    const { status } = await context.wire.until(id, 'input-required');
    await anHourPasses(context.fixture, id);
    const reviewer = await context.fixture.organization.browser(context.fixture.reviewer);
    await decideApproval(reviewer, status.metadata!.approvalId!, 'approve');
    await expect(context.wire.until(id, 'failed', 'completed')).resolves.toMatchObject({
      status: { state: 'completed' },
    });
  });
});

describe('a limit of one working task per key', () => {
  const context = serverWith({ LIMIT_WORKING_TASKS: '1' });

  it('keeps the next task submitted until the first has ended', async () => {
    await workplace.fail({ fault: 'slow', ms: 4000, times: 1 });
    const first = await context.wire.subscribe(newTaskId(), channels);
    const second = await context.wire.subscribe(newTaskId(), channels);
    await first.until('working');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(second.states).toEqual(['submitted']);
    await second.end();
    const [, , end] = first.updates;
    const [, begin] = second.updates;
    expect(Date.parse(begin.data.status.timestamp)).toBeGreaterThanOrEqual(Date.parse(end.data.status.timestamp));
  });
});

describe('a limit of one stream per key, with a keep-alive every second', () => {
  const context = serverWith({ LIMIT_STREAMS: '1', STREAM_KEEP_ALIVE_SECONDS: '1', LIMIT_STREAM_UNREAD_SECONDS: '2' });

  it('keeps a waiting reader connected with keep-alive comments', async () => {
    const stream = await context.wire.subscribe(newTaskId(), ticket);
    await stream.until('input-required');
    while (stream.comments < 3) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stream.isClosed).toBe(false);
    stream.close();
  });

  it('disconnects a reader that does not read, and frees its slot', async () => {
    const id = newTaskId();
    await context.wire.send(id, ticket);
    await context.wire.until(id, 'input-required');
    const idle = connect(Number(new URL(context.server.url).port), '127.0.0.1');
    idle.on('error', () => undefined);
    idle.write(
      `GET /agents/${context.fixture.configurationId}/tasks/${id}/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${context.fixture.key}\r\n\r\n`,
    );
    await once(idle, 'data');
    idle.pause();
    const full = () =>
      context.wire.events(id).then(
        (stream) => stream.close(),
        () => true,
      );
    expect(await full()).toBe(true);
    await tell(context.fixture, id, 'x'.repeat(16 * 1024 * 1024));
    while (await full()) await new Promise((resolve) => setTimeout(resolve, 200));
    idle.destroy();
  });
});

describe('the limits of calls per message and task', () => {
  const context = serverWith({ LIMIT_CALLS_PER_MESSAGE: '3', LIMIT_CALLS_PER_TASK: '5' });
  const read = 'workplace__list_channels: {}';
  const arrived = async () => (await workplace.arrivals()).filter(({ tool }) => tool === 'list_channels').length;

  it('allow a message with the maximum number of calls', async () => {
    const id = newTaskId();
    await context.wire.send(id, [read, read, read].join('\n'));
    await expect(context.wire.until(id, 'completed', 'failed')).resolves.toMatchObject({
      status: { state: 'completed' },
    });
  });

  it('fail a task whose message leads to thousands of calls, and execute none of them', async () => {
    const before = await arrived();
    const id = newTaskId();
    const half = `${read}\n`.repeat(3137);
    await context.wire.send(id, half, half);
    const { status } = await context.wire.until(id, 'completed', 'failed');
    expect(status).toMatchObject({ state: 'failed', error: { code: 'too-many-calls' } });
    expect(status.error!.detail).toContain('One message may lead to 3 calls');
    expect(await arrived()).toBe(before);
  });
});

describe('a limit of two task calls per key and minute', () => {
  const context = serverWith({ LIMIT_CALLS_PER_MINUTE: '2' });

  it('makes a task wait for the next minute', async () => {
    const minute = () => Math.floor(Date.now() / 60_000);
    const notice = 'have reached the limit of 2 calls per minute';
    for (;;) {
      const before = minute();
      const both = newTaskId();
      await context.wire.send(both, channels, channels);
      await context.wire.until(both, 'completed');
      const next = await context.wire.subscribe(newTaskId(), channels);
      const isWaiting = () => next.updates.some(({ data }) => data.status.message?.parts[0].text.includes(notice));
      while (!isWaiting() && !next.isClosed) await new Promise((resolve) => setTimeout(resolve, 20));
      next.close();
      if (minute() !== before) continue; // the tasks were sent in different minutes
      return expect(isWaiting()).toBe(true);
    }
  });
});

/** Moves all times of a waiting task back, so that the test does not depend on real time. */
const anHourPasses = (fixture: GateFixture, externalId: string) =>
  fixture.get(DatabaseService).tenant(fixture.agent, (tx) =>
    runSql(
      tx,
      `update tasks set created_at = created_at - interval '1 hour', updated_at = updated_at - interval '1 hour',
         working_since = working_since - interval '1 hour' where external_id = $1`,
      [externalId],
    ),
  );

/** Adds a task event that is longer than the socket buffers of a reader. */
const tell = (fixture: GateFixture, externalId: string, text: string) =>
  fixture.get(DatabaseService).tenant(fixture.agent, async (tx) => {
    const [{ id }] = await runSql<{ id: string }>(tx, 'select id from tasks where external_id = $1', [externalId]);
    const message = { role: 'agent' as const, parts: [{ text }] };
    const status = { state: 'input-required' as const, timestamp: new Date().toISOString(), message };
    await runSql(
      tx,
      `with told as (
         update tasks set last_event = last_event + 1 where external_id = $1 returning tenant_id, id, last_event
       )
       insert into task_events (tenant_id, task_id, number, status, at)
       select tenant_id, id, last_event, $2, now() from told`,
      [externalId, fixture.get(TaskContentService).sealStatus(id, status)],
    );
  });
