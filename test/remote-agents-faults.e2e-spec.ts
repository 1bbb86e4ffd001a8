import type { NextFunction, Request, Response } from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { LogService } from '../src/platform/telemetry/log.service.js';
import { serializeError } from '../src/platform/telemetry/logged-error.js';
import type { Principal } from '../src/principal/principal.js';
import { GateFixture } from './kit/gate-fixture.js';
import { RemoteAgentFixture } from './kit/remote-agent-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import type { Wire } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let wire: Wire;
let admin: Principal;
let ways: RemoteAgentFixture;

beforeAll(async () => {
  server = await testServer({ LIMIT_CALL_SECONDS: '15', TASK_WORK_SECONDS: '6' });
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  ways = await RemoteAgentFixture.create(fixture, server.url);
  ({ wire, admin } = ways);
});
afterEach(() => ways.stop());
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const callOf = (id: string) => ways.latestCall(id);
const ofCall = (change: string, callId: string) =>
  ways.query(`update remote_delegations set ${change} where call_id = $1`, [callId]);
const isProtocol = ({ path }: Request) => path.startsWith('/rpc') || path.startsWith('/rest');
const answering = (act: (request: Request, response: Response, next: NextFunction) => unknown) => {
  return (request: Request, response: Response, next: NextFunction) =>
    isProtocol(request) ? act(request, response, next) : next();
};

describe('a cancellation', () => {
  it('while the task is on its way is passed on once the agent has it', async () => {
    const way = await ways.connect();
    let isDelayed = false;
    way.agent.intercept = answering((_request, _response, next) => {
      if (isDelayed) return next();
      isDelayed = true;
      setTimeout(next, 9000);
    });
    const id = await ways.delegate(way, 'hold on');
    await expect.poll(() => isDelayed, { timeout: 120_000 }).toBe(true);
    await wire.cancel(id);
    await expect.poll(() => way.agent.canceled.length, { timeout: 45_000 }).toBe(1);
  }, 240_000);

  it('of a task of which nobody knows whether it arrived leaves that for a person to find out', async () => {
    const way = await ways.connect();
    const id = await ways.delegateAndHold(way);
    const { id: callId } = await callOf(id);
    // as if killed after the agent answered and before that was written down
    await ofCall('remote_task_id = null, remote_context_id = null, standing = null', callId);
    await wire.cancel(id);
    await expect.poll(async () => (await callOf(id)).state, { timeout: 60_000 }).not.toBe('executing');
    expect((await callOf(id)).state).toBe('unsettled');
  }, 240_000);

  it('that a gateway does not let through is tried again', async () => {
    const way = await ways.connect({ binding: 'HTTP+JSON' });
    const id = await ways.delegateAndHold(way);
    let refused = 0;
    way.agent.intercept = answering((request, response, next) =>
      request.path.includes('cancel') && !refused++ ? void response.status(503).end() : next(),
    );
    await wire.cancel(id);
    await expect.poll(() => way.agent.canceled.length, { timeout: 120_000 }).toBe(1);
  }, 240_000);
});

describe('the credential', () => {
  it('of a new host is not shown to the one before', async () => {
    const way = await ways.connect({ token: 'old-secret' });
    const id = await ways.delegateAndHold(way);
    const other = await ways.startAgent({ token: 'new-secret' });
    const seen: unknown[] = [];
    way.agent.intercept = (request, _response, next) => {
      seen.push(request.headers['x-agent-key']);
      next();
    };
    const { id: connectionId, revision } = await fixture.get(ConnectionsService).get(admin, way.connection.id);
    const change = { settings: { url: other.url }, secrets: { token: 'new-secret' } };
    await fixture.get(ConnectionsService).update(admin, { id: connectionId, revision, ...change });
    await ways.query(`update tool_calls set executing_until = now() where id = $1`, [(await callOf(id)).id]);
    await expect.poll(async () => (await callOf(id)).state, { timeout: 120_000 }).not.toBe('executing');
    await pause(3000);
    expect(seen).not.toContain('new-secret');
  }, 240_000);

  it('that an agent repeats is not logged', async () => {
    const lines: string[] = [];
    const written = vi.spyOn(fixture.get(LogService), 'warn').mockImplementation((fields) => {
      lines.push(JSON.stringify(serializeError((fields as { err?: unknown }).err)));
    });
    const way = await ways.connect({ token: 'a-secret-key' });
    await ways.delegateAndHold(way);
    way.agent.intercept = answering((_request, response) => void response.status(500).send('not with a-secret-key'));
    await expect.poll(() => lines.length, { timeout: 120_000 }).toBeGreaterThan(0);
    written.mockRestore();
    expect(lines.filter((line) => line.includes('a-secret-key'))).toEqual([]);
  }, 240_000);
});

describe('an agent elsewhere', () => {
  it.each([
    ['a gateway’s 502', 502, '<html>'],
    ['an internal error', 200, { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }],
  ])(
    'that heard the task, and answers with %s, may be at it',
    async (_name, status, body) => {
      const way = await ways.connect({ binding: status === 200 ? 'JSONRPC' : 'HTTP+JSON' });
      way.agent.intercept = answering((_request, response) => void response.status(status).send(body));
      const id = await ways.delegate(way, 'hold on');
      await expect.poll(async () => (await callOf(id))?.state, { timeout: 120_000 }).toMatch(/unsettled|failed/);
      expect((await callOf(id)).state).toBe('unsettled');
    },
    60_000,
  );

  it('before which a gateway answers 404 for a moment knows its task afterwards', async () => {
    const way = await ways.connect();
    const id = await ways.delegateAndHold(way);
    let asked = 0;
    way.agent.intercept = answering((_request, response, next) =>
      asked++ ? next() : void response.status(404).send('default backend - 404'),
    );
    await expect.poll(() => asked, { timeout: 120_000 }).toBeGreaterThan(0);
    way.agent.releaseHeld();
    await wire.until(id, 'completed', 'failed');
    expect((await callOf(id)).state).toBe('succeeded');
  }, 240_000);

  it('that has not said for a quarter of an hour how its task stands is lost, and canceled once it is back', async () => {
    const way = await ways.connect();
    const id = await ways.delegateAndHold(way);
    let isAway = true;
    way.agent.intercept = answering((_request, response, next) => (isAway ? void response.status(503).end() : next()));
    await ofCall(`silent_since = now() - interval '16 minutes'`, (await callOf(id)).id);
    const done = await wire.until(id, 'completed', 'failed');
    expect(JSON.stringify(done)).toContain('has not said how the task stands');
    isAway = false;
    await expect.poll(() => way.agent.canceled.length, { timeout: 30_000 }).toBe(1);
  }, 240_000);

  it('whose card moved since it was confirmed hears nothing', async () => {
    const way = await ways.connect();
    const paths: string[] = [];
    way.agent.intercept = (request, _response, next) => {
      paths.push(request.path);
      next();
    };
    way.agent.options.card = {
      supportedInterfaces: [{ url: `${way.agent.url}/moved`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    };
    await ways.delegate(way, 'echo anything');
    await expect.poll(() => paths.length, { timeout: 120_000 }).toBeGreaterThan(0);
    await pause(1000);
    expect(paths).not.toContain('/moved');
  }, 240_000);

  it('whose card holds what the database refuses ends the call', async () => {
    const way = await ways.connect();
    const tenant = 'a\u0000b';
    way.agent.options.card = {
      supportedInterfaces: [
        { url: `${way.agent.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant },
      ],
    };
    const id = await ways.delegate(way, 'echo anything');
    await expect.poll(async () => (await callOf(id))?.state, { timeout: 15_000 }).toMatch(/failed|succeeded/);
  }, 240_000);

  it('that is slow to say how its task stands does not use up the time to work on it', async () => {
    const way = await ways.connect();
    const id = await ways.delegateAndHold(way);
    way.agent.intercept = answering((_request, _response, next) => void setTimeout(next, 2500));
    await pause(14_000);
    way.agent.releaseHeld();
    await expect.poll(async () => (await wire.get(id)).status.state, { timeout: 30_000 }).toMatch(/completed|failed/);
    expect((await wire.get(id)).status.state).toBe('completed');
  }, 240_000);

  it('whose card changes goes on with what it has once that is confirmed', async () => {
    const way = await ways.connect();
    const id = await ways.delegateAndHold(way);
    way.agent.options.card = { description: 'Reworded.' };
    await fixture.get(ConnectionsService).verify(admin, way.connection.id);
    const { id: callId } = await callOf(id);
    await ways.query(`update tool_calls set executing_until = now() where id = $1`, [callId]);
    await expect
      .poll(async () => (await wire.get(id)).status.metadata, { timeout: 90_000 })
      .toMatchObject({ reason: 'pause' });
    const [tool] = await ways.query<{ id: string; definition_hash: string }>(
      'select id, definition_hash from tools where connection_id = $1',
      [way.connection.id],
    );
    await fixture.get(ToolsService).confirm(admin, tool.id, 'write', tool.definition_hash);
    way.agent.releaseHeld();
    await wire.until(id, 'completed', 'failed');
    expect((await callOf(id)).state).toBe('succeeded');
  }, 120_000);

  it('that speaks of another task than it was asked about is not believed', async () => {
    const way = await ways.connect();
    const id = await ways.delegateAndHold(way);
    let asked = 0;
    way.agent.intercept = answering((request, response, next) => {
      if (asked++) return next();
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk));
      request.on('end', () => {
        const status = { state: 'TASK_STATE_COMPLETED' };
        const artifacts = [{ artifactId: 'a', parts: [{ text: 'stolen' }] }];
        const result = { id: 'of-somebody-else', contextId: 'c', status, artifacts };
        response.json({ jsonrpc: '2.0', id: (JSON.parse(body) as { id: number }).id, result });
      });
    });
    await expect.poll(() => asked, { timeout: 120_000 }).toBeGreaterThan(0);
    way.agent.releaseHeld();
    const done = await wire.until(id, 'completed', 'failed');
    expect(done.status.state).toBe('completed');
    expect(JSON.stringify(done)).not.toContain('stolen');
  }, 240_000);
});
