import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendParams } from './kit/a2a-bindings.js';
import type { Json } from './kit/a2a-clients.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import type { WireResponse, Wire } from './kit/wire.js';

let server: TestServer;
let wire: Wire;
beforeAll(async () => {
  server = await testServer();
  wire = (await SandboxFixture.create(server)).wire();
});
afterAll(() => server.close());

const newer = { 'a2a-version': '1.0' };
const older = { 'a2a-version': '0.3' };
const post = (body: string | object, headers: Record<string, string> = newer): Promise<WireResponse> =>
  wire.call('POST', '', body, headers);
const rpc = async (method: string, params?: unknown, headers: Record<string, string> = newer): Promise<Json> =>
  (await post({ jsonrpc: '2.0', id: 1, method, params }, headers)).body;
const info = (reason: string) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'a2a-protocol.org',
  metadata: {},
});
const unknownId = crypto.randomUUID();

describe('the protocol version over JSON-RPC', () => {
  it.each(['1.0', '1.0.1', ' 1.0 ', '1.0.99'])('is 1.0 for the header %j', async (version) => {
    const { result } = await rpc('SendMessage', sendParams('echo Hello'), { 'a2a-version': version });
    expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('can be set in the query', async () => {
    const { body } = await wire.call('POST', '?A2A-Version=2.0', { jsonrpc: '2.0', id: 1, method: 'ListTasks' });
    expect(body.error.code).toBe(-32009);
  });

  it.each([{}, { 'a2a-version': '' }])('depends on the method without a version in the headers %j', async (headers) => {
    const { result } = await rpc('SendMessage', sendParams('echo Hello'), headers as Record<string, string>);
    expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
    const message = { kind: 'message', role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'echo Hello' }] };
    await expect(rpc('message/send', { message }, headers as Record<string, string>)).resolves.toMatchObject({
      result: { kind: 'task', status: { state: 'completed' } },
    });
  });

  it.each(['2.0', '0.2', '1', '10', 'one', '1.0; q=1', '1.0, 0.3'])(
    'is rejected if the header is %j',
    async (version) => {
      const { status, body } = await post({ jsonrpc: '2.0', id: 7, method: 'ListTasks' }, { 'a2a-version': version });
      expect([status, body]).toEqual([
        200,
        {
          jsonrpc: '2.0',
          id: 7,
          error: { code: -32009, message: expect.stringContaining('1.0'), data: [info('VERSION_NOT_SUPPORTED')] },
        },
      ]);
    },
  );

  it('supports only its own methods', async () => {
    for (const [method, headers] of [
      ['message/send', newer],
      ['tasks/get', newer],
      ['SendMessage', older],
      ['GetTask', older],
    ] as const)
      await expect(rpc(method, {}, headers)).resolves.toMatchObject({ error: { code: -32601 } });
  });
});

describe('the protocol version over HTTP+JSON', () => {
  it.each([
    ['/a2a/tasks', '1.0.1', 200],
    ['/a2a/tasks', '', 200],
    ['/a2a/tasks', '0.3', 400],
    ['/a2a/tasks', '3', 400],
    ['/v1/card', '0.3.0', 200],
    ['/v1/card', '', 200],
    ['/v1/card', '1.0', 400],
    ['/v1/card', 'x', 400],
  ])('at %s in the header %j gives the status %i', async (path, version, status) => {
    const answer = await wire.call('GET', path, undefined, { 'a2a-version': version });
    expect(answer.status).toBe(status);
    if (status === 200) return;
    expect(answer.body).toEqual(
      path.startsWith('/v1')
        ? { code: -32009, message: expect.stringContaining('0.3') }
        : {
            error: {
              code: 400,
              status: 'FAILED_PRECONDITION',
              message: expect.stringContaining('1.0'),
              details: [info('VERSION_NOT_SUPPORTED')],
            },
          },
    );
  });
});

describe('a JSON-RPC envelope', () => {
  it.each(['{"jsonrpc"', 'SendMessage', '', '{"jsonrpc": "2.0"} {}', "{'id': 1}"])(
    'that is not JSON (%j) causes a parse error without an id',
    async (text) => {
      const { status, body } = await post(text);
      expect([status, body]).toEqual([
        200,
        {
          jsonrpc: '2.0',
          id: null,
          error: {
            code: -32700,
            message: expect.any(String),
            data: expect.arrayContaining([info('PARSE_ERROR')]),
          },
        },
      ]);
    },
  );

  it('that is not UTF-8 causes a parse error', async () => {
    const response = await fetch(wire.base, {
      method: 'POST',
      headers: { authorization: `Bearer ${wire.key}`, 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    });
    await expect(response.json()).resolves.toMatchObject({ id: null, error: { code: -32700 } });
  });

  const asked = { jsonrpc: '2.0', id: 'a', method: 'ListTasks' };
  it.each<[string, unknown, unknown]>([
    ['a batch', [asked, asked], null],
    ['an empty batch', [], null],
    ['a string', '"ListTasks"', null],
    ['null', 'null', null],
    ['no version of JSON-RPC', { ...asked, jsonrpc: undefined }, 'a'],
    ['another version of JSON-RPC', { ...asked, jsonrpc: '1.0' }, 'a'],
    ['a number as version of JSON-RPC', { ...asked, jsonrpc: 2 }, 'a'],
    ['no method', { ...asked, method: undefined }, 'a'],
    ['an empty method', { ...asked, method: '' }, 'a'],
    ['a number as method', { ...asked, method: 1 }, 'a'],
    ['an object as id', { ...asked, id: {} }, null],
    ['an array as id', { ...asked, id: [1] }, null],
    ['true as id', { ...asked, id: true }, null],
    ['a fraction as id', { ...asked, id: 1.5 }, null],
    ['an integer beyond double precision as id', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ListTasks"}', null],
    ['a lone surrogate next to the parameters', '{"jsonrpc":"2.0","id":"a","method":"ListTasks","x":"\\ud83d"}', 'a'],
    ['NUL in the method', '{"jsonrpc":"2.0","id":"a","method":"\\u0000"}', 'a'],
  ])('with %s causes an invalid request error', async (_, body, id) => {
    const answer = await post(body as object);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      jsonrpc: '2.0',
      id,
      error: {
        code: -32600,
        message: expect.any(String),
        data: expect.arrayContaining([info('INVALID_REQUEST')]),
      },
    });
  });

  it.each(['listTasks', 'tasks/list', 'constructor', '__proto__', 'toString', 'x'.repeat(10_000)])(
    'with the unknown method %.20s causes a method not found error',
    async (method) => {
      const { error } = await rpc(method);
      expect(error).toMatchObject({ code: -32601, data: [info('METHOD_NOT_FOUND')] });
      expect(error.message.length).toBeLessThan(200);
    },
  );

  it.each([[[]], ['x'], [1], [null], [[{ id: 'x' }]], [{ id: '\ud83d' }], [{ id: 'x\0' }]])(
    'with the parameters %j causes an invalid params error',
    async (params) => {
      await expect(rpc('GetTask', params)).resolves.toMatchObject({
        error: { code: -32602, data: expect.arrayContaining([info('INVALID_PARAMS')]) },
      });
    },
  );

  it.each(['', 'a', 'x'.repeat(500), 0, -1, 42, Number.MAX_SAFE_INTEGER, null])(
    'gets a response with its id %j',
    async (id) => {
      const { body } = await post({ jsonrpc: '2.0', id, method: 'ListTasks' });
      expect([body.jsonrpc, body.id, 'result' in body]).toEqual(['2.0', id, true]);
      const refused = await post({ jsonrpc: '2.0', id, method: 'GetTask', params: { id: unknownId } });
      expect([refused.body.id, refused.body.error.code]).toEqual([id, -32001]);
    },
  );

  it('without an id gets a response with the id null', async () => {
    await expect(post({ jsonrpc: '2.0', method: 'ListTasks' })).resolves.toMatchObject({
      status: 200,
      body: { id: null, result: { tasks: expect.any(Array) } },
    });
  });

  it('can omit optional parameters and can have unneeded ones', async () => {
    await expect(rpc('ListTasks')).resolves.toHaveProperty('result');
    await expect(rpc('GetExtendedAgentCard', { tenant: 'x', y: 1 })).resolves.toHaveProperty('result');
  });

  it('with an invalid value gets an error with the field and the violation', async () => {
    const { error } = await rpc('SendMessage', { message: { role: 'ROLE_USER', messageId: 'm', parts: [] } });
    expect(error).toEqual({
      code: -32602,
      message: 'message.parts may not be empty.',
      data: [
        info('INVALID_PARAMS'),
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: '/message/parts', description: 'may not be empty' }],
        },
      ],
    });
  });

  it('of 0.3 gets an error as a stream if its method expects a stream', async () => {
    const response = await wire.fetch('POST', '', {
      jsonrpc: '2.0',
      id: 5,
      method: 'tasks/resubscribe',
      params: { id: unknownId },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const text = await response.text();
    expect(text).toMatch(/^event: error\ndata: [^\n]+\n\n$/);
    expect(JSON.parse(/data: (.*)/.exec(text)![1])).toMatchObject({ id: 5, error: { code: -32001 } });
  });
});

describe('an error over HTTP+JSON', () => {
  it('has the format of 1.0.1', async () => {
    const { status, headers, body } = await wire.call('GET', `/a2a/tasks/${unknownId}`, undefined, newer);
    expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      error: {
        code: 404,
        status: 'NOT_FOUND',
        message: `The task "${unknownId}" was not found.`,
        details: [info('TASK_NOT_FOUND')],
      },
    });
  });

  it('uses the media type of the protocol if the client accepts it', async () => {
    const ask = (accept: string) => wire.call('GET', `/a2a/tasks/${unknownId}`, undefined, { ...newer, accept });
    const typeFor = async (accept: string) => (await ask(accept)).headers.get('content-type');
    expect(await typeFor('application/a2a+json')).toBe('application/a2a+json; charset=utf-8');
    expect(await typeFor('application/json')).toBe('application/json; charset=utf-8');
    expect(await typeFor('*/*')).toBe('application/json; charset=utf-8');
  });

  it('of 0.3 has the format of 0.3', async () => {
    const { status, body } = await wire.call('GET', `/v1/tasks/${unknownId}`);
    expect([status, body]).toEqual([404, { code: -32001, message: `The task "${unknownId}" was not found.` }]);
  });

  it('before the start of a stream is JSON', async () => {
    for (const path of ['/a2a/message:stream', '/v1/message:stream']) {
      const answer = await wire.call('POST', path, {});
      expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
    }
  });

  it.each([
    ['GET', '/a2a/message:send'],
    ['POST', '/a2a/tasks'],
    ['DELETE', `/a2a/tasks/x`],
    ['GET', '/a2a/nothing'],
    ['GET', '/a2a/tasks/x/y'],
    ['GET', '/a2a/another-tenant/tasks'],
    ['GET', '/v1/tasks'], // 0.3 had no list
    ['GET', '/v1/extendedAgentCard'],
  ])('is "method not found" for %s %s', async (method, path) => {
    const { status, body } = await wire.call(method, path);
    expect(status).toBe(404);
    if (path.startsWith('/v1')) expect(body.code).toBe(-32601);
    else expect(body.error).toMatchObject({ code: 404, status: 'UNIMPLEMENTED', details: [info('METHOD_NOT_FOUND')] });
  });

  it('does not occur if the path starts with the tenant', async () => {
    const tenant = wire.base.split('/').at(-1)!;
    await expect(wire.call('GET', `/a2a/${tenant}/tasks`)).resolves.toMatchObject({ status: 200 });
  });

  it.each(['[]', '"x"', '1', 'null'])('rejects the body %s', async (text) => {
    await expect(wire.call('POST', '/a2a/message:send', text)).resolves.toMatchObject({
      status: 400,
      body: { error: { details: [info('INVALID_PARAMS')] } },
    });
    await expect(wire.call('POST', '/v1/message:send', text)).resolves.toMatchObject({
      status: 400,
      body: { code: -32602 },
    });
  });

  it('rejects a body that is not JSON', async () => {
    await expect(wire.call('POST', '/a2a/message:send', '{"message"')).resolves.toMatchObject({
      status: 400,
      body: { error: { code: 400, status: 'INVALID_ARGUMENT' } },
    });
  });
});

describe('requested extensions', () => {
  const known = 'urn:countersign:a2a:task-details:1';

  it.each(['A2A-Extensions', 'X-A2A-Extensions'])(
    'in the header %s are confirmed if they are supported',
    async (name) => {
      const named = (value: string) => wire.call('GET', '/a2a/tasks', undefined, { [name]: value });
      expect((await named(`https://example.com/other, ${known}`)).headers.get(name)).toBe(known);
      const { status, headers } = await named('https://example.com/other');
      expect([status, headers.get(name)]).toEqual([200, null]);
      const { headers: ofRpc } = await post({ jsonrpc: '2.0', id: 1, method: 'ListTasks' }, { [name]: known });
      expect(ofRpc.get(name)).toBe(known);
    },
  );

  it('in a message are ignored if they are unknown', async () => {
    const { result } = await rpc(
      'SendMessage',
      sendParams('echo Hello', { extensions: ['https://example.com/other'] }),
    );
    expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });
});
