import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { freePort } from './kit/free-port.js';
import { GateFixture } from './kit/gate-fixture.js';
import { serverProcess, type ServerProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, type Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';

/*
 * A task that crashes each process that works on it. The third process quarantines it and continues with other tasks.
 */

const settings = { ROLE: 'worker', TASK_LEASE_SECONDS: '3', LOG_LEVEL: 'error' };
const deadly = { NODE_OPTIONS: `--import=${pathToFileURL(path.resolve('test/kit/deadly-text.mjs')).href}` };

let server: TestServer; // accepts tasks and runs none
let workplace: Workplace;
let fixture: GateFixture;
let wire: Wire;
beforeAll(async () => {
  server = await testServer({ ROLE: 'web', LOG_LEVEL: 'error' });
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  await fixture.publish('@id("everything") permit (principal, action, resource);');
  wire = wireOf(fixture, server.url);
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

const started: ServerProcess[] = [];
afterEach(async () => {
  await workplace.clearFaults();
  await Promise.all(started.splice(0).map((one) => one.kill()));
});
async function start(more: Record<string, string> = {}): Promise<ServerProcess> {
  const one = await serverProcess(server.databaseUrl, { ...settings, ...more });
  started.push(one);
  return one;
}
const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
};
const ended = (one: ServerProcess) => until(() => !one.isAlive());

const read = { tool: 'workplace__list_channels', arguments: {} };
const ticket = (title: string) => ({ tool: 'workplace__create_ticket', arguments: { title } });
const sql = <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  fixture.get(DatabaseService).tenant(fixture.agent, (tx) => runSql(tx, text, values));
interface TaskRow {
  id: string;
  is_claimed: boolean;
  lost_processes: number;
}
const row = async (id: string) => (await sql<TaskRow>('select * from tasks where external_id = $1', id))[0];
const isCalling = async (id: string) =>
  (
    await sql(
      `select 1 from tool_calls c join tasks t on t.tenant_id = c.tenant_id and t.id::text = c.task_id::text
       where t.external_id = $1 and c.state = 'executing'`,
      id,
    )
  ).length > 0;
const audited = async (id: string) => {
  const { id: taskId } = await row(id);
  const rows = await sql<{ kind: string }>(
    `select kind from audit_events where subject ->> 'id' = $1 and kind in ('task.quarantined', 'task.retried') order by id`,
    taskId,
  );
  return rows.map(({ kind }) => kind);
};
const retry = `mutation ($id: ID!) { retryQuarantinedTask(input: { id: $id }) { id state isQuarantined } }`;
const quarantinedTasks = `{ tasks(isQuarantined: true, first: 10) { nodes { externalId isQuarantined status } } }`;

async function send(...parts: object[]): Promise<string> {
  const id = newTaskId();
  expect((await wire.send(id, ...parts)).status).toBe(200);
  return id;
}

describe('a task that crashes two processes', () => {
  let guilty: string;

  it('is quarantined by the third process, while concurrent tasks complete', async () => {
    const first = await start(deadly);
    await workplace.fail({ fault: 'slow', ms: 2000 });
    const beside = await Promise.all([send(read), send(read), send(read)]);
    await until(async () => (await Promise.all(beside.map(isCalling))).every(Boolean));
    guilty = await send({ text: 'deadly text' });
    await ended(first);
    await workplace.clearFaults();

    const second = await start(deadly);
    await ended(second);

    const internalPort = String(await freePort());
    const third = await start({ ...deadly, INTERNAL_PORT: internalPort });
    const { status } = await wire.until(guilty, 'input-required');
    expect(status).toMatchObject({ metadata: { reason: 'quarantine' } });
    expect(status.message!.parts[0].text).toMatch(/^Two processes of the server ended/);
    for (const id of beside) await wire.until(id, 'completed');
    const after = await send(ticket('after the quarantine'));
    await wire.until(after, 'completed');
    expect(third.isAlive()).toBe(true);

    // the operator
    expect(third.log()).toContain('quarantined a task');
    const metrics = await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text();
    expect(metrics).toContain('countersign_quarantined_total{kind="task"} 1');
    // the administrators
    await expect(audited(guilty)).resolves.toEqual(['task.quarantined']);
    const ask = await fixture.organization.as();
    expect((await ask(quarantinedTasks)).data.tasks.nodes).toMatchObject([{ externalId: guilty, isQuarantined: true }]);
    // its caller, whose messages do not release it
    expect((await wire.send(guilty, { text: 'go on' })).body.status.state).toBe('input-required');
    expect(third.isAlive()).toBe(true);
  });

  it('runs again only when an administrator retries it', async () => {
    const { id } = await row(guilty);
    const reader = await fixture.organization.as(await fixture.organization.member({ name: 'Mo Member', roles: [] }));
    expect((await reader(retry, { id })).errors).toBeDefined();
    await start();
    const ask = await fixture.organization.as();
    await expect(ask(retry, { id })).resolves.toMatchObject({
      data: { retryQuarantinedTask: { isQuarantined: false } },
    });
    await expect(audited(guilty)).resolves.toEqual(['task.quarantined', 'task.retried']);
    const { status } = await wire.until(guilty, 'completed', 'failed', 'input-required');
    expect(status.metadata?.reason).not.toBe('quarantine');
    const { errors } = await ask(retry, { id });
    expect(errors?.[0].extensions.code).toBe('task-not-quarantined');
  });

  it('is quarantined again when it crashes two more processes, and can be canceled', async () => {
    const id = await send({ text: 'deadly text' });
    const { id: taskId } = await row(id);
    for (const _ of [1, 2]) await ended(await start(deadly));
    await start(deadly);
    await wire.until(id, 'input-required');
    const ask = await fixture.organization.as();
    await ask(retry, { id: taskId });
    for (const one of started) await ended(one);
    await ended(await start(deadly));
    const last = await start(deadly);
    await wire.until(id, 'input-required');
    expect(last.isAlive()).toBe(true);
    expect((await wire.cancel(id)).body.status.state).toBe('canceled');
    expect((await ask(quarantinedTasks)).data.tasks.nodes).toEqual([]);
  });

  it('is also quarantined when it blocks processes instead', async () => {
    const id = await send({ text: 'endless text' });
    const held = await start(deadly);
    await until(async () => (await row(id)).is_claimed);
    const heldToo = await start(deadly);
    await until(async () => (await row(id)).lost_processes === 1);
    const third = await start(deadly);
    await wire.until(id, 'input-required');
    await expect(audited(id)).resolves.toEqual(['task.quarantined']);
    await wire.until(await send(read), 'completed');
    expect([held, heldToo, third].map((one) => one.isAlive())).toEqual([true, true, true]);
  });
});

describe('a task with a call in progress', () => {
  it('is quarantined when two processes are killed', async () => {
    await workplace.fail({ fault: 'slow', ms: 4000 });
    const id = await send(read);
    for (const lost of [0, 1]) {
      const one = await start();
      await until(async () => (await isCalling(id)) && (await row(id)).lost_processes === lost);
      await one.kill();
    }
    await start();
    const { status } = await wire.until(id, 'input-required', 'completed');
    expect(status).toMatchObject({ state: 'input-required', metadata: { reason: 'quarantine' } });
  });

  it('counts no lost process during a regular shutdown, even if the process is killed before it ends', async () => {
    await workplace.fail({ fault: 'slow', ms: 4000 });
    const id = await send(read);
    for (const _ of [1, 2]) {
      const one = await start();
      await until(async () => (await isCalling(id)) && (await row(id)).is_claimed);
      one.signal('SIGTERM');
      await until(async () => !(await row(id)).is_claimed);
      await one.kill();
      expect((await row(id)).lost_processes).toBe(0);
    }
    await start();
    await wire.until(id, 'completed');
    await expect(audited(id)).resolves.toEqual([]);
  });
});
