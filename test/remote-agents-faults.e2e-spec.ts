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
let remoteAgents: RemoteAgentFixture;

beforeAll(async () => {
  server = await testServer({ LIMIT_CALL_SECONDS: '15', TASK_WORK_SECONDS: '6' });
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  remoteAgents = await RemoteAgentFixture.create(fixture, server.url);
  ({ wire, admin } = remoteAgents);
});
afterEach(() => remoteAgents.stop());
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const callOf = (id: string) => remoteAgents.latestCall(id);
const ofCall = (change: string, callId: string) =>
  remoteAgents.query(`update remote_delegations set ${change} where call_id = $1`, [callId]);
const isProtocol = ({ path }: Request) => path.startsWith('/rpc') || path.startsWith('/rest');
const answering = (act: (request: Request, response: Response, next: NextFunction) => unknown) => {
  return (request: Request, response: Response, next: NextFunction) =>
    isProtocol(request) ? act(request, response, next) : next();
};

describe('a cancellation', () => {
  it('of a task in flight is forwarded once the agent has received the task', async () => {
    const connected = await remoteAgents.connect();
    let isDelayed = false;
    connected.agent.intercept = answering((_request, _response, next) => {
      if (isDelayed) return next();
      isDelayed = true;
      setTimeout(next, 9000);
    });
    const id = await remoteAgents.delegate(connected, 'hold on');
    await expect.poll(() => isDelayed, { timeout: 120_000 }).toBe(true);
    await wire.cancel(id);
    await expect.poll(() => connected.agent.canceled.length, { timeout: 120_000 }).toBe(1);
  });

  it('of a task with an unknown delivery leaves an unknown outcome for a person to resolve', async () => {
    const connected = await remoteAgents.connect();
    const id = await remoteAgents.delegateAndHold(connected);
    const { id: callId } = await callOf(id);
    // as if killed after the agent responded and before the response was stored
    await ofCall('remote_task_id = null, remote_context_id = null, standing = null', callId);
    await wire.cancel(id);
    await expect.poll(async () => (await callOf(id)).state, { timeout: 120_000 }).not.toBe('executing');
    expect((await callOf(id)).state).toBe('unsettled');
  });

  it('that a gateway rejects is retried', async () => {
    const connected = await remoteAgents.connect({ binding: 'HTTP+JSON' });
    const id = await remoteAgents.delegateAndHold(connected);
    let refused = 0;
    connected.agent.intercept = answering((request, response, next) =>
      request.path.includes('cancel') && !refused++ ? void response.status(503).end() : next(),
    );
    await wire.cancel(id);
    await expect.poll(() => connected.agent.canceled.length, { timeout: 120_000 }).toBe(1);
  });
});

describe('the credential', () => {
  it('of a new host is not sent to the previous one', async () => {
    const connected = await remoteAgents.connect({ token: 'old-secret' });
    const id = await remoteAgents.delegateAndHold(connected);
    const other = await remoteAgents.startAgent({ token: 'new-secret' });
    const seen: unknown[] = [];
    connected.agent.intercept = (request, _response, next) => {
      seen.push(request.headers['x-agent-key']);
      next();
    };
    const { id: connectionId, revision } = await fixture.get(ConnectionsService).get(admin, connected.connection.id);
    const change = { settings: { url: other.url }, secrets: { token: 'new-secret' } };
    await fixture.get(ConnectionsService).update(admin, { id: connectionId, revision, ...change });
    await remoteAgents.query(`update tool_calls set executing_until = now() where id = $1`, [(await callOf(id)).id]);
    await expect.poll(async () => (await callOf(id)).state, { timeout: 120_000 }).not.toBe('executing');
    await pause(3000);
    expect(seen).not.toContain('new-secret');
  });

  it('is not logged when an agent repeats it', async () => {
    const lines: string[] = [];
    const written = vi.spyOn(fixture.get(LogService), 'warn').mockImplementation((fields) => {
      lines.push(JSON.stringify(serializeError((fields as { err?: unknown }).err)));
    });
    const connected = await remoteAgents.connect({ token: 'a-secret-key' });
    await remoteAgents.delegateAndHold(connected);
    connected.agent.intercept = answering(
      (_request, response) => void response.status(500).send('not with a-secret-key'),
    );
    await expect.poll(() => lines.length, { timeout: 120_000 }).toBeGreaterThan(0);
    written.mockRestore();
    expect(lines.filter((line) => line.includes('a-secret-key'))).toEqual([]);
  });
});

describe('a remote agent', () => {
  it.each([
    ['a gateway’s 502', 502, '<html>'],
    ['an internal error', 200, { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } }],
  ])('that responds to a task with %s may still work on it', async (_name, status, body) => {
    const connected = await remoteAgents.connect({ binding: status === 200 ? 'JSONRPC' : 'HTTP+JSON' });
    connected.agent.intercept = answering((_request, response) => void response.status(status).send(body));
    const id = await remoteAgents.delegate(connected, 'hold on');
    await expect.poll(async () => (await callOf(id))?.state, { timeout: 120_000 }).toMatch(/unsettled|failed/);
    expect((await callOf(id)).state).toBe('unsettled');
  });

  it('completes its task after a gateway in front of it temporarily responds with 404', async () => {
    const connected = await remoteAgents.connect();
    const id = await remoteAgents.delegateAndHold(connected);
    let asked = 0;
    connected.agent.intercept = answering((_request, response, next) =>
      asked++ ? next() : void response.status(404).send('default backend - 404'),
    );
    await expect.poll(() => asked, { timeout: 120_000 }).toBeGreaterThan(0);
    connected.agent.releaseHeld();
    await wire.until(id, 'completed', 'failed');
    expect((await callOf(id)).state).toBe('succeeded');
  });

  it('that has not reported the status of its task for 15 minutes counts as lost, and its task is canceled later', async () => {
    const connected = await remoteAgents.connect();
    const id = await remoteAgents.delegateAndHold(connected);
    let isAway = true;
    connected.agent.intercept = answering((_request, response, next) =>
      isAway ? void response.status(503).end() : next(),
    );
    await ofCall(`silent_since = now() - interval '16 minutes'`, (await callOf(id)).id);
    const done = await wire.until(id, 'completed', 'failed');
    expect(JSON.stringify(done)).toContain('has not reported the status of the task');
    isAway = false;
    await expect.poll(() => connected.agent.canceled.length, { timeout: 120_000 }).toBe(1);
  });

  it('receives nothing if its address changed since its card was confirmed', async () => {
    const connected = await remoteAgents.connect();
    const paths: string[] = [];
    connected.agent.intercept = (request, _response, next) => {
      paths.push(request.path);
      next();
    };
    connected.agent.options.card = {
      supportedInterfaces: [
        { url: `${connected.agent.url}/moved`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
    };
    await remoteAgents.delegate(connected, 'echo anything');
    await expect.poll(() => paths.length, { timeout: 120_000 }).toBeGreaterThan(0);
    await pause(1000);
    expect(paths).not.toContain('/moved');
  });

  it('ends the call if its card contains characters that the database rejects', async () => {
    const connected = await remoteAgents.connect();
    const tenant = 'a\u0000b';
    connected.agent.options.card = {
      supportedInterfaces: [
        { url: `${connected.agent.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant },
      ],
    };
    const id = await remoteAgents.delegate(connected, 'echo anything');
    await expect.poll(async () => (await callOf(id))?.state).toMatch(/failed|succeeded/);
  });

  it('does not use up the task’s work time when it is slow to report its status', async () => {
    const connected = await remoteAgents.connect();
    const id = await remoteAgents.delegateAndHold(connected);
    connected.agent.intercept = answering((_request, _response, next) => void setTimeout(next, 2500));
    await pause(14_000);
    connected.agent.releaseHeld();
    await expect.poll(async () => (await wire.get(id)).status.state, { timeout: 120_000 }).toMatch(/completed|failed/);
    expect((await wire.get(id)).status.state).toBe('completed');
  });

  it('continues its task after a change of its card is confirmed', async () => {
    const connected = await remoteAgents.connect();
    const id = await remoteAgents.delegateAndHold(connected);
    connected.agent.options.card = { description: 'Reworded.' };
    await fixture.get(ConnectionsService).verify(admin, connected.connection.id);
    const { id: callId } = await callOf(id);
    await remoteAgents.query(`update tool_calls set executing_until = now() where id = $1`, [callId]);
    await expect
      .poll(async () => (await wire.get(id)).status.metadata, { timeout: 120_000 })
      .toMatchObject({ reason: 'pause' });
    const [tool] = await remoteAgents.query<{ id: string; definition_hash: string }>(
      'select id, definition_hash from tools where connection_id = $1',
      [connected.connection.id],
    );
    await fixture.get(ToolsService).confirm(admin, tool.id, 'write', tool.definition_hash);
    connected.agent.releaseHeld();
    await wire.until(id, 'completed', 'failed');
    expect((await callOf(id)).state).toBe('succeeded');
  });

  it('is not trusted when it returns another task', async () => {
    const connected = await remoteAgents.connect();
    const id = await remoteAgents.delegateAndHold(connected);
    let asked = 0;
    connected.agent.intercept = answering((request, response, next) => {
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
    connected.agent.releaseHeld();
    const done = await wire.until(id, 'completed', 'failed');
    expect(done.status.state).toBe('completed');
    expect(JSON.stringify(done)).not.toContain('stolen');
  });
});
