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
/** Of a configuration whose model reads words and data only. */
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

describe.each(['JSON-RPC', 'HTTP+JSON', 'gRPC'])('over %s', (name) => {
  let door: A2aBinding;
  beforeAll(async () => {
    door = await bindings[name](fixture);
  });
  const refused = (reason: string) => ({
    refusal: { code: codes[reason][Object.keys(bindings).indexOf(name)], reason, message: expect.any(String) },
  });
  const send = async (text: string, over: Record<string, unknown> = {}): Promise<Json> =>
    (await door.send(sendParams(text, over))).result.task;
  const partsOf = (...parts: object[]) => sendParams('', { parts });
  const asArray = 'x'.repeat(129);

  it.each<[string, object]>([
    ['no message', {}],
    ['no parts', partsOf()],
    ['a part with nothing in it', partsOf({})],
    ['a part with an empty text', partsOf({ text: '' })],
    ['a part with an empty address', partsOf({ url: '' })],
    ['101 parts', partsOf(...Array.from({ length: 101 }, () => ({ text: 'x' })))],
    ['a text of more than 256 KiB', partsOf({ text: 'x'.repeat(256 * 1024 + 1) })],
    ['NUL in a text', partsOf({ text: 'a\0b' })],
    ['NUL in the name of a file', partsOf({ raw: 'AAAA', filename: 'a\0b' })],
    ['NUL in the id of the message', sendParams('echo', { messageId: 'a\0b' })],
    ['NUL in data', partsOf({ data: { a: '\0' } })],
    ['data that is nested too deeply', partsOf({ data: { a: nested(40) } })],
    ['data with a name that is something else than data', partsOf({ data: { a: { __extn: 1 } } })],
    ['no id of the message', sendParams('echo', { messageId: '' })],
    ['an id of the message of 257 characters', sendParams('echo', { messageId: 'x'.repeat(257) })],
    ['nobody who says it', sendParams('echo', { role: undefined })],
    ['the agent who says it', sendParams('echo', { role: 'ROLE_AGENT' })],
    ['a context that would be a path', sendParams('echo', { contextId: '../x' })],
    ['a context of 129 characters', sendParams('echo', { contextId: asArray })],
    ['a negative length of the history', sendParams('echo', { configuration: { historyLength: -1 } })],
  ])('a message with %s is refused, and makes no task', async (_, params) => {
    const before = (await door.list({})).result.totalSize ?? 0;
    await expect(door.send(params)).resolves.toMatchObject(refused('INVALID_PARAMS'));
    expect((await door.list({})).result.totalSize ?? 0).toBe(before);
  });

  it('a message takes what stands at its limits', async () => {
    const task = await send('echo', { messageId: 'x'.repeat(256), contextId: 'x'.repeat(128) });
    expect(task).toMatchObject({ contextId: 'x'.repeat(128), status: { state: 'TASK_STATE_COMPLETED' } });
  });

  it('a task that has ended takes no more messages, is not canceled, and has nothing to subscribe to', async () => {
    const { id } = await send('echo Hello');
    await expect(door.send(sendParams('more', { taskId: id }))).resolves.toMatchObject(
      refused('UNSUPPORTED_OPERATION'),
    );
    await expect(door.cancel(id)).resolves.toMatchObject(refused('TASK_NOT_CANCELABLE'));
    await expect(door.subscribe(id)).resolves.toMatchObject(refused('UNSUPPORTED_OPERATION'));
  });

  it('a message for a task names the context of the task, or none', async () => {
    const { id, contextId } = await send('ask');
    const other = sendParams('x', { taskId: id, contextId: `not-${contextId}` });
    await expect(door.send(other)).resolves.toMatchObject(refused('INVALID_PARAMS'));
    await expect(send('Here', { taskId: id, contextId })).resolves.toMatchObject({
      id,
      status: { state: 'TASK_STATE_COMPLETED' },
    });
  });

  it('a task at work takes no message', async () => {
    const { id } = await send('wait 60', { configuration: { returnImmediately: true } });
    await until(async () => (await door.get(id)).result.status.state === 'TASK_STATE_WORKING');
    await expect(door.send(sendParams('more', { taskId: id }))).resolves.toMatchObject(
      refused('UNSUPPORTED_OPERATION'),
    );
    await door.cancel(id);
  });

  it('an answer that is sent again counts once', async () => {
    const { id } = await send('converse');
    const reply = sendParams('More', { taskId: id });
    const answers = [await door.send(reply), await door.send(reply)];
    expect(answers.map(({ result }) => result.task.status.state)).toEqual(Array(2).fill('TASK_STATE_INPUT_REQUIRED'));
    const { history } = (await door.get(id)).result;
    expect(history.filter(({ parts }: Json) => parts[0].text === 'More')).toHaveLength(1);
  });

  it('the task of somebody else answers as one that never was', async () => {
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
      const said = (answers: BindingReply[]) =>
        answers.map(({ refusal }) => ({ ...refusal, message: refusal!.message.replace(/"[^"]*"/, 'it') }));
      expect(foreign[0]).toMatchObject(refused('TASK_NOT_FOUND'));
      expect(said(foreign)).toEqual(said(never));
      expect((await stranger.list({})).result.tasks ?? []).toEqual([]);
    }
    await expect(door.get(id)).resolves.toMatchObject({ result: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } });
  });

  it.each(['never', '..', 'a b', 'x'.repeat(500)])('the task %.20s is not found', async (id) => {
    const at = name === 'HTTP+JSON' ? encodeURIComponent(id).replace('..', '%2e%2e%2f') : id;
    const { refusal } = await door.get(at);
    expect(refusal?.code).toBe(refused('TASK_NOT_FOUND').refusal.code);
  });

  it('a task has as much of its history as is asked for', async () => {
    const { id } = await send('ask Which one?');
    await send('This one', { taskId: id });
    const lengthOf = async (most?: number) => (await door.get(id, most)).result.history?.length ?? 0;
    expect([await lengthOf(0), await lengthOf(1), await lengthOf(2), await lengthOf(1000)]).toEqual([0, 1, 2, 3]);
    expect(await lengthOf()).toBe(3);
    await expect(door.get(id, -1)).resolves.toMatchObject(refused('INVALID_PARAMS'));
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
  ])('a list with %j is refused', async (query) => {
    await expect(door.list(query)).resolves.toMatchObject(refused('INVALID_PARAMS'));
  });

  it('a list comes in pages, to their end', async () => {
    const contextId = newId();
    const sent: string[] = [];
    for (let nth = 0; nth < 3; nth++) sent.unshift((await send('echo', { contextId })).id);
    const { result: first } = await door.list({ contextId, pageSize: 2 });
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3, nextPageToken: expect.stringMatching(/./) });
    const { result: second } = await door.list({ contextId, pageSize: 2, pageToken: first.nextPageToken });
    expect([...first.tasks, ...second.tasks].map(({ id }: Json) => id)).toEqual(sent);
    expect(second.nextPageToken ?? '').toBe('');
    await expect(door.list({ contextId, status: 'TASK_STATE_FAILED' })).resolves.toMatchObject({
      result: { pageSize: 50 },
    });
  });

  it('a file is refused by who reads none, and so is a call for an answer in what it cannot write', async () => {
    const words = await bindings[name](reader);
    const file = { raw: 'AAECAw==', mediaType: 'image/png', filename: 'x.png' };
    for (const part of [file, { url: 'https://example.com/x.mp3', mediaType: 'audio/mpeg' }])
      await expect(words.send(partsOf({ text: 'Look' }, part))).resolves.toMatchObject(
        refused('CONTENT_TYPE_NOT_SUPPORTED'),
      );
    const inOnly = (...acceptedOutputModes: string[]) => sendParams('echo', { configuration: { acceptedOutputModes } });
    await expect(door.send(inOnly('image/png', 'video/*'))).resolves.toMatchObject(
      refused('CONTENT_TYPE_NOT_SUPPORTED'),
    );
    for (const mode of ['text/plain', 'TEXT/*', 'application/json; charset=utf-8', '*/*'])
      await expect(door.send(inOnly('image/png', mode))).resolves.toHaveProperty('result.task');
  });

  it('text and data of a media type outside the input modes are refused before anything is stored', async () => {
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
    await expect(door.send(partsOf({ text: 'echo x', mediaType: 'text/markdown' }))).resolves.toHaveProperty(
      'result.task',
    );
  });

  it('nothing is pushed', async () => {
    const { id } = await send('ask');
    await expect(door.push(id)).resolves.toMatchObject(refused('PUSH_NOTIFICATION_NOT_SUPPORTED'));
    const url = 'https://example.com/hook';
    const asking = sendParams('echo', { configuration: { taskPushNotificationConfig: { url } } });
    await expect(door.send(asking)).resolves.toMatchObject(refused('PUSH_NOTIFICATION_NOT_SUPPORTED'));
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
  ])('are not offered by %s', async (method, params) => {
    await expect(rpc(method, params)).resolves.toMatchObject({ error: { code: -32003 } });
  });

  it.each([
    ['POST', ''],
    ['GET', ''],
    ['GET', '/y'],
    ['DELETE', '/y'],
  ])('are not offered by %s …/pushNotificationConfigs%s', async (method, rest) => {
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

  it('are not taken with a message of 0.3 either', async () => {
    const pushNotificationConfig = { url: 'https://example.com/' };
    await expect(
      rpc('message/send', { ...older('echo'), configuration: { pushNotificationConfig } }),
    ).resolves.toMatchObject({ error: { code: -32003 } });
    const sent = { ...olderHttp({ text: 'echo' }), configuration: { pushNotification: pushNotificationConfig } };
    await expect(wire.call('POST', '/v1/message:send', sent)).resolves.toMatchObject({ body: { code: -32003 } });
  });
});

describe('the type of a request', () => {
  const text = JSON.stringify(sendParams('echo Hello'));

  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'application/octet-stream'])(
    'that is %s is refused as such',
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
    'may be %s',
    async (type) => {
      const answer = await wire.call('POST', '/a2a/message:send', text, { 'content-type': type });
      expect(answer.status).toBe(200);
      const isOwn = type === 'application/a2a+json';
      expect(answer.headers.get('content-type')).toBe(`application/${isOwn ? 'a2a+json' : 'json'}; charset=utf-8`);
    },
  );

  it('of a part is another matter', async () => {
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
    'of more than 1 MiB is not read, at "%s"',
    async (path) => {
      const answer = await wire.call('POST', path, heavy);
      expect([answer.status, answer.body.code]).toEqual([413, 'too-large']);
    },
  );

  it('that is nested very deeply is refused', async () => {
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

describe('what comes in', () => {
  it('may be written with numbers, in snake_case, and with members that nobody knows', async () => {
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
    ['an object for a text', { parts: [{ text: { a: 1 } }] }],
    ['a list for a text', { parts: [{ text: ['a'] }] }],
    ['an object for an address', { parts: [{ url: {} }] }],
    ['a list for bytes', { parts: [{ raw: [1, 2, 3] }] }],
    ['bytes that are no base64', { parts: [{ raw: 'not base64!' }] }],
    ['an object for a name', { parts: [{ raw: 'AAAA', filename: {} }] }],
    ['an object for an id', { messageId: {} }],
    ['a list for a context', { contextId: ['a'] }],
    ['a word for the parts', { parts: 'Hello' }],
    ['a word for a part', { parts: ['Hello'] }],
    ['null for a part', { parts: [null] }],
    ['a role that nobody knows', { role: 'ROLE_SYSTEM' }],
    ['a length of the history that is no number', { configuration: { historyLength: 'all' } }],
    ['half a message of history', { configuration: { historyLength: 1.5 } }],
  ])('is refused with %s', async (_, over) => {
    const params = sendParams('echo', over);
    await expect(rpc('SendMessage', params)).resolves.toMatchObject({ error: { code: -32602 } });
    await expect(wire.call('POST', '/a2a/message:send', params)).resolves.toMatchObject({
      status: 400,
      body: { error: { details: expect.arrayContaining([expect.objectContaining({ reason: 'INVALID_PARAMS' })]) } },
    });
  });

  it('in 0.3 may be of its older words', async () => {
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
    ['a part of another kind', { parts: [{ kind: 'video', uri: 'x' }] }],
    ['a file with nothing in it', { parts: [{ kind: 'file', file: {} }] }],
    ['the agent who says it', { role: 'agent' }],
    ['no id', { messageId: undefined }],
  ])('in 0.3 is refused with %s', async (_, over) => {
    const message = { ...older('echo').message, ...over };
    await expect(rpc('message/send', { message })).resolves.toMatchObject({ error: { code: -32602 } });
  });

  it('in 0.3 over HTTP is refused with empty content', async () => {
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

describe('what goes out', () => {
  it('is exactly what 1.0 names', async () => {
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

  it('is exactly what 0.3 names', async () => {
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

  it('shows a task of the wire of the specification, whatever its id', async () => {
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

describe('limits', () => {
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

  it('of requests are told by each binding, with a time to come back', async () => {
    await startOfMinute();
    const params = sendParams('wait 60', { configuration: { returnImmediately: true } });
    const { headers, body } = await there.call('POST', '/a2a/message:send', params);
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['1', '0']);
    const older03 = { jsonrpc: '2.0', id: 1, method: 'tasks/cancel', params: { id: body.task.id } };
    for (const [path, asked] of [
      ['', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params }],
      ['', older03],
      ['/a2a/message:send', params],
      ['/a2a/message:stream', params],
      ['/v1/message:send', params],
    ] as const) {
      const refused = await there.call('POST', path, asked);
      expect([refused.status, refused.body.code]).toEqual([429, 'rate-limited']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const grpc = await GrpcBinding.to(agent, strict.config.baseUrl);
    const { refusal, trailers } = await grpc.send(params);
    expect(refusal).toEqual({ code: grpcStatus.RESOURCE_EXHAUSTED, message: expect.stringContaining('1 sends') });
    expect(Number(trailers!.get('retry-after')[0])).toBeGreaterThan(0);
    // reads are counted by themselves
    await expect(grpc.get(body.task.id)).resolves.toHaveProperty('result.id');
    grpc.close();
  });

  it('of streams are, too, and whoever leaves makes room', async () => {
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

describe('whoever waits', () => {
  it('for an answer or for news stands in the way of nobody', async () => {
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

describe('without a key', () => {
  it.each([
    ['POST', ''],
    ['POST', '/'],
    ['GET', '/a2a/tasks'],
    ['POST', '/a2a/message:send'],
    ['GET', '/a2a/nothing'],
    ['POST', '/v1/message:send'],
    ['DELETE', '/v1/tasks/x/pushNotificationConfigs/y'],
  ])('%s %s asks for one', async (method, path) => {
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

/** Counting starts anew with each minute: not to be met in the middle of a test. */
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

/** Of another agent of the same configuration. */
async function anotherKey({ admin, configurationId }: SandboxFixture): Promise<AgentAccess> {
  const { id } = await server.app.get(AgentsService).create(admin, { configurationId, name: newId() });
  const { key } = await server.app.get(KeysService).create(admin, id);
  return { configurationId, key };
}

/** Of another configuration of the same organization, without a model. */
async function anotherConfiguration(of: SandboxFixture): Promise<AgentAccess> {
  const { id: configurationId } = await server.app.get(ConfigurationsService).create(of.admin, {
    name: newId(),
    description: '',
    connectionIds: [],
    groupIds: [],
  });
  return anotherKey({ admin: of.admin, configurationId } as SandboxFixture);
}
