import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { statement } from '../src/platform/database/statement.js';
import { Config } from '../src/platform/config/config.js';
import { type RunningServer, startServer } from '../src/server.js';
import type { Browser } from './kit/browser.js';
import { GateFixture } from './kit/gate-fixture.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';
import { anotherAgentIdentity, decideApproval, newTaskId, type Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';

const channels = { tool: 'workplace__list_channels', arguments: {} };
const ticket = (title: string) => ({ tool: 'workplace__create_ticket', arguments: { title } });

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let wire: Wire;
let reviewer: Browser;
beforeAll(async () => {
  server = await testServer();
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  wire = wireOf(fixture, server.url);
  reviewer = await fixture.organization.browser(fixture.reviewer);
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

const arrived = async (title: string) =>
  (await workplace.arrivals()).filter(
    ({ tool, arguments: args }) => tool === 'create_ticket' && (args as { title: string }).title === title,
  );
const audited = async (id: string): Promise<string[]> => {
  const rows: { kind: string }[] = await fixture
    .get(DatabaseService)
    .tenant(fixture.agent, (tx) =>
      runSql(tx, `select kind from audit_events where subject ->> 'name' = $1 order by id`, [id]),
    );
  return rows.map(({ kind }) => kind);
};

describe('a task', () => {
  it('that needs no approval completes with a receipt, and is audited', async () => {
    const id = newTaskId();
    const stream = await (await wire.subscribe(id, channels)).end();
    expect(stream.states).toEqual(['submitted', 'working', 'completed']);
    const parts = stream.updates.at(-1)!.data.artifacts!.flatMap((artifact) => artifact.parts);
    expect(parts).toEqual(
      expect.arrayContaining([
        {
          data: expect.objectContaining({
            kind: 'receipt',
            calls: [expect.objectContaining({ tool: channels.tool, outcome: 'succeeded' })],
          }),
        },
      ]),
    );
    await expect(audited(id)).resolves.toEqual(['task.submitted', 'task.completed']);
  });

  it('with missing information asks for it, and continues with the answer', async () => {
    const id = newTaskId();
    const stream = await wire.subscribe(id, { tool: 'workplace__create_ticket', arguments: {} });
    const asked = await stream.until('input-required');
    expect(asked.data.status).toMatchObject({
      message: { role: 'agent', parts: [{ text: expect.any(String) }] },
      metadata: { reason: 'information' },
    });
    await expect(wire.send(id, channels)).resolves.toMatchObject({
      status: 200,
      body: { status: { state: 'submitted' } },
    });
    await stream.end();
    expect(stream.states).toEqual(['submitted', 'working', 'input-required', 'submitted', 'working', 'completed']);
    const { body } = await wire.call('GET', `/tasks/${id}?historyLength=10`);
    expect(body.history.map(({ role }: { role: string }) => role)).toEqual(['user', 'agent', 'user']);
    await expect(audited(id)).resolves.toEqual(['task.submitted', 'task.continued', 'task.completed']);
  });

  it('fails with a reason if its upstream is down', async () => {
    await workplace.stop();
    const id = newTaskId();
    await wire.send(id, channels);
    const { status } = await wire.until(id, 'failed', 'completed');
    await workplace.start();
    expect(status).toMatchObject({ state: 'failed', error: { code: 'upstream-failed', detail: expect.any(String) } });
  });

  it('fails if the policy denies its call', async () => {
    const id = newTaskId();
    await wire.send(id, { tool: 'workplace__close_ticket', arguments: { id: 'LAN-2291', resolution: 'done' } });
    const { status } = await wire.until(id, 'failed', 'completed', 'input-required');
    expect(status.state).not.toBe('completed');
    await expect(
      workplace.arrivals().then((all) => all.filter(({ tool }) => tool === 'close_ticket')),
    ).resolves.toEqual([]);
  });
});

describe('an approval', () => {
  it('suspends the task in the database, and the task continues automatically', async () => {
    const id = newTaskId();
    const stream = await wire.subscribe(id, ticket('Approved once'));
    const { data } = await stream.until('input-required');
    expect(data.status.metadata).toEqual({
      reason: 'approval',
      approvalId: expect.any(String),
      tool: 'workplace__create_ticket',
      expiresAt: expect.stringMatching(/Z$/),
    });
    expect(data.status.message!.parts[0].text).toContain('workplace__create_ticket');
    await expect(wire.send(id, 'I approve, go ahead!')).resolves.toMatchObject({
      status: 200,
      body: { status: { state: 'input-required' } },
    });
    await expect(arrived('Approved once')).resolves.toEqual([]);
    await decideApproval(reviewer, data.status.metadata!.approvalId!, 'approve');
    await stream.until('completed').catch(() => stream.until('input-required'));
    expect(stream.states.slice(0, 5)).toEqual(expect.arrayContaining(['submitted', 'working', 'input-required']));
    expect(stream.states[3]).toBe('working');
    await expect(arrived('Approved once')).resolves.toHaveLength(1);
    stream.close();
  });

  it('ends the task with the reason if it is denied', async () => {
    const id = newTaskId();
    await wire.send(id, ticket('Denied'));
    const { status } = await wire.until(id, 'input-required');
    await decideApproval(reviewer, status.metadata!.approvalId!, 'deny', 'not this week');
    const ended = await wire.until(id, 'failed', 'completed');
    expect(ended.status.error).toMatchObject({
      code: 'approval-denied',
      detail: expect.stringContaining('not this week'),
      callId: expect.any(String),
    });
    await expect(arrived('Denied')).resolves.toEqual([]);
  });

  it('is found by the recheck if its wake-up is lost', async () => {
    const id = newTaskId();
    await wire.send(id, ticket('Missed'));
    const { status } = await wire.until(id, 'input-required');
    const { systemPool } = fixture.get(DatabaseService);
    // as if the deciding process had died before the wake-up, and a minute had passed
    await decideApproval(reviewer, status.metadata!.approvalId!, 'approve');
    const loseWakeUp = statement<[externalId: string]>(
      `update tasks set is_woken = false, due_at = now() where external_id = $1 and state = 'input-required'`,
    );
    await systemPool.execute(loseWakeUp, [id]);
    await expect(wire.until(id, 'completed')).resolves.toMatchObject({ id });
    await expect(arrived('Missed')).resolves.toHaveLength(1);
    const states = (await (await wire.events(id)).end()).states;
    expect(states).toEqual(['submitted', 'working', 'input-required', 'working', 'completed']);
  });
});

describe('a pause', () => {
  const toolId = async () =>
    (await fixture.get(ToolsService).listOf(await fixture.principalOf(), fixture.connectionId)).find(
      ({ upstreamName }) => upstreamName === 'list_channels',
    )!.id;

  it('of a tool makes its tasks wait until it is resumed', async () => {
    const admin = await fixture.principalOf();
    await fixture.get(ToolsService).pause(admin, await toolId());
    // an explicit call, and a text that has to be matched to a tool
    const streams = [
      await wire.subscribe(newTaskId(), channels),
      await wire.subscribe(newTaskId(), 'List the channels.'),
    ];
    for (const stream of streams) {
      while (!stream.updates.at(-1)?.data.status.metadata) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(stream.updates.at(-1)!.data.status).toMatchObject({
        state: 'working',
        metadata: { reason: 'pause', tool: channels.tool },
      });
    }
    await fixture.get(ToolsService).resume(admin, await toolId());
    for (const stream of streams) {
      await stream.end();
      expect(stream.states.at(-1)).toBe('completed');
    }
  });

  it('of the configuration makes its tasks wait, and is reported', async () => {
    const admin = await fixture.principalOf();
    await fixture.get(ConfigurationsService).pause(admin, fixture.configurationId);
    const id = newTaskId();
    const stream = await wire.subscribe(id, channels);
    await expect(stream.until('working')).resolves.toBeDefined();
    try {
      await vi.waitFor(
        () =>
          expect(stream.updates.at(-1)!.data.status).toMatchObject({
            state: 'working',
            message: { parts: [{ text: expect.stringContaining('paused') }] },
          }),
        { timeout: 120_000 },
      );
    } finally {
      await fixture.get(ConfigurationsService).resume(admin, fixture.configurationId);
    }
    await stream.end();
    expect(stream.states.at(-1)).toBe('completed');
  });

  it('of a key makes its tasks wait until it is resumed', async () => {
    const { wire: other, keyId } = await anotherAgentIdentity(fixture, server.url, 'Paused');
    const id = newTaskId();
    await other.send(id, ticket('Paused'));
    const { status } = await other.until(id, 'input-required');
    const admin = await fixture.principalOf();
    await fixture.get(KeysService).pause(admin, keyId);
    await expect(other.call('GET', '/tasks')).resolves.toMatchObject({ status: 403 });
    await decideApproval(reviewer, status.metadata!.approvalId!, 'approve');
    await new Promise((resolve) => setTimeout(resolve, 500));
    await expect(arrived('Paused')).resolves.toEqual([]);
    await fixture.get(KeysService).resume(admin, keyId);
    await expect(other.until(id, 'completed')).resolves.toBeDefined();
    await expect(arrived('Paused')).resolves.toHaveLength(1);
  });
});

describe('administration', () => {
  const query = `query ($id: ID!) { task(id: $id) { externalId state turns timeline { kind state number text calls { tool callId outcome } } } }`;

  it('lists tasks and shows the timeline of a task without argument values', async () => {
    const id = newTaskId();
    await wire.send(id, ticket('Seen by administrators'));
    const { status } = await wire.until(id, 'input-required');
    const ask = await fixture.organization.as();
    const list = await ask(
      `{ tasks(first: 1, state: INPUT_REQUIRED) { totalCount nodes { id externalId state } pageInfo { hasNextPage endCursor } } }`,
    );
    expect(list.data.tasks.nodes).toEqual([{ id: expect.any(String), externalId: id, state: 'INPUT_REQUIRED' }]);
    const taskId = list.data.tasks.nodes[0].id;
    const { data } = await ask(query, { id: taskId });
    expect(data.task.timeline.map(({ kind, state }: { kind: string; state: string }) => state ?? kind)).toEqual(
      expect.arrayContaining(['SUBMITTED', 'message', 'WORKING', 'turn', 'INPUT_REQUIRED']),
    );
    expect(JSON.stringify(data.task.timeline)).not.toContain('Seen by administrators');
    const canceled = await ask(`mutation ($input: CancelTaskInput!) { cancelTask(input: $input) { state } }`, {
      input: { id: taskId },
    });
    expect(canceled.data.cancelTask).toEqual({ state: 'CANCELED' });
    const again = await ask(`mutation ($input: CancelTaskInput!) { cancelTask(input: $input) { state } }`, {
      input: { id: taskId },
    });
    expect(again.code).toBe('task-not-cancelable');
    const page = await (await reviewer.fetch(`/approvals/${status.metadata!.approvalId}`)).text();
    expect(page).not.toContain('value="approve"');
  });

  it('requires permissions, and is limited to the own organization', async () => {
    const member = await fixture.organization.member();
    const asMember = await fixture.organization.as(member);
    await expect(asMember('{ tasks { totalCount } }')).resolves.toMatchObject({ data: { tasks: { totalCount: 0 } } });
    const auditor = await fixture.organization.as(await fixture.organization.member({ roles: ['auditor'] }));
    const { data } = await auditor('{ tasks(first: 1) { nodes { id } } }');
    const input = { id: data.tasks.nodes[0].id };
    const cancel = `mutation ($input: CancelTaskInput!) { cancelTask(input: $input) { state } }`;
    await expect(asMember('query ($id: ID!) { task(id: $id) { id } }', input)).resolves.toMatchObject({
      code: 'task-not-found',
    });
    await expect(asMember(cancel, { input })).resolves.toMatchObject({ code: 'task-not-found' });
    await expect(auditor(cancel, { input })).resolves.toMatchObject({ code: 'forbidden' });
    const other = await GateFixture.create(server, workplace);
    const stranger = await other.organization.as();
    await expect(stranger('query ($id: ID!) { task(id: $id) { id } }', input)).resolves.toMatchObject({
      code: 'task-not-found',
    });
    await expect(stranger(cancel, { input })).resolves.toMatchObject({ code: 'task-not-found' });
    await expect(stranger('{ tasks { totalCount } }')).resolves.toMatchObject({ data: { tasks: { totalCount: 0 } } });
  });
});

describe('another process', () => {
  let web: RunningServer;
  beforeAll(async () => {
    web = await startServer(testConfig(server.databaseUrl, server.folder, { ROLE: 'web' }));
  });
  afterAll(() => web.close());

  it('streams and shows a task that this process works on', async () => {
    const elsewhere = wireOf(fixture, web.app.get(Config).baseUrl);
    const id = newTaskId();
    const stream = await (await elsewhere.subscribe(id, channels)).end();
    expect(stream.states).toEqual(['submitted', 'working', 'completed']);
    expect(stream.updates.map(({ number }) => number)).toEqual([1, 2, 3]);
    await expect(elsewhere.get(id)).resolves.toEqual(await wire.get(id));
  });
});
