import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inputRequired } from '@modelcontextprotocol/server';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { ToolsService } from '../src/connections/tools.service.js';
import { readPlace } from '../src/mcp/sessions/place.js';
import { aUser } from './kit/api.js';
import { anAssistant } from './kit/assistants.js';
import { Governed } from './kit/governed.js';
import { McpUpstream, said, tool } from './kit/mcp-upstream.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { SessionWire, type WireAnswer } from './kit/session-wire.js';

let server: TestServer;
let doomed: ServerProcess;
let upstream: McpUpstream;
let house: Governed;
let token: string;
let owner: pg.Client;

const belt = inputRequired.elicit({
  message: 'Which belt?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
});
const answer = { action: 'accept', content: { name: 'B2' } };
const gone = { error: { code: -32000, message: expect.stringContaining('is gone') } };

beforeAll(async () => {
  [server, upstream] = await Promise.all([testServer({ MCP_HOLD_SECONDS: '1' }), McpUpstream.start()]);
  upstream.modern({
    tools: ['list_tickets', 'get_ticket', 'list_channels', 'ask', 'slow'].map((name) => tool(name)),
    call: async (name, _, { mcpReq }) => {
      if (name === 'slow') await rest(3000);
      if (name !== 'ask' || mcpReq.inputResponses) return said(`answered: ${JSON.stringify(mcpReq.inputResponses)}`);
      return inputRequired({ inputRequests: { belt }, requestState: 'asked' });
    },
  });
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  house = await Governed.house(server, upstream);
  await house.publish('permit (principal, action, resource);');
  const admin = await house.person();
  for (const { id, definitionHash, name } of await house.get(ToolsService).listOf(admin, house.connectionId))
    if (name === 'workplace__ask') await house.get(ToolsService).confirm(admin, id, 'read', definitionHash);
  const product = await anAssistant(server, house);
  token = (await product.tokens(await aUser(house), { scope: 'api:read api:write' })).access_token;
}, 60_000);
beforeEach(async () => {
  doomed = await serverProcess(server.databaseUrl, { BASE_URL: server.url });
}, 60_000);
afterEach(() => doomed.kill());
afterAll(async () => {
  await owner.end();
  await server.close();
  upstream.stop();
});

const begin = () => new SessionWire(server.url, token).begin({ elicitation: {} });
const cutOff = async (call: WireAnswer) => {
  await doomed.kill('SIGKILL');
  await call.end();
};

describe('when the process that works on a call is killed', () => {
  it('its question is taken back, and its client sent to begin again', async () => {
    const wire = await begin();
    const call = await wire.at(doomed.url).call('workplace__ask');
    const { message } = await call.untilMethod('elicitation/create');
    await cutOff(call);
    const resumed = await wire.listen(call.lastId);
    expect((await resumed.end()).messages).toMatchObject([{ id: 1, ...gone }]);
    const told = await wire.respond(message.id, answer);
    expect([told.status, await told.body()]).toMatchObject([404, { error: { code: -32001 } }]);
    // nothing is to be waited for any more, and all who ask hear the same
    expect((await wire.listen(resumed.lastId)).status).toBe(204);
    expect((await (await wire.listen(call.lastId)).end()).messages).toEqual(resumed.messages);
    const anew = await begin();
    const again = await anew.call('workplace__ask');
    await anew.respond((await again.untilMethod('elicitation/create')).message.id, answer);
    expect((await again.end()).messages.at(-1).result.content[0].text).toContain('B2');
  }, 60_000);

  it('a call that may have been carried out is not made again, whoever asks for it', async () => {
    const wire = await begin();
    const call = await wire.at(doomed.url).call('workplace__slow');
    await call.until(({ id }) => id !== undefined);
    await cutOff(call);
    const before = upstream.calls.filter(({ name }) => name === 'slow').length;
    const resumed = await wire.listen(call.lastId);
    expect((await resumed.end()).messages).toMatchObject([{ id: 1, ...gone }]);
    const again = await (await (await begin()).call('workplace__slow')).body();
    expect(['executing', 'unsettled']).toContain(again.result._meta['countersign/call'].state);
    expect(upstream.calls.filter(({ name }) => name === 'slow')).toHaveLength(before);
  }, 90_000);
});

describe('when it is shut down', () => {
  it('a call that comes to its end meanwhile is told elsewhere', async () => {
    const wire = await begin();
    const call = await wire.at(doomed.url).call('workplace__slow', { for: 'the last time' });
    await call.until(({ id }) => id !== undefined);
    doomed.signal('SIGTERM');
    await call.end();
    const resumed = await wire.listen(call.lastId);
    expect((await resumed.end()).messages).toMatchObject([
      { id: 1, result: { content: [{ text: expect.stringMatching(/^answered/) }] } },
    ]);
  }, 60_000);

  it('tells so at once', async () => {
    const wire = await begin();
    const call = await wire.at(doomed.url).call('workplace__ask');
    await call.untilMethod('elicitation/create');
    await doomed.kill('SIGTERM');
    await call.end();
    const { id } = readPlace(call.lastId)!;
    const { rows } = await owner.query(
      'select alive_until > clock_timestamp() as "isAlive" from mcp_exchanges where id = $1',
      [id],
    );
    expect(rows).toEqual([{ isAlive: false }]); // nobody waits for signs of life
    const resumed = await wire.listen(call.lastId);
    expect((await resumed.end()).messages).toMatchObject([{ id: 1, ...gone }]);
  }, 60_000);
});
