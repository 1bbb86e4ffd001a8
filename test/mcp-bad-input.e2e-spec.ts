import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { ClientsService } from '../src/oauth/clients/clients.service.js';
import { hashToken } from '../src/platform/crypto/tokens.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { statement } from '../src/platform/database/statement.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { aProduct, type Product } from './kit/product.js';
import { envelope, Rpc, type RpcAnswer } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let user: Member;
let product: Product;
let rpc: Rpc;

const friend = 'https://friend.example';

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer({ MCP_ALLOWED_ORIGINS: friend }), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  user = await aUser(fixture);
  product = await anAssistantProduct(server, fixture);
  rpc = await through('api:read api:write');
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const through = async (scope: string, of: Product = product, person: Member = user): Promise<Rpc> =>
  new Rpc(server.url, (await of.tokens(person, { scope })).access_token);
const challenge = ({ headers }: { headers: Headers }) => headers.get('www-authenticate') ?? '';
const refusal = ({ status, body }: RpcAnswer) => [status, body.error?.code ?? body.code, body.id ?? null];
const arrivals = async (): Promise<number> => (await workplace.arrivals()).length;

describe('a token', () => {
  const metadata = () => `resource_metadata="${server.url}/.well-known/oauth-protected-resource/v1/mcp"`;

  it('is requested with the required scopes and the URL of the resource metadata', async () => {
    const answer = await new Rpc(server.url, '').post('{}', { authorization: undefined });
    expect(answer.status).toBe(401);
    expect(challenge(answer)).toBe(`Bearer realm="countersign", scope="api:read api:write", ${metadata()}`);
  });

  const useless: [string, () => Promise<string>][] = [
    [
      'for another audience',
      async () => (await (await aProduct(server, fixture.organization)).tokens(user)).access_token,
    ],
    ['that is a refresh token', async () => (await product.tokens(user)).refresh_token],
    ['that is invalid', async () => 'a-token'],
    [
      'that has expired',
      async () => {
        const { token } = await through('api:read');
        const { systemPool } = server.app.get(DatabaseService);
        const expire = statement<[hash: Buffer]>('update oauth_rows set expires_at = now() where id_hash = $1');
        await systemPool.execute(expire, [hashToken(token)]);
        return token;
      },
    ],
    [
      'of a suspended member',
      async () => {
        const person = await aUser(fixture);
        const { token } = await through('api:read', product, person);
        await fixture.suspend(person);
        return token;
      },
    ],
    [
      'of a revoked client',
      async () => {
        const other = await anAssistantProduct(server, fixture);
        const { token } = await through('api:read', other);
        await server.app.get(ClientsService).revoke(await fixture.principalOf(), other.id);
        return token;
      },
    ],
  ];
  it.each(useless)('%s is rejected', async (_, token) => {
    const answer = await new Rpc(server.url, await token()).call('tools/list');
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated']);
    expect(challenge(answer)).toContain('error="invalid_token"');
    expect(challenge(answer)).toContain(metadata());
  });

  it('is not read from the query', async () => {
    const { token } = await through('api:read');
    const response = await fetch(`${server.url}/v1/mcp?access_token=${token}`, { method: 'POST' });
    expect(response.status).toBe(401);
  });

  it('with read scope gets a step-up challenge for a write, which does not run', async () => {
    const before = await arrivals();
    const reading = await through('api:read');
    const listed = await reading.call('tools/list');
    expect(listed.body.result.tools.map(({ name }: { name: string }) => name)).not.toContain(
      'workplace__create_ticket',
    );
    const answer = await reading.call('tools/call', { name: 'workplace__create_ticket', arguments: { title: 'No' } });
    expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope']);
    expect(challenge(answer)).toBe(
      `Bearer realm="countersign", error="insufficient_scope", scope="api:read api:write", ${metadata()}`,
    );
    expect(await arrivals()).toBe(before);
  });

  it('of a client that is registered for read scope can only read, whatever scope it requested', async () => {
    const reader = await anAssistantProduct(server, fixture, ['api:read']);
    expect(await reader.tokens(user, { scope: 'api:read api:write' })).toMatchObject({ scope: 'api:read' });
  });
});

describe('a web page', () => {
  const from = (origin: string | undefined) => rpc.call('tools/list', {}, { headers: { origin } });

  it.each([
    'https://elsewhere.example',
    'null',
    'http://localhost:1',
    `${friend}.elsewhere.example`,
    'https://FRIEND.example',
    'file://',
  ])('of the origin %s is rejected', async (origin) => {
    const answer = await from(origin);
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('is rejected before its token is checked', async () => {
    const answer = await new Rpc(server.url, 'nothing').call(
      'tools/list',
      {},
      { headers: { origin: 'https://a.example' } },
    );
    expect(answer.status).toBe(403);
  });

  it('is rejected with any notation of the path', async () => {
    for (const path of ['/v1/mcp/', '/V1/mcp', '/v1/MCP/', '/v1/mcp?a=b', '//v1/mcp', '/v1/%6dcp']) {
      const headers = { origin: 'https://elsewhere.example', authorization: `Bearer ${rpc.token}` };
      const { status } = await fetch(server.url + path, { method: 'POST', headers });
      expect(`${path} ${[403, 404].includes(status)}`).toBe(`${path} true`);
    }
  });

  it('of our own origin or of an allowed origin is accepted', async () => {
    for (const origin of [server.url, friend]) {
      const answer = await from(origin);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    }
  });

  it('can send a preflight request', async () => {
    const ask = (origin: string) =>
      fetch(`${server.url}/v1/mcp`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'mcp-param-region',
        },
      });
    const allowed = await ask(friend);
    expect([allowed.status, allowed.headers.get('access-control-allow-headers')]).toEqual([204, 'mcp-param-region']);
    expect((await ask('https://elsewhere.example')).status).toBe(403);
  });
});

describe('a header', () => {
  const sent = (headers: Record<string, string | undefined>) =>
    rpc.call('tools/call', { name: 'workplace__list_tickets', arguments: {} }, { headers });

  it.each([
    ['that names another version than the body', { 'mcp-protocol-version': '2025-11-25' }],
    ['that names another method than the body', { 'mcp-method': 'tools/list' }],
    ['that names another tool than the body', { 'mcp-name': 'workplace__create_ticket' }],
    ['that is missing for the method', { 'mcp-method': undefined }],
    ['that is missing for the name', { 'mcp-name': undefined }],
    ['that is missing for the version', { 'mcp-protocol-version': undefined }],
    ['that has an invalid encoding', { 'mcp-name': '=?base64?%%%?=' }],
  ])('%s is rejected, and no call runs', async (_, headers) => {
    const before = await arrivals();
    expect(refusal(await sent(headers))).toEqual([400, -32020, 1]);
    expect(await arrivals()).toBe(before);
  });
});

describe('a version', () => {
  it.each(['2099-01-01', '1999-01-01'])(
    '%s that is not supported gets an error with the supported versions',
    async (version) => {
      const _meta = { ...envelope({}), 'io.modelcontextprotocol/protocolVersion': version };
      const answer = await rpc.call('tools/list', { _meta }, { headers: { 'mcp-protocol-version': version } });
      expect(refusal(answer)).toEqual([400, -32022, 1]);
      expect(answer.body.error.data).toMatchObject({ supported: ['2026-07-28'], requested: version });
    },
  );

  it('that is missing in the body is reported as missing', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    expect(refusal(await rpc.post(JSON.stringify(body), headers))).toEqual([400, -32602, 1]);
  });
});

describe('a body', () => {
  const list = (more = '') =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/list"${more},"params":{"_meta":${JSON.stringify(envelope({}))}}}`;
  const called = (args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"workplace__list_tickets","arguments":${args},"_meta":${JSON.stringify(envelope({}))}}}`;
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };

  it('is accepted if it is valid', async () => {
    expect((await rpc.post(list(), headers)).status).toBe(200);
  });

  it.each([
    ['that is empty', ''],
    ['that is not JSON', 'jsonrpc'],
    ['that is truncated', list().slice(0, -1)],
    ['with trailing data', `${list()}{}`],
    ['with an extra comma', list().replace('"id":1', '"id":1,')],
    ['in single quotes', list().replaceAll('"', "'")],
    ['with NaN', list().replace('"id":1', '"id":NaN')],
  ])('%s causes a parse error', async (_, body) => {
    expect(refusal(await rpc.post(body, headers))).toEqual([400, -32700, null]);
  });

  it('that is not UTF-8 causes a parse error', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    expect(refusal(await rpc.post(new Uint8Array(bytes), headers))).toEqual([400, -32700, null]);
  });

  it.each([
    ['with a duplicate key', list(',"method":"tools/call"'), 1],
    ['with a nested duplicate key', called('{"a":{"b":1,"b":2}}'), 1],
    ['with a duplicate key in escaped form', called('{"ab":1,"a\\u0062":2}'), 1],
    ['with a __proto__ key', called('{"__proto__":{"isAdmin":true}}'), 1],
    ['with a lone surrogate', called('{"a":"\\ud800"}'), 1],
    ['with NUL in a string', called('{"a":"\\u0000"}'), 1],
    ['with an integer beyond double precision', called('{"a":9007199254740993}'), 1],
    ['that is a batch', `[${list()}]`, null],
    ['that is an empty batch', '[]', null],
    ['that is a string', '"tools/list"', null],
    ['that is null', 'null', null],
    ['that is not JSON-RPC', '{"method":"tools/list"}', null],
    ['of another version of JSON-RPC', list().replace('"2.0"', '"1.0"'), 1],
    ['with an object as id', list().replace('"id":1', '"id":{}'), null],
  ])('%s is rejected', async (_, body, id) => {
    const [status, code, requestId] = refusal(await rpc.post(body, headers));
    expect([status, code, requestId]).toEqual([400, -32600, id]);
  });

  it('that is nested too deeply is rejected at any depth', async () => {
    for (const depth of [40, 100_000]) {
      const [status, code] = refusal(await rpc.post(called('{"a":'.repeat(depth) + '1' + '}'.repeat(depth)), headers));
      expect([status, code]).toEqual([400, depth > 10_000 ? expect.any(Number) : -32600]);
    }
  });

  it('that is too large is rejected', async () => {
    const answer = await rpc.post(called(`{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`), headers);
    expect([answer.status, answer.body.code]).toEqual([413, 'too-large']);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'of the media type "%s" is rejected',
    async (type) => {
      expect((await rpc.post(list(), { ...headers, 'content-type': type })).status).toBe(415);
    },
  );
});

describe('a request', () => {
  it('for an unknown method gets a method not found error', async () => {
    for (const method of ['tools/run', 'initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'constructor'])
      expect(refusal(await rpc.call(method))).toEqual([404, -32601, 1]);
  });

  it('with an invalid cursor is rejected', async () => {
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
      const { status, body } = await rpc.call(method, { cursor: 'eyJhIjoxfQ' });
      expect([status, body.error?.code, body.error?.data]).toEqual([200, -32602, { code: 'invalid-request' }]);
    }
  });

  it.each([
    ['for an unknown tool', 'workplace__fly', {}],
    ['for a tool of another connection', 'elsewhere__list_tickets', {}],
    ['for an empty name', '', {}],
    ['for a long name', 'x'.repeat(500), {}],
  ])('%s gets an unknown tool error', async (_, name, args) => {
    const { body } = await rpc.call('tools/call', { name, arguments: args });
    expect(body.error).toMatchObject({ code: -32602, message: `Unknown tool: ${name}` });
  });

  it.each([
    ['are missing', {}],
    ['have the wrong type', { title: 1 }],
    ['have an additional property', { title: 'A', colour: 'red' }],
  ])('whose arguments %s gets an error with the property and does not reach the upstream', async (_, args) => {
    const before = await arrivals();
    const { body } = await rpc.call('tools/call', { name: 'workplace__create_ticket', arguments: args });
    expect(body.result).toMatchObject({ isError: true, _meta: { 'countersign/call': { state: 'denied' } } });
    expect(body.result.content[0].text).toMatch(/title|colour/);
    expect(await arrivals()).toBe(before);
  });

  it('whose arguments are not an object is rejected', async () => {
    for (const args of ['text', 1, [1], null, true])
      expect((await rpc.call('tools/call', { name: 'workplace__list_tickets', arguments: args })).body.error.code).toBe(
        -32602,
      );
  });

  it('with another HTTP method gets the allowed methods', async () => {
    const headers = { authorization: `Bearer ${rpc.token}`, 'mcp-protocol-version': '2026-07-28' };
    for (const method of ['GET', 'DELETE']) {
      const response = await fetch(`${server.url}/v1/mcp`, { method, headers });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
    for (const method of ['PUT', 'PATCH'])
      expect((await fetch(`${server.url}/v1/mcp`, { method, headers })).status).toBe(404);
  });
});
