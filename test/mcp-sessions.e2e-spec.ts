import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as rest } from 'node:timers/promises';
import { inputRequired } from '@modelcontextprotocol/server';
import pg from 'pg';
import type { Member } from '../src/access/member.entity.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { SessionEventStore } from '../src/mcp-sessions/session-event-store.service.js';
import { McpSessionSweepService } from '../src/mcp-sessions/mcp-session-sweep.service.js';
import { startServer } from '../src/server.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import type { Product } from './kit/product.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';
import { SessionWire } from './kit/session-wire.js';

let server: TestServer;
/** Acts as another process on the same database. */
let neighbour: Awaited<ReturnType<typeof startServer>>;
let there: string;
let upstream: McpUpstream;
let fixture: GateFixture;
let user: Member;
let product: Product;
let token: string;
let owner: pg.Client;

const slow = 'workplace__slow';
const form = inputRequired.elicit({
  message: 'Which belt?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
});

beforeAll(async () => {
  [server, upstream] = await Promise.all([testServer(), McpUpstream.start()]);
  neighbour = await startServer(testConfig(server.databaseUrl, server.folder, { BASE_URL: server.url }));
  there = `http://127.0.0.1:${neighbour.config.port}`;
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  upstream.serveStateless({
    tools: ['list_tickets', 'get_ticket', 'list_channels', 'slow', 'ask', 'count', 'log'].map((name) =>
      upstreamTool(name),
    ),
    capabilities: { logging: {} },
    call: async (name, { ms = 0, to = 0, as = 'accept' }, { mcpReq }) => {
      await rest(Number(ms));
      if (name === 'ask') {
        const { belt } = (mcpReq.inputResponses ?? {}) as { belt?: { action: string; content?: object } };
        return belt
          ? toolTextResult(`${as}: ${JSON.stringify(belt)}`)
          : inputRequired({ inputRequests: { belt: form }, requestState: 'asked' });
      }
      for (const level of name === 'log' ? (['info', 'error'] as const) : []) await mcpReq.log(level, `an ${level}`);
      for (let progress = 1; progress <= Number(to); progress++)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: mcpReq._meta!.progressToken!, progress, total: Number(to) },
        });
      return toolTextResult(`${name} took ${String(ms)} ms`);
    },
  });
  fixture = await GateFixture.create(server, upstream);
  await fixture.publish('permit (principal, action, resource);');
  const admin = await fixture.principalOf();
  const tools = fixture.get(ToolsService);
  for (const { id, definitionHash } of await tools.listOf(admin, fixture.connectionId))
    await tools.confirm(admin, id, 'read', definitionHash); // a read, so that the same call runs again
  user = await aUser(fixture);
  product = await anAssistantProduct(server, fixture);
  token = await tokenOf(product, user);
});
afterAll(async () => {
  await owner.end();
  await neighbour.close();
  await server.close();
  upstream.stop();
});

const tokenOf = async (by: Product, person: Member) =>
  (await by.tokens(person, { scope: 'api:read api:write' })).access_token;
const begin = (capabilities?: object, version?: string) =>
  new SessionWire(server.url, token, version).begin(capabilities);

describe('a session', () => {
  it('starts at one process and continues at another', async () => {
    const here = await begin();
    const elsewhere = here.at(there);
    const { result } = await (await elsewhere.request('tools/list')).body();
    expect(result.tools.map(({ name }: { name: string }) => name)).toContain(slow);
    const answer = await elsewhere.call(slow, { ms: 0 });
    expect(answer.status).toBe(200);
    expect((await answer.body()).result.content).toEqual([{ type: 'text', text: 'slow took 0 ms' }]);
    expect(await (await here.request('ping')).body()).toMatchObject({ result: {} });
  });

  it('uses the version that was negotiated at its start', async () => {
    const wire = new SessionWire(server.url, token, '2025-06-18');
    const { result } = await (
      await wire.request('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      })
    ).body();
    expect(result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'countersign' } });
    const unknown = await wire.request('initialize', {
      protocolVersion: '1999-12-31',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    });
    expect((await unknown.body()).result.protocolVersion).toBe('2025-11-25');
  });

  it('does not exist for another member or another client', async () => {
    const own = await begin();
    const max = await aUser(fixture, 'Max Member');
    const strangers = [await tokenOf(product, max), await tokenOf(await anAssistantProduct(server, fixture), user)];
    for (const stranger of strangers) {
      const theirs = own.at(there, { token: stranger });
      for (const answer of [await theirs.request('ping'), await theirs.listen(), await theirs.end()]) {
        expect(answer.status).toBe(404);
        expect(await answer.body()).toMatchObject({ error: { code: -32001 } });
      }
    }
    expect((await own.request('ping')).status).toBe(200);
  });

  it('stores the log level of its client', async () => {
    const wire = await begin();
    const levels = async (at: SessionWire) => {
      const { messages } = await (await at.call('workplace__log')).end();
      return messages.slice(0, -1).map(({ method, params }) => [method, params.level, params.data]);
    };
    const method = 'notifications/message';
    const all = [
      [method, 'info', 'an info'],
      [method, 'error', 'an error'],
    ];
    await expect(levels(wire)).resolves.toEqual(all);
    expect(await (await wire.at(there).request('logging/setLevel', { level: 'error' })).body()).toMatchObject({
      result: {},
    });
    await expect(levels(wire)).resolves.toEqual(all.slice(1));
    const refused = await (await wire.request('logging/setLevel', { level: 'loud' })).body();
    expect(refused).toMatchObject({ error: {} });
    await expect(levels(wire.at(there))).resolves.toEqual(all.slice(1));
  });

  it('ends on all processes when its client ends it', async () => {
    const here = await begin();
    const listening = await here.at(there).listen();
    expect((await here.end()).status).toBe(204);
    await listening.end();
    for (const url of [server.url, there]) {
      expect((await here.at(url).request('ping')).status).toBe(404);
      expect((await here.at(url).listen()).status).toBe(404);
    }
  });

  it('ends after a day without use and is deleted with all dependent rows', async () => {
    const idle = await begin();
    await (await idle.call(slow, { ms: 1200 })).end();
    const { rows } = await owner.query<{ id: string }>(
      `update mcp_sessions set seen_at = now() - interval '25 hours'
       where id = (select id from mcp_sessions order by created_at desc limit 1) returning id`,
    );
    expect((await idle.request('ping')).status).toBe(404);
    await server.app.get(McpSessionSweepService).sweep();
    for (const table of ['mcp_sessions where id', 'mcp_events where session_id', 'mcp_exchanges where session_id']) {
      const { rowCount } = await owner.query(`select 1 from ${table} = $1`, [rows[0].id]);
      expect([table, rowCount]).toEqual([table, 0]);
    }
  });

  it('ends if its client starts more than 5,000 sessions', async () => {
    const oldest = await begin();
    await owner.query(
      `insert into mcp_sessions (tenant_id, id, token_hash, member_id, client_id, configuration_id, protocol_version, initialize,
                                 subscriptions, subscription_changes, last_event, created_at, seen_at)
       select tenant_id, gen_random_uuid(), sha256(n::text::bytea), member_id, client_id, configuration_id, protocol_version,
              initialize, '{}', 0, 0, now(), now() from mcp_sessions, generate_series(1, 4999) n
       where token_hash = sha256(convert_to($1, 'UTF8'))`,
      [oldest.session],
    );
    await owner.query(
      `update mcp_sessions set seen_at = seen_at - interval '1 hour' where token_hash = sha256(convert_to($1, 'UTF8'))`,
      [oldest.session],
    );
    const newest = await begin();
    expect((await oldest.request('ping')).status).toBe(404);
    expect((await newest.request('ping')).status).toBe(200);
  });

  it('answers invalid requests with protocol errors', async () => {
    const wire = new SessionWire(server.url, token);
    const refused = async (answer: Promise<{ status: number; body(): Promise<{ error: { code: number } }> }>) => {
      const { status, body } = await answer.then(async (one) => ({ status: one.status, body: await one.body() }));
      return [status, body.error.code];
    };
    expect(await refused(wire.request('ping'))).toEqual([400, -32000]); // without a session
    expect(await refused(wire.at(server.url, { session: 'made up' }).request('ping'))).toEqual([404, -32001]);
    expect(await refused(wire.post({ jsonrpc: '1.0', id: 1 }))).toEqual([400, -32600]);
    const own = await begin();
    expect(await refused(own.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { accept: 'application/json' }))).toEqual([
      406, -32000,
    ]);
    expect(
      await refused(own.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-protocol-version': '2020-01-01' })),
    ).toEqual([400, -32600]);
    expect(await refused(own.listen('7'))).toEqual([400, -32000]);
    const big = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x'.repeat(20_000), version: '1' },
    };
    expect(await refused(wire.request('initialize', big))).toEqual([400, -32602]);
  });
});

describe('a slow call', () => {
  it('is answered with a stream that starts with a resumable event id', async () => {
    const wire = await begin();
    const answer = await wire.call(slow, { ms: 1300 });
    expect(answer.isStream).toBe(true);
    await answer.end();
    const [first, last] = answer.events;
    expect(first).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}\.0$/), retry: '10000', message: undefined });
    expect(last.message).toMatchObject({ id: 2, result: { content: [{ text: 'slow took 1300 ms' }] } });
    expect(answer.events).toHaveLength(2);
  });

  it('sends no empty event to clients of earlier versions', async () => {
    const wire = await begin({}, '2025-06-18');
    const { events } = await (await wire.call(slow, { ms: 1300 })).end();
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ id: expect.stringMatching(/\.1$/), message: { id: 2 } });
  });

  it('continues after a disconnect, and the client gets the outcome from another process', async () => {
    const wire = await begin();
    const answer = await wire.call(slow, { ms: 2000 });
    await answer.until(({ id }) => id !== undefined);
    answer.disconnect();
    const resumed = await wire.at(there).listen(answer.lastId);
    expect((await resumed.end()).messages).toMatchObject([
      { id: 2, result: { content: [{ text: 'slow took 2000 ms' }] } },
    ]);
    // the stored outcome can be read again and is the last event
    const again = await wire.listen(answer.lastId);
    expect((await again.end()).messages).toEqual(resumed.messages);
    expect((await wire.at(there).listen(resumed.lastId)).status).toBe(204);
  });

  it('does not replay the outcome to a client that could no longer make the call', async () => {
    const wire = await begin();
    const answer = await wire.call(slow, { ms: 1500 });
    await answer.until(({ id }) => id !== undefined);
    const place = answer.lastId;
    answer.disconnect();
    expect((await (await wire.at(there).listen(place)).end()).messages).toMatchObject([{ id: 2, result: {} }]);
    await fixture.publish('@id("none") permit (principal, action == Action::"workplace__log", resource);');
    const { messages } = await (await wire.at(there).listen(place)).end();
    expect(messages).toMatchObject([{ id: 2, error: { message: expect.stringContaining('not shown') } }]);
    await fixture.publish('permit (principal, action, resource);');
  });

  it('runs even if its client disconnects before the stream starts', async () => {
    const wire = await begin();
    /** Returns whether the client disconnected in time: on a busy machine the stream may have started before. */
    const disconnectsInTime = async () => {
      const before = upstream.calls.length;
      const abort = new AbortController();
      const request = fetch(`${server.url}/v1/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          'mcp-session-id': wire.session!,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: before,
          method: 'tools/call',
          params: { name: slow, arguments: { ms: 2000, before } },
        }),
        signal: abort.signal,
      }).then(
        () => false,
        () => true,
      );
      await expect.poll(() => upstream.calls.length, { interval: 5 }).toBe(before + 1);
      abort.abort();
      return request;
    };
    await expect.poll(disconnectsInTime).toBe(true);
    const before = upstream.calls.length;
    const state = async () =>
      (await owner.query<{ state: string }>(`select state from tool_calls order by id desc limit 1`)).rows[0].state;
    await expect.poll(state).toBe('succeeded');
    expect(upstream.calls).toHaveLength(before);
  });

  it('streams only to the latest reader', async () => {
    const wire = await begin();
    const first = await wire.call(slow, { ms: 2500 });
    await first.until(({ id }) => id !== undefined);
    const second = await wire.at(there).listen(first.lastId);
    await first.end();
    const third = await wire.listen(first.lastId);
    await second.end();
    expect([first.messages, second.messages]).toEqual([[], []]);
    expect((await third.end()).messages).toMatchObject([{ id: 2, result: {} }]);
  });

  it('is sealed in the database', async () => {
    const wire = await begin();
    await (await wire.call(slow, { ms: 1100 })).end();
    const { rows } = await owner.query<{ message: Buffer }>('select message_sealed as message from mcp_events');
    expect(rows.length).toBeGreaterThan(0);
    for (const { message } of rows) expect(message.toString('latin1')).not.toMatch(/jsonrpc|took/);
  });

  it('cannot be resumed from another session', async () => {
    const wire = await begin();
    const answer = await wire.call(slow, { ms: 1100 });
    await answer.end();
    const other = await begin();
    expect((await other.listen(answer.lastId)).status).toBe(400);
  });

  it('can be cancelled through any process', async () => {
    const wire = await begin();
    const seen = new Promise<void>((resolve) => {
      upstream.requests.length = 0;
      const look = setInterval(() => {
        const request = upstream.requests.find(({ destroyed, headers }) => destroyed && headers['mcp-name'] === 'slow');
        if (request) resolve(clearInterval(look));
      }, 20);
    });
    const answer = await wire.request('tools/call', { name: slow, arguments: { ms: 4000 } }, 'the call');
    expect(
      (await wire.at(there).notify('notifications/cancelled', { requestId: 'the call', reason: 'never mind' })).status,
    ).toBe(202);
    // a cancelled request gets no response (MCP, cancellation), and its stream cannot be resumed
    expect((await answer.end()).messages).toEqual([]);
    expect((await wire.listen(answer.events[0].id)).status).toBe(204);
    await seen;
  });

  it('can be cancelled before the stream starts', async () => {
    const wire = await begin();
    /** The answer is a stream if the machine is too busy to cancel the call before it starts. */
    const cancelled = async () => {
      const id = upstream.calls.length;
      const request = wire.request('tools/call', { name: slow, arguments: { ms: 3000, id } }, id);
      await expect.poll(() => upstream.calls.length, { interval: 5 }).toBe(id + 1);
      await wire.at(there).notify('notifications/cancelled', { requestId: id });
      const answer = await request;
      return [answer.status, await answer.body()];
    };
    await expect.poll(cancelled).toEqual([202, undefined]);
  });
});

describe('a call that asks its client', () => {
  const elicitation = { elicitation: {} };
  const answer = { action: 'accept', content: { name: 'B2' } };

  it('receives an answer that arrived at another process', async () => {
    const wire = await begin(elicitation);
    const call = await wire.call('workplace__ask');
    const question = await call.untilMethod('elicitation/create');
    expect(question.message.params).toMatchObject({ message: 'Which belt?' });
    expect((await wire.at(there).respond(question.message.id, answer)).status).toBe(202);
    const { messages } = await call.end();
    expect(messages.at(-1)).toMatchObject({
      id: 2,
      result: { content: [{ text: `accept: ${JSON.stringify(answer)}` }] },
    });
    // a second answer has no effect
    expect((await wire.respond(question.message.id, { action: 'decline' })).status).toBe(202);
  });

  it('sends its question again to a client that lost the stream', async () => {
    const wire = await begin(elicitation);
    const call = await wire.call('workplace__ask');
    const question = await call.untilMethod('elicitation/create');
    call.disconnect();
    const resumed = await wire.at(there).listen(call.events[0].id);
    const again = await resumed.untilMethod('elicitation/create');
    expect(again).toEqual(question);
    await wire.at(there).respond(again.message.id, answer);
    expect((await resumed.end()).messages.at(-1)).toMatchObject({ id: 2, result: { isError: false } });
  });

  it('fails if the client answers with an error', async () => {
    const wire = await begin(elicitation);
    const call = await wire.call('workplace__ask');
    const { message } = await call.untilMethod('elicitation/create');
    await wire.at(there).post({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: 'no screen' } });
    expect((await call.end()).messages.at(-1)).toMatchObject({ id: 2, result: { isError: true } });
  });

  it('accepts a late answer without effect after its cancellation', async () => {
    const wire = await begin(elicitation);
    const call = await wire.call('workplace__ask');
    const { message } = await call.untilMethod('elicitation/create');
    await wire.notify('notifications/cancelled', { requestId: 2 });
    await call.end();
    // simulates a lease that expired long ago
    await owner.query(`update mcp_exchanges set alive_until = now() - interval '1 minute' where id = $1`, [
      String(message.id).split('.')[0],
    ]);
    expect((await wire.at(there).respond(message.id, answer)).status).toBe(202);
    expect((await wire.request('ping')).status).toBe(200);
  });

  it('accepts no answer from another member', async () => {
    const wire = await begin(elicitation);
    const call = await wire.call('workplace__ask');
    const { message } = await call.untilMethod('elicitation/create');
    const max = await aUser(fixture, 'Moritz Member');
    const theirs = await new SessionWire(there, await tokenOf(product, max)).begin(elicitation);
    expect((await theirs.respond(message.id, answer)).status).toBe(404);
    await wire.respond(message.id, answer);
    expect((await call.end()).messages.at(-1).result.content[0].text).toContain('B2');
  });

  it('reports progress in order and without gaps across a disconnect', async () => {
    const wire = await begin();
    const progressToken = 'how far';
    const call = await wire.call('workplace__count', { to: 30, ms: 100 }, { _meta: { progressToken } });
    await call.until(({ message }) => message?.params?.progress === 7);
    call.disconnect();
    const resumed = await wire.at(there).listen(call.events.find(({ message }) => message?.params?.progress === 7)!.id);
    const { messages } = await resumed.end();
    expect(messages.slice(0, -1).map(({ params }: { params: object }) => params)).toEqual(
      Array.from({ length: 23 }, (_, nth) => ({ progressToken, progress: nth + 8, total: 30 })),
    );
    expect(messages.at(-1)).toMatchObject({ id: 2, result: {} });
  });
});

describe('the stream of a session', () => {
  const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
  const append = async (app: TestServer['app'], wire: SessionWire, message: object) => {
    const { rows } = await owner.query<{ id: string }>(
      `select id from mcp_sessions where token_hash = sha256(convert_to($1, 'UTF8'))`,
      [wire.session],
    );
    await app.get(SessionEventStore).append(fixture.organization.system, rows[0].id, [message as never]);
  };

  it('receives notifications from any process', async () => {
    const wire = await begin();
    const stream = await wire.listen();
    await append(neighbour.app, wire, changed);
    await append(server.app, wire, { ...changed, method: 'notifications/prompts/list_changed' });
    await stream.untilMethod('notifications/prompts/list_changed');
    expect(stream.messages.map(({ method }: { method: string }) => method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
    ]);
    stream.disconnect();
  });

  it('resumes at its last position on another process', async () => {
    const wire = await begin();
    const stream = await wire.listen();
    await append(server.app, wire, changed);
    await stream.until(({ message }) => message !== undefined);
    stream.disconnect();
    const later = { ...changed, method: 'notifications/resources/list_changed' };
    await append(server.app, wire, later);
    const resumed = await wire.at(there).listen(stream.lastId);
    await resumed.until(({ message }) => message !== undefined);
    expect(resumed.messages).toEqual([later]);
    // a stream without a position receives new events only
    const fresh = await wire.listen();
    await resumed.end();
    await append(neighbour.app, wire, changed);
    await fresh.until(({ message }) => message !== undefined);
    expect(fresh.messages).toEqual([changed]);
    fresh.disconnect();
  });

  it('ends when the user is suspended', async () => {
    const nina = await aUser(fixture, 'Nina Newcomer');
    const wire = await new SessionWire(server.url, await tokenOf(product, nina)).begin();
    const stream = await wire.listen();
    await fixture.suspend(nina);
    await stream.end();
    expect((await wire.request('ping')).status).toBe(401);
  });
});
