import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inputRequired } from '@modelcontextprotocol/server';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ToolsService } from '../src/connections/tools.service.js';
import { parseEventId } from '../src/mcp/sessions/event-position.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { SessionWire, type McpReply } from './kit/session-wire.js';

let server: TestServer;
let doomed: ServerProcess;
let upstream: McpUpstream;
let fixture: GateFixture;
let token: string;
let owner: pg.Client;

const belt = inputRequired.elicit({
  message: 'Which belt?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
});
/** Calls of the tool "slow" return after this resolves. */
let slow = Promise.withResolvers<void>();
const answer = { action: 'accept', content: { name: 'B2' } };
const gone = { error: { code: -32000, message: expect.stringContaining('has stopped') } };

beforeAll(async () => {
  [server, upstream] = await Promise.all([testServer({ MCP_HOLD_SECONDS: '1' }), McpUpstream.start()]);
  upstream.serveStateless({
    tools: ['list_tickets', 'get_ticket', 'list_channels', 'ask', 'slow'].map((name) => upstreamTool(name)),
    call: async (name, _, { mcpReq }) => {
      if (name === 'slow') await slow.promise;
      if (name !== 'ask' || mcpReq.inputResponses)
        return toolTextResult(`answered: ${JSON.stringify(mcpReq.inputResponses)}`);
      return inputRequired({ inputRequests: { belt }, requestState: 'asked' });
    },
  });
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  fixture = await GateFixture.create(server, upstream);
  await fixture.publish('permit (principal, action, resource);');
  const admin = await fixture.principalOf();
  for (const { id, definitionHash, name } of await fixture.get(ToolsService).listOf(admin, fixture.connectionId))
    if (name === 'workplace__ask') await fixture.get(ToolsService).confirm(admin, id, 'read', definitionHash);
  const product = await anAssistantProduct(server, fixture);
  token = (await product.tokens(await aUser(fixture), { scope: 'api:read api:write' })).access_token;
}, 600_000);
beforeEach(() => {
  slow = Promise.withResolvers<void>();
  before = slowCalls();
});
const start = async (settings: Record<string, string> = {}) => {
  doomed = await serverProcess(server.databaseUrl, { BASE_URL: server.url, ...settings });
};
/** A long grace period, because the machine may be busy. */
const longGrace = { SHUTDOWN_GRACE_SECONDS: '120' };
afterEach(() => {
  slow.resolve();
  return doomed.kill();
});
afterAll(async () => {
  await owner.end();
  await server.close();
  upstream.stop();
});

const begin = () => new SessionWire(server.url, token).begin({ elicitation: {} });
const cutOff = async (call: McpReply) => {
  await doomed.kill('SIGKILL');
  await call.end();
};

const slowCalls = () => upstream.calls.filter(({ name }) => name === 'slow').length;
/** Number of earlier calls of "slow". `reached` waits until the upstream receives a new one. */
let before = 0;
async function reached(): Promise<void> {
  while (slowCalls() <= before) await sleep(20);
}
const isAdmissionWaiting = async () =>
  (
    await owner.query(
      `select 1 from pg_locks where not granted and relation = 'tool_calls'::regclass
         and database = (select oid from pg_database where datname = current_database())`,
    )
  ).rowCount! > 0;

describe('a call whose process is killed', () => {
  it('ends its question and tells its client to start again', async () => {
    await start();
    const wire = await begin();
    const call = await wire.at(doomed.url).call('workplace__ask');
    const { message } = await call.untilMethod('elicitation/create');
    await cutOff(call);
    const resumed = await wire.listen(call.lastId);
    expect((await resumed.end()).messages).toMatchObject([{ id: 1, ...gone }]);
    const late = await wire.respond(message.id, answer);
    expect([late.status, await late.body()]).toMatchObject([404, { error: { code: -32001 } }]);
    // the stream has ended, and all readers get the same end
    expect((await wire.listen(resumed.lastId)).status).toBe(204);
    expect((await (await wire.listen(call.lastId)).end()).messages).toEqual(resumed.messages);
    const anew = await begin();
    const again = await anew.call('workplace__ask');
    await anew.respond((await again.untilMethod('elicitation/create')).message.id, answer);
    expect((await again.end()).messages.at(-1).result.content[0].text).toContain('B2');
  }, 600_000);

  it('does not run again if it may have been executed', async () => {
    await start();
    const wire = await begin();
    const call = await wire.at(doomed.url).call('workplace__slow');
    await call.until(({ id }) => id !== undefined);
    await reached();
    await cutOff(call);
    const resumed = await wire.listen(call.lastId);
    expect((await resumed.end()).messages).toMatchObject([{ id: 1, ...gone }]);
    const again = await (await (await begin()).call('workplace__slow')).body();
    expect(['executing', 'unsettled']).toContain(again.result._meta['countersign/call'].state);
    expect(slowCalls()).toBe(before + 1);
  }, 600_000);
});

describe('a process that shuts down', () => {
  it('stores the result of a call that ends during the drain for readers on other processes', async () => {
    await start(longGrace);
    const wire = await begin();
    const call = await wire.at(doomed.url).call('workplace__slow', { for: 'the last time' });
    await call.until(({ id }) => id !== undefined);
    await reached();
    doomed.signal('SIGTERM');
    await call.end();
    slow.resolve();
    const resumed = await wire.listen(call.lastId);
    expect((await resumed.end()).messages).toMatchObject([
      { id: 1, result: { content: [{ text: expect.stringMatching(/^answered/) }] } },
    ]);
  }, 600_000);

  it('still sends a call that was not sent yet', async () => {
    await start(longGrace);
    slow.resolve();
    const wire = await begin();
    await owner.query('begin');
    await owner.query('lock table tool_calls in share row exclusive mode');
    let call: McpReply;
    try {
      call = await wire.at(doomed.url).call('workplace__slow', { for: 'the call before the shutdown' });
      await call.until(({ id }) => id !== undefined);
      while (!(await isAdmissionWaiting())) await sleep(20);
      doomed.signal('SIGTERM');
      await call.end();
      await sleep(1000); // the shutdown has passed all steps that do not wait for the call
    } finally {
      await owner.query('rollback');
    }
    const resumed = await wire.listen(call.lastId);
    expect((await resumed.end()).messages).toMatchObject([
      { id: 1, result: { content: [{ text: expect.stringMatching(/^answered/) }] } },
    ]);
  }, 600_000);

  it('releases the leases of its open calls immediately', async () => {
    await start();
    const wire = await begin();
    const call = await wire.at(doomed.url).call('workplace__ask');
    await call.untilMethod('elicitation/create');
    await doomed.kill('SIGTERM');
    await call.end();
    expect(call.messages.filter(({ id }) => id === 1)).toEqual([]);
    const { id } = parseEventId(call.lastId)!;
    const { rows } = await owner.query(
      'select alive_until > clock_timestamp() as "isAlive" from mcp_exchanges where id = $1',
      [id],
    );
    expect(rows).toEqual([{ isAlive: false }]); // no process waits for the lease to expire
    let messages: unknown[] = [];
    // a stream may end before its first message, so the client reconnects
    for (let last = call.lastId; !messages.length;) {
      const resumed = await wire.listen(last);
      expect(resumed.status).toBe(200);
      ({ messages } = await resumed.end());
      last = resumed.events.findLast(({ id }) => id)?.id ?? last;
    }
    expect(messages).toMatchObject([{ id: 1, ...gone }]);
  }, 600_000);
});
