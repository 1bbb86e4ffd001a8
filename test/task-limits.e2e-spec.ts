import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { connect } from 'node:net';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { TaskContentService } from '../src/tasks/task-content.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { decideApproval, newTaskId, type Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

const channels = { tool: 'workplace__list_channels', arguments: {} };
const ticket = { tool: 'workplace__create_ticket', arguments: { title: 'Waited for long' } };

let workplace: Workplace;
beforeAll(async () => {
  workplace = await Workplace.start();
});
afterAll(() => workplace.stop());

function given(settings: Record<string, string>) {
  const here = {} as { server: TestServer; house: GateFixture; wire: Wire };
  beforeAll(async () => {
    here.server = await testServer(settings);
    here.house = await GateFixture.create(here.server, workplace);
    here.wire = wireOf(here.house, here.server.url);
  });
  afterAll(async () => {
    await workplace.clearFaults();
    await here.server.close();
  });
  return here;
}

describe('with one second of work', () => {
  const here = given({ TASK_WORK_SECONDS: '1' });

  it('a task that takes longer fails', async () => {
    await workplace.fail({ fault: 'slow', ms: 1500, times: 1 });
    const id = newTaskId();
    await here.wire.send(id, channels);
    await expect(here.wire.until(id, 'failed', 'completed')).resolves.toMatchObject({
      status: { state: 'failed', error: { code: 'task-timeout' } },
    });
  });
});

describe('with two minutes of work', () => {
  const here = given({ TASK_WORK_SECONDS: '120' });

  it('a task may wait for longer', async () => {
    const id = newTaskId();
    await here.wire.send(id, ticket);
    const { status } = await here.wire.until(id, 'input-required');
    await anHourPasses(here.house, id);
    const reviewer = await here.house.organization.browser(here.house.reviewer);
    await decideApproval(reviewer, status.metadata!.approvalId!, 'approve');
    await expect(here.wire.until(id, 'failed', 'completed')).resolves.toMatchObject({ status: { state: 'completed' } });
  });
});

describe('with one working task per key', () => {
  const here = given({ LIMIT_WORKING_TASKS: '1' });

  it('the next one stays submitted until it has ended', async () => {
    await workplace.fail({ fault: 'slow', ms: 700, times: 1 });
    const first = await here.wire.subscribe(newTaskId(), channels);
    const second = await here.wire.subscribe(newTaskId(), channels);
    await first.until('working');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(second.states).toEqual(['submitted']);
    await second.end();
    const [, , end] = first.updates;
    const [, begin] = second.updates;
    expect(Date.parse(begin.data.status.timestamp)).toBeGreaterThanOrEqual(Date.parse(end.data.status.timestamp));
  });
});

describe('with one stream per key, which shows every second that it is alive', () => {
  const here = given({ LIMIT_STREAMS: '1', STREAM_KEEP_ALIVE_SECONDS: '1', LIMIT_STREAM_UNREAD_SECONDS: '2' });

  it('a reader that only waits is kept, and hears of it', async () => {
    const stream = await here.wire.subscribe(newTaskId(), ticket);
    await stream.until('input-required');
    while (stream.comments < 3) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(stream.isClosed).toBe(false);
    stream.close();
  });

  it('a reader that reads nothing is let go, and makes room', async () => {
    const id = newTaskId();
    await here.wire.send(id, ticket);
    await here.wire.until(id, 'input-required');
    const idle = connect(Number(new URL(here.server.url).port), '127.0.0.1');
    idle.on('error', () => undefined);
    idle.write(
      `GET /agents/${here.house.configurationId}/tasks/${id}/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${here.house.key}\r\n\r\n`,
    );
    await once(idle, 'data');
    idle.pause();
    const full = () =>
      here.wire.events(id).then(
        (stream) => stream.close(),
        () => true,
      );
    expect(await full()).toBe(true);
    await tell(here.house, id, 'x'.repeat(16 * 1024 * 1024));
    while (await full()) await new Promise((resolve) => setTimeout(resolve, 200));
    idle.destroy();
  });
});

describe('calls of a task', () => {
  const here = given({ LIMIT_CALLS_PER_MESSAGE: '3', LIMIT_CALLS_PER_TASK: '5' });
  const read = 'workplace__list_channels: {}';
  const arrived = async () => (await workplace.arrivals()).filter(({ tool }) => tool === 'list_channels').length;

  it('runs a message that leads to as many calls as allowed', async () => {
    const id = newTaskId();
    await here.wire.send(id, [read, read, read].join('\n'));
    await expect(here.wire.until(id, 'completed', 'failed')).resolves.toMatchObject({ status: { state: 'completed' } });
  });

  it('fails a task whose message leads to thousands of calls, and makes none of them', async () => {
    const before = await arrived();
    const id = newTaskId();
    const half = `${read}\n`.repeat(3137);
    await here.wire.send(id, half, half);
    const { status } = await here.wire.until(id, 'completed', 'failed');
    expect(status).toMatchObject({ state: 'failed', error: { code: 'too-many-calls' } });
    expect(status.error!.detail).toContain('One message may lead to 3 calls');
    expect(await arrived()).toBe(before);
  });
});

describe('with two calls of tasks per key and minute', () => {
  const here = given({ LIMIT_CALLS_PER_MINUTE: '2' });

  it('makes a task wait for the next minute', async () => {
    const minute = () => Math.floor(Date.now() / 60_000);
    const told = 'calls that they may make in a minute';
    for (;;) {
      const before = minute();
      const both = newTaskId();
      await here.wire.send(both, channels, channels);
      await here.wire.until(both, 'completed');
      const next = await here.wire.subscribe(newTaskId(), channels);
      const isWaiting = () => next.updates.some(({ data }) => data.status.message?.parts[0].text.includes(told));
      while (!isWaiting() && !next.isClosed) await new Promise((resolve) => setTimeout(resolve, 20));
      next.close();
      if (minute() !== before) continue; // both belonged to different minutes
      return expect(isWaiting()).toBe(true);
    }
  });
});

/** Moves all times of a waiting task back, so that the test depends on no real time. */
const anHourPasses = (fixture: GateFixture, externalId: string) =>
  fixture.get(DatabaseService).tenant(fixture.agent, (tx) =>
    tx.query(
      `update tasks set created_at = created_at - interval '1 hour', updated_at = updated_at - interval '1 hour',
         working_since = working_since - interval '1 hour' where external_id = $1`,
      [externalId],
    ),
  );

/** Another event of a task, longer than what the system keeps for a reader. */
const tell = (fixture: GateFixture, externalId: string, text: string) =>
  fixture.get(DatabaseService).tenant(fixture.agent, async (tx) => {
    const [{ id }] = await tx.query<{ id: string }[]>('select id from tasks where external_id = $1', [externalId]);
    const message = { role: 'agent' as const, parts: [{ text }] };
    const status = { state: 'input-required' as const, timestamp: new Date().toISOString(), message };
    await tx.query(
      `with told as (
         update tasks set last_event = last_event + 1 where external_id = $1 returning tenant_id, id, last_event
       )
       insert into task_events (tenant_id, task_id, number, status, at)
       select tenant_id, id, last_event, $2, now() from told`,
      [externalId, fixture.get(TaskContentService).sealStatus(id, status)],
    );
  });
