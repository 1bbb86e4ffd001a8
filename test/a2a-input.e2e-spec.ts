import { status as grpcStatus } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentsService } from '../src/configurations/agents.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { type RunningServer, startServer } from '../src/server.js';
import {
  type AgentAccess,
  type A2aBinding,
  GrpcBinding,
  HttpBinding,
  JsonRpcBinding,
  type BindingReply,
  sendParams,
  a2aWireTo,
} from './kit/a2a-bindings.js';
import type { Json } from './kit/a2a-clients.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';
import type { Wire } from './kit/wire.js';

let server: TestServer;
let fixture: SandboxFixture;
let wire: Wire;
/** Access to a configuration whose model reads text and data only. */
let reader: AgentAccess;
const bindings: Record<string, (agent: AgentAccess) => Promise<A2aBinding>> = {
  'JSON-RPC': async (agent) => new JsonRpcBinding(a2aWireTo(agent, server.url)),
  'HTTP+JSON': async (agent) => new HttpBinding(a2aWireTo(agent, server.url)),
  gRPC: async (agent) => GrpcBinding.to(agent, server.url),
};
beforeAll(async () => {
  server = await testServer({ GRPC_PORT: '0' });
  fixture = await SandboxFixture.create(server);
  wire = fixture.wire();
  reader = await anotherConfiguration(fixture);
});
afterAll(() => server.close());

/** In the order of the bindings. */
const codes: Record<string, [number, number, number]> = {
  TASK_NOT_FOUND: [-32001, 404, grpcStatus.NOT_FOUND],
  TASK_NOT_CANCELABLE: [-32002, 400, grpcStatus.FAILED_PRECONDITION],
  PUSH_NOTIFICATION_NOT_SUPPORTED: [-32003, 400, grpcStatus.FAILED_PRECONDITION],
  UNSUPPORTED_OPERATION: [-32004, 400, grpcStatus.FAILED_PRECONDITION],
  CONTENT_TYPE_NOT_SUPPORTED: [-32005, 400, grpcStatus.INVALID_ARGUMENT],
  INVALID_PARAMS: [-32602, 400, grpcStatus.INVALID_ARGUMENT],
};

describe.each(['JSON-RPC', 'HTTP+JSON', 'gRPC'])('the %s binding', (name) => {
  let client: A2aBinding;
  beforeAll(async () => {
    client = await bindings[name](fixture);
  });
  const refused = (reason: string) => ({
    refusal: { code: codes[reason][Object.keys(bindings).indexOf(name)], reason, message: expect.any(String) },
  });
  const send = async (text: string, over: Record<string, unknown> = {}): Promise<Json> =>
    (await client.send(sendParams(text, over))).result.task;
  const partsOf = (...parts: object[]) => sendParams('', { parts });
  const asArray = 'x'.repeat(129);

  it.each<[string, object]>([
    ['no message', {}],
    ['no parts', partsOf()],
    ['an empty part', partsOf({})],
    ['a part with an empty text', partsOf({ text: '' })],
    ['a part with an empty URL', partsOf({ url: '' })],
    ['101 parts', partsOf(...Array.from({ length: 101 }, () => ({ text: 'x' })))],
    ['a text of more than 256 KiB', partsOf({ text: 'x'.repeat(256 * 1024 + 1) })],
    ['NUL in a text', partsOf({ text: 'a\0b' })],
    ['NUL in the name of a file', partsOf({ raw: 'AAAA', filename: 'a\0b' })],
    ['NUL in the id of the message', sendParams('echo', { messageId: 'a\0b' })],
    ['NUL in data', partsOf({ data: { a: '\0' } })],
    ['data that is nested too deeply', partsOf({ data: { a: nested(40) } })],
    ['data with a reserved key', partsOf({ data: { a: { __extn: 1 } } })],
    ['no id of the message', sendParams('echo', { messageId: '' })],
    ['an id of the message of 257 characters', sendParams('echo', { messageId: 'x'.repeat(257) })],
    ['no role', sendParams('echo', { role: undefined })],
    ['the role of the agent', sendParams('echo', { role: 'ROLE_AGENT' })],
    ['a context that would be a path', sendParams('echo', { contextId: '../x' })],
    ['a context of 129 characters', sendParams('echo', { contextId: asArray })],
    ['a negative history length', sendParams('echo', { configuration: { historyLength: -1 } })],
  ])('rejects a message with %s and creates no task', async (_, params) => {
    const before = (await client.list({})).result.totalSize ?? 0;
    await expect(client.send(params)).resolves.toMatchObject(refused('INVALID_PARAMS'));
    expect((await client.list({})).result.totalSize ?? 0).toBe(before);
  });

  it('accepts a message with values at the limits', async () => {
    const task = await send('echo', { messageId: 'x'.repeat(256), contextId: 'x'.repeat(128) });
    expect(task).toMatchObject({ contextId: 'x'.repeat(128), status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('rejects messages, cancellation and subscriptions for an ended task', async () => {
    const { id } = await send('echo Hello');
    await expect(client.send(sendParams('more', { taskId: id }))).resolves.toMatchObject(
      refused('UNSUPPORTED_OPERATION'),
    );
    await expect(client.cancel(id)).resolves.toMatchObject(refused('TASK_NOT_CANCELABLE'));
    await expect(client.subscribe(id)).resolves.toMatchObject(refused('UNSUPPORTED_OPERATION'));
  });

  it('accepts a message for a task only with the context of the task or without one', async () => {
    const { id, contextId } = await send('ask');
    const other = sendParams('x', { taskId: id, contextId: `not-${contextId}` });
    await expect(client.send(other)).resolves.toMatchObject(refused('INVALID_PARAMS'));
    await expect(send('Here', { taskId: id, contextId })).resolves.toMatchObject({
      id,
      status: { state: 'TASK_STATE_COMPLETED' },
    });
  });

  it('rejects a message for a working task', async () => {
    const { id } = await send('wait 60', { configuration: { returnImmediately: true } });
    await until(async () => (await client.get(id)).result.status.state === 'TASK_STATE_WORKING');
    await expect(client.send(sendParams('more', { taskId: id }))).resolves.toMatchObject(
      refused('UNSUPPORTED_OPERATION'),
    );
    await client.cancel(id);
  });

  it('counts a repeated answer once', async () => {
    const { id } = await send('converse');
    const reply = sendParams('More', { taskId: id });
    const answers = [await client.send(reply), await client.send(reply)];
    expect(answers.map(({ result }) => result.task.status.state)).toEqual(Array(2).fill('TASK_STATE_INPUT_REQUIRED'));
    const { history } = (await client.get(id)).result;
    expect(history.filter(({ parts }: Json) => parts[0].text === 'More')).toHaveLength(1);
  });

  it('answers the same for a foreign task and an unknown task', async () => {
    const { id } = await send('ask');
    const others: AgentAccess[] = [
      await anotherKey(fixture),
      await anotherConfiguration(fixture),
      await SandboxFixture.create(server),
    ];
    for (const agent of others) {
      const stranger = await bindings[name](agent);
      const ask = async (id: string): Promise<BindingReply[]> => [
        await stranger.get(id),
        await stranger.cancel(id),
        await stranger.subscribe(id),
        await stranger.send(sendParams('x', { taskId: id })),
        await stranger.send(sendParams('x', { taskId: id, contextId: id })),
      ];
      const [foreign, never] = [await ask(id), await ask(newId())];
      const refusalsOf = (answers: BindingReply[]) =>
        answers.map(({ refusal }) => ({ ...refusal, message: refusal!.message.replace(/"[^"]*"/, 'it') }));
      expect(foreign[0]).toMatchObject(refused('TASK_NOT_FOUND'));
      expect(refusalsOf(foreign)).toEqual(refusalsOf(never));
      expect((await stranger.list({})).result.tasks ?? []).toEqual([]);
    }
    await expect(client.get(id)).resolves.toMatchObject({ result: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
  });

  it.each(['never', '..', 'a b', 'x'.repeat(500)])('does not find the task %.20s', async (id) => {
    const at = name === 'HTTP+JSON' ? encodeURIComponent(id).replace('..', '%2e%2e%2f') : id;
    const { refusal } = await client.get(at);
    expect(refusal?.code).toBe(refused('TASK_NOT_FOUND').refusal.code);
  });

  it('returns the requested length of the history', async () => {
    const { id } = await send('ask Which one?');
    await send('This one', { taskId: id });
    const lengthOf = async (most?: number) => (await client.get(id, most)).result.history?.length ?? 0;
    expect([await lengthOf(0), await lengthOf(1), await lengthOf(2), await lengthOf(1000)]).toEqual([0, 1, 2, 3]);
    expect(await lengthOf()).toBe(3);
    await expect(client.get(id, -1)).resolves.toMatchObject(refused('INVALID_PARAMS'));
  });

  it.each<Record<string, string | number>>([
    { pageSize: 0 },
    { pageSize: 101 },
    { pageSize: -1 },
    { pageToken: 'nonsense' },
    { pageToken: Buffer.from('["x"]').toString('base64url') },
    { pageToken: Buffer.from('["\\u0000","x"]').toString('base64url') },
    { historyLength: -1 },
    { status: 'TASK_STATE_FINISHED' },
    { status: 99 },
    { contextId: 'a\0b' },
    { contextId: 'x'.repeat(129) },
  ])('rejects a list with %j', async (query) => {
    await expect(client.list(query)).resolves.toMatchObject(refused('INVALID_PARAMS'));
  });

  it('returns a list in pages', async () => {
    const contextId = newId();
    const sent: string[] = [];
    for (let nth = 0; nth < 3; nth++) sent.unshift((await send('echo', { contextId })).id);
    const { result: first } = await client.list({ contextId, pageSize: 2 });
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3, nextPageToken: expect.stringMatching(/./) });
    const { result: second } = await client.list({ contextId, pageSize: 2, pageToken: first.nextPageToken });
    expect([...first.tasks, ...second.tasks].map(({ id }: Json) => id)).toEqual(sent);
    expect(second.nextPageToken ?? '').toBe('');
    await expect(client.list({ contextId, status: 'TASK_STATE_FAILED' })).resolves.toMatchObject({
      result: { pageSize: 50 },
    });
  });

  it('rejects files if the model reads none, and unsupported output modes', async () => {
    const words = await bindings[name](reader);
    const file = { raw: 'AAECAw==', mediaType: 'image/png', filename: 'x.png' };
    for (const part of [file, { url: 'https://example.com/x.mp3', mediaType: 'audio/mpeg' }])
      await expect(words.send(partsOf({ text: 'Look' }, part))).resolves.toMatchObject(
        refused('CONTENT_TYPE_NOT_SUPPORTED'),
      );
    const inOnly = (...acceptedOutputModes: string[]) => sendParams('echo', { configuration: { acceptedOutputModes } });
    await expect(client.send(inOnly('image/png', 'video/*'))).resolves.toMatchObject(
      refused('CONTENT_TYPE_NOT_SUPPORTED'),
    );
    for (const mode of ['text/plain', 'TEXT/*', 'application/json; charset=utf-8', '*/*'])
      await expect(client.send(inOnly('image/png', mode))).resolves.toHaveProperty('result.task');
  });

  it('rejects text and data with an unsupported media type before it stores anything', async () => {
    const words = await bindings[name](reader);
    const before = (await words.list({})).result.totalSize;
    for (const part of [
      { text: '# Title', mediaType: 'text/markdown' },
      { data: { a: 1 }, mediaType: 'application/xml' },
      { text: 'x', mediaType: 'nonsense' },
    ])
      await expect(words.send(partsOf({ text: 'Look' }, part))).resolves.toMatchObject(
        refused('CONTENT_TYPE_NOT_SUPPORTED'),
      );
    expect((await words.list({})).result.totalSize).toBe(before);
    for (const part of [
      { text: 'x', mediaType: 'Text/Plain; charset=utf-8' },
      { data: { a: 1 }, mediaType: 'application/json' },
      { text: 'x', mediaType: '' },
    ])
      await expect(words.send(partsOf({ text: 'Look' }, part))).resolves.toHaveProperty('result.task');
    await expect(client.send(partsOf({ text: 'echo x', mediaType: 'text/markdown' }))).resolves.toHaveProperty(
      'result.task',
    );
  });

  it('rejects push notifications', async () => {
    const { id } = await send('ask');
    await expect(client.push(id)).resolves.toMatchObject(refused('PUSH_NOTIFICATION_NOT_SUPPORTED'));
    const url = 'https://example.com/hook';
    const asking = sendParams('echo', { configuration: { taskPushNotificationConfig: { url } } });
    await expect(client.send(asking)).resolves.toMatchObject(refused('PUSH_NOTIFICATION_NOT_SUPPORTED'));
  });
});

describe('push notifications', () => {
  it.each([
    ['CreateTaskPushNotificationConfig', { taskId: 'x', url: 'https://example.com/' }],
    ['GetTaskPushNotificationConfig', { taskId: 'x', id: 'y' }],
    ['ListTaskPushNotificationConfigs', { taskId: 'x' }],
    ['DeleteTaskPushNotificationConfig', { taskId: 'x', id: 'y' }],
    ['tasks/pushNotificationConfig/set', { taskId: 'x', pushNotificationConfig: { url: 'https://example.com/' } }],
    ['tasks/pushNotificationConfig/get', { id: 'x' }],
    ['tasks/pushNotificationConfig/list', { id: 'x' }],
    ['tasks/pushNotificationConfig/delete', { id: 'x', pushNotificationConfigId: 'y' }],
  ])('are not supported by the method %s', async (method, params) => {
    await expect(rpc(method, params)).resolves.toMatchObject({ error: { code: -32003 } });
  });

  it.each([
    ['POST', ''],
    ['GET', ''],
    ['GET', '/y'],
    ['DELETE', '/y'],
  ])('are not supported by %s …/pushNotificationConfigs%s', async (method, rest) => {
    const path = `tasks/x/pushNotificationConfigs${rest}`;
    const body = method === 'POST' ? { url: 'https://example.com/' } : undefined;
    await expect(wire.call(method, `/a2a/${path}`, body)).resolves.toMatchObject({
      status: 400,
      body: { error: { status: 'FAILED_PRECONDITION', details: [{ reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' }] } },
    });
    await expect(wire.call(method, `/v1/${path}`, body)).resolves.toMatchObject({
      status: 400,
      body: { code: -32003 },
    });
  });

  it('are rejected in a message of 0.3', async () => {
    const pushNotificationConfig = { url: 'https://example.com/' };
    await expect(
      rpc('message/send', { ...older('echo'), configuration: { pushNotificationConfig } }),
    ).resolves.toMatchObject({ error: { code: -32003 } });
    const sent = { ...olderHttp({ text: 'echo' }), configuration: { pushNotification: pushNotificationConfig } };
    await expect(wire.call('POST', '/v1/message:send', sent)).resolves.toMatchObject({ body: { code: -32003 } });
  });
});

describe('the media type of a request', () => {
  const text = JSON.stringify(sendParams('echo Hello'));

  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/octet-stream'])(
    'is rejected with 415 if it is %s',
    async (type) => {
      const { status, body } = await wire.call('POST', '/a2a/message:send', text, { 'content-type': type });
      expect([status, body.error]).toEqual([
        415,
        expect.objectContaining({ code: 415, status: 'INVALID_ARGUMENT', message: expect.stringContaining('json') }),
      ]);
      expect(body.error.details[0]).toMatchObject({ reason: 'CONTENT_TYPE_NOT_SUPPORTED' });
      await expect(wire.call('POST', '/v1/message:send', text, { 'content-type': type })).resolves.toMatchObject({
        status: 415,
        body: { code: -32005 },
      });
      await expect(wire.call('POST', '', text, { 'content-type': type })).resolves.toMatchObject({
        body: { error: { code: -32005 } },
      });
    },
  );

  it.each(['application/json', 'application/a2a+json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'can be %s',
    async (type) => {
      const answer = await wire.call('POST', '/a2a/message:send', text, { 'content-type': type });
      expect(answer.status).toBe(200);
      const isOwn = type === 'application/a2a+json';
      expect(answer.headers.get('content-type')).toBe(`application/${isOwn ? 'a2a+json' : 'json'}; charset=utf-8`);
    },
  );

  it('is reported differently from an unsupported type of a part', async () => {
    const answer = await a2aWireTo(reader, server.url).call('POST', '/a2a/message:send', {
      message: { role: 'ROLE_USER', messageId: newId(), parts: [{ url: 'https://example.com/x.png' }] },
    });
    expect([answer.status, answer.body.error.code]).toEqual([400, 400]);
  });
});

describe('a body', () => {
  const heavy = JSON.stringify(sendParams('x'.repeat(1024 * 1024)));
  const deep = `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}}`;

  it.each(['', '/a2a/message:send', '/a2a/message:stream', '/v1/message:send'])(
    'of more than 1 MiB is rejected at "%s"',
    async (path) => {
      const answer = await wire.call('POST', path, heavy);
      expect([answer.status, answer.body.code]).toEqual([413, 'too-large']);
    },
  );

  it('that is nested too deeply is rejected', async () => {
    const asked = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${deep}}`;
    await expect(wire.call('POST', '', asked)).resolves.toMatchObject({ body: { id: 1, error: { code: -32602 } } });
    await expect(wire.call('POST', '/a2a/message:send', deep)).resolves.toMatchObject({
      status: 400,
      body: { error: { details: [{ reason: 'INVALID_PARAMS' }, expect.any(Object)] } },
    });
    await expect(wire.call('POST', '/v1/message:send', deep)).resolves.toMatchObject({
      status: 400,
      body: { code: -32602 },
    });
  });
});

describe('a message', () => {
  it('can have numbers for enum names, snake_case and unknown members', async () => {
    const contextId = newId();
    const params = {
      surprise: [1],
      message: {
        message_id: 'm-1',
        context_id: contextId,
        role: 1,
        mood: { good: true },
        parts: [
          { text: 'echo', tone: 'soft' },
          { raw: 'AAECAw==', media_type: 'application/octet-stream' },
        ],
      },
      configuration: { accepted_output_modes: ['text/plain'], history_length: 1, return_immediately: false, x: 1 },
    };
    const { result } = await rpc('SendMessage', params);
    expect(result.task).toMatchObject({
      contextId,
      status: { state: 'TASK_STATE_COMPLETED' },
      history: [{ messageId: 'm-1', role: 'ROLE_USER' }],
      artifacts: [{ parts: [{ raw: 'AAECAw==', mediaType: 'application/octet-stream' }] }],
    });
    const { body } = await wire.call('POST', '/a2a/message:send', params);
    expect(body.task).toMatchObject({ contextId, history: [{ messageId: 'm-1' }] });
    const { result: listed } = await rpc('ListTasks', { context_id: contextId, page_size: 1, status: 3, x: 1 });
    expect(listed).toMatchObject({ tasks: [{ contextId }], pageSize: 1, totalSize: 2 });
    const { body: again } = await wire.call('GET', `/a2a/tasks?context_id=${contextId}&page_size=1&status=3&y=`);
    expect(again).toEqual(listed);
    const { id } = result.task;
    expect((await rpc('GetTask', { id, history_length: 0 })).result).not.toHaveProperty('history');
    expect((await wire.call('GET', `/a2a/tasks/${id}?history_length=0`)).body).not.toHaveProperty('history');
  });

  it.each<[string, Record<string, unknown>]>([
    ['an object as text', { parts: [{ text: { a: 1 } }] }],
    ['an array as text', { parts: [{ text: ['a'] }] }],
    ['an object as URL', { parts: [{ url: {} }] }],
    ['an array as bytes', { parts: [{ raw: [1, 2, 3] }] }],
    ['bytes that are not Base64', { parts: [{ raw: 'not base64!' }] }],
    ['an object as file name', { parts: [{ raw: 'AAAA', filename: {} }] }],
    ['an object as id', { messageId: {} }],
    ['an array as context', { contextId: ['a'] }],
    ['a string as parts', { parts: 'Hello' }],
    ['a string as part', { parts: ['Hello'] }],
    ['null as part', { parts: [null] }],
    ['an unknown role', { role: 'ROLE_SYSTEM' }],
    ['a history length that is not a number', { configuration: { historyLength: 'all' } }],
    ['a fractional history length', { configuration: { historyLength: 1.5 } }],
  ])('is rejected with %s', async (_, over) => {
    const params = sendParams('echo', over);
    await expect(rpc('SendMessage', params)).resolves.toMatchObject({ error: { code: -32602 } });
    await expect(wire.call('POST', '/a2a/message:send', params)).resolves.toMatchObject({
      status: 400,
      body: { error: { details: expect.arrayContaining([expect.objectContaining({ reason: 'INVALID_PARAMS' })]) } },
    });
  });

  it('in 0.3 can use the older member names', async () => {
    const message = { role: 'user', messageId: newId(), parts: [{ type: 'text', text: 'echo Hello' }], x: 1 };
    await expect(rpc('message/send', { message, y: {} })).resolves.toMatchObject({
      result: { kind: 'task', status: { state: 'completed' }, artifacts: [{ parts: [{ kind: 'text' }] }] },
    });
    const request = { message_id: newId(), role: 1, content: [{ text: 'echo Hello' }], z: 1 };
    await expect(wire.call('POST', '/v1/message:send', { request })).resolves.toMatchObject({
      status: 200,
      body: { task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'Hello' }] }] } },
    });
  });

  it.each<[string, object]>([
    ['no parts', { parts: [] }],
    ['a part of an unknown kind', { parts: [{ kind: 'video', uri: 'x' }] }],
    ['an empty file', { parts: [{ kind: 'file', file: {} }] }],
    ['the role of the agent', { role: 'agent' }],
    ['no id', { messageId: undefined }],
  ])('in 0.3 is rejected with %s', async (_, over) => {
    const message = { ...older('echo').message, ...over };
    await expect(rpc('message/send', { message })).resolves.toMatchObject({ error: { code: -32602 } });
  });

  it('in 0.3 over HTTP is rejected with empty content', async () => {
    await expect(wire.call('POST', '/v1/message:send', olderHttp())).resolves.toMatchObject({
      status: 400,
      body: { code: -32602 },
    });
    await expect(wire.call('GET', '/v1/tasks/x?historyLength=-1')).resolves.toMatchObject({
      status: 400,
      body: { code: -32602 },
    });
  });
});

describe('a returned task', () => {
  it('has exactly the members of 1.0', async () => {
    const { result } = await rpc('SendMessage', sendParams('echo Hello', { configuration: { historyLength: 9 } }));
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(result).toEqual({
      task: {
        id,
        contextId: id,
        status: { state: 'TASK_STATE_COMPLETED', timestamp: expect.stringMatching(/^[\d-]{10}T[\d:]{8}\.\d{3}Z$/) },
        artifacts: [
          { artifactId: expect.any(String), name: 'answer', parts: [{ text: 'Hello', mediaType: 'text/plain' }] },
        ],
        history: [
          {
            messageId: id,
            taskId: result.task.id,
            contextId: result.task.contextId,
            role: 'ROLE_USER',
            parts: [{ text: 'echo Hello', mediaType: 'text/plain' }],
          },
        ],
      },
    });
    const { body } = await wire.call('GET', `/a2a/tasks/${result.task.id}`);
    expect(body).toEqual(result.task);
  });

  it('has exactly the members of 0.3', async () => {
    const { result } = await rpc('message/send', older('echo Hello'));
    expect(result).toEqual({
      kind: 'task',
      id: expect.any(String),
      contextId: expect.any(String),
      status: { state: 'completed', timestamp: expect.any(String) },
      artifacts: [{ artifactId: expect.any(String), name: 'answer', parts: [{ kind: 'text', text: 'Hello' }] }],
    });
    const { body } = await wire.call('GET', `/v1/tasks/${result.id}`);
    expect(body).toEqual({
      id: result.id,
      contextId: result.contextId,
      status: { ...result.status, state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ ...result.artifacts[0], parts: [{ text: 'Hello' }] }],
      history: [expect.objectContaining({ role: 'ROLE_USER', content: [{ text: 'echo Hello' }] })],
    });
    const { result: canceled } = await rpc('message/send', { ...older('wait 60'), configuration: { blocking: false } });
    await expect(wire.call('POST', `/v1/tasks/${canceled.id}:cancel`)).resolves.toMatchObject({
      status: 200,
      body: { status: { state: 'TASK_STATE_CANCELLED' } },
    });
  });

  it('can be a task of the specification’s API with any valid id', async () => {
    for (const id of ['mine:1', 'a.b_c-d', 'x:cancel']) {
      await wire.send(id, 'echo Hello');
      await wire.until(id, 'completed');
      const state = 'TASK_STATE_COMPLETED';
      await expect(rpc('GetTask', { id })).resolves.toMatchObject({ result: { id, contextId: id, status: { state } } });
      await expect(wire.call('GET', `/a2a/tasks/${id}`)).resolves.toMatchObject({ body: { id, status: { state } } });
      await expect(wire.call('POST', `/a2a/tasks/${id}:cancel`)).resolves.toMatchObject({
        status: 400,
        body: { error: { details: [{ reason: 'TASK_NOT_CANCELABLE' }] } },
      });
    }
  });
});

describe('rate limits', () => {
  let strict: RunningServer;
  let agent: AgentAccess;
  let there: Wire;
  const settings = { ROLE: 'web', GRPC_PORT: '0', LIMIT_SENDS_PER_MINUTE: '1', LIMIT_STREAMS: '1' };
  beforeAll(async () => {
    strict = await startServer(testConfig(server.databaseUrl, server.folder, settings));
    agent = await anotherKey(fixture);
    there = a2aWireTo(agent, strict.config.baseUrl);
  });
  afterAll(() => strict.close());

  it('of requests are reported in each binding with a retry time', async () => {
    await startOfMinute();
    const params = sendParams('wait 60', { configuration: { returnImmediately: true } });
    const { headers, body } = await there.call('POST', '/a2a/message:send', params);
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['1', '0']);
    const older03 = { jsonrpc: '2.0', id: 1, method: 'tasks/cancel', params: { id: body.task.id } };
    for (const [path, request] of [
      ['', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params }],
      ['', older03],
      ['/a2a/message:send', params],
      ['/a2a/message:stream', params],
      ['/v1/message:send', params],
    ] as const) {
      const refused = await there.call('POST', path, request);
      expect([refused.status, refused.body.code]).toEqual([429, 'rate-limited']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const grpc = await GrpcBinding.to(agent, strict.config.baseUrl);
    const { refusal, trailers } = await grpc.send(params);
    expect(refusal).toEqual({ code: grpcStatus.RESOURCE_EXHAUSTED, message: expect.stringContaining('1 sends') });
    expect(Number(trailers!.get('retry-after')[0])).toBeGreaterThan(0);
    // reads have a separate limit
    await expect(grpc.get(body.task.id)).resolves.toHaveProperty('result.id');
    grpc.close();
  });

  it('of streams are reported too, and a disconnect frees a slot', async () => {
    const { id } = (await there.call('GET', '/a2a/tasks')).body.tasks[0];
    const grpc = await GrpcBinding.to(agent, strict.config.baseUrl);
    const open = grpc.follow(id);
    await open.until(({ task }) => task);
    const { status, headers } = await there.call('GET', `/a2a/tasks/${id}:subscribe`);
    expect([status, headers.get('retry-after')]).toEqual([429, '5']);
    expect((await grpc.subscribe(id)).refusal).toMatchObject({ code: grpcStatus.RESOURCE_EXHAUSTED });
    open.call.cancel();
    const abort = new AbortController();
    for (let answered = 429; answered === 429;) {
      const response = await there.fetch('GET', `/a2a/tasks/${id}:subscribe`, undefined, {}, abort.signal);
      answered = response.status;
    }
    abort.abort();
    grpc.close();
  });
});

describe('a waiting request', () => {
  it('does not count as in progress, whether it is a blocking send or a stream', async () => {
    const settings = { ROLE: 'web', LIMIT_IN_FLIGHT: '1' };
    const small = await startServer(testConfig(server.databaseUrl, server.folder, settings));
    const there = a2aWireTo(fixture, small.config.baseUrl);
    const contextId = newId();
    const params = sendParams('wait 60', { contextId });
    const working = async () => {
      const { body } = await wire.call('GET', `/a2a/tasks?contextId=${contextId}&status=TASK_STATE_WORKING`);
      return body.tasks.map(({ id }: Json) => id as string) as string[];
    };
    const overHttp = there.call('POST', '/a2a/message:send', params);
    await until(async () => (await working()).length === 1);
    const stream = await there.fetch('GET', `/a2a/tasks/${(await working())[0]}:subscribe`);
    expect(stream.headers.get('content-type')).toMatch('text/event-stream');
    const overRpc = there.call('POST', '', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
    await until(async () => (await working()).length === 2);
    await expect(there.call('GET', '/a2a/tasks')).resolves.toMatchObject({ status: 200 });
    for (const id of await working()) await wire.call('POST', `/a2a/tasks/${id}:cancel`);
    const canceled = { task: { status: { state: 'TASK_STATE_CANCELED' } } };
    expect([(await overHttp).body, (await overRpc).body.result]).toMatchObject([canceled, canceled]);
    expect(await stream.text()).toContain('TASK_STATE_CANCELED');
    await small.close();
  });
});

describe('a request without a key', () => {
  it.each([
    ['POST', ''],
    ['POST', '/'],
    ['GET', '/a2a/tasks'],
    ['POST', '/a2a/message:send'],
    ['GET', '/a2a/nothing'],
    ['POST', '/v1/message:send'],
    ['DELETE', '/v1/tasks/x/pushNotificationConfigs/y'],
  ])('is rejected at %s %s', async (method, path) => {
    const response = await fetch(wire.base + path, { method });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Bearer/),
    ]);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Counters reset every minute, which must not happen in the middle of a test. */
async function startOfMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 5000) await new Promise((resolve) => setTimeout(resolve, left + 50));
}

async function rpc(method: string, params: object): Promise<Json> {
  return (await wire.call('POST', '', { jsonrpc: '2.0', id: 1, method, params })).body;
}

function older(text: string) {
  return { message: { kind: 'message', role: 'user', messageId: newId(), parts: [{ kind: 'text', text }] } };
}
function olderHttp(...content: object[]) {
  return { message: { role: 'ROLE_USER', messageId: newId(), content } };
}
function nested(depth: number): Json {
  return depth ? [nested(depth - 1)] : 1;
}

/** A key of another agent of the same configuration. */
async function anotherKey({ admin, configurationId }: SandboxFixture): Promise<AgentAccess> {
  const { id } = await server.app.get(AgentsService).create(admin, { configurationId, name: newId() });
  const { key } = await server.app.get(KeysService).create(admin, id);
  return { configurationId, key };
}

/** Access to another configuration of the same organization, without a model. */
async function anotherConfiguration(of: SandboxFixture): Promise<AgentAccess> {
  const { id: configurationId } = await server.app.get(ConfigurationsService).create(of.admin, {
    name: newId(),
    description: '',
    connectionIds: [],
    groupIds: [],
  });
  return anotherKey({ admin: of.admin, configurationId } as SandboxFixture);
}
