import { status } from '@grpc/grpc-js';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentsService } from '../src/configurations/agents.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import { newToken } from '../src/platform/crypto/tokens.js';
import { newId } from '../src/platform/crypto/ids.js';
import { startServer } from '../src/server.js';
import { GrpcBinding, sendParams, a2aWireTo } from './kit/a2a-bindings.js';
import type { Json } from './kit/a2a-clients.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let fixture: SandboxFixture;
let address: string;
const open: GrpcBinding[] = [];
beforeAll(async () => {
  server = await testServer({ GRPC_PORT: '0' });
  fixture = await SandboxFixture.create(server);
  address = (await grpcOf(server.url))!;
});
afterAll(async () => {
  open.forEach((one) => one.close());
  await server.close();
});

async function grpcOf(url: string): Promise<string | undefined> {
  const { body } = await a2aWireTo(fixture, url).call<Json>('GET', '/.well-known/agent-card.json');
  return body.supportedInterfaces.find((one: Json) => one.protocolBinding === 'GRPC')?.url;
}
function caller(
  metadata: Record<string, string> = {},
  { tenant = fixture.configurationId, options }: { tenant?: string; options?: object } = {},
): GrpcBinding {
  const binding = new GrpcBinding(address, tenant, { authorization: `Bearer ${fixture.key}`, ...metadata }, options);
  open.push(binding);
  return binding;
}
const stateOf = ({ result }: Json): string => result.task.status.state;
const completed = 'TASK_STATE_COMPLETED';

describe('the gRPC endpoint', () => {
  it.each([
    ['no key', ''],
    ['a key without its scheme', () => fixture.key],
    ['another scheme', () => `Basic ${fixture.key}`],
    ['an unknown key', () => `Bearer ${newToken('a2a')}`],
    ['a key of another type', () => `Bearer ${newToken('api')}`],
    ['two keys', () => `Bearer ${fixture.key} ${fixture.key}`],
  ])('rejects %s', async (_, given) => {
    const stranger = caller({ authorization: typeof given === 'string' ? given : given() });
    const { refusal } = await stranger.send(sendParams('echo'));
    expect(refusal).toEqual({ code: status.UNAUTHENTICATED, message: expect.stringContaining('key') });
    expect((await stranger.subscribe('x')).refusal).toEqual(refusal);
    expect((await stranger.push('x')).refusal).toEqual(refusal);
    expect((await stranger.extendedCard()).refusal).toEqual(refusal);
  });

  it('rejects a call without metadata', async () => {
    const bare = new GrpcBinding(address, fixture.configurationId, {});
    expect((await bare.list({})).refusal).toMatchObject({ code: status.UNAUTHENTICATED });
    bare.close();
  });

  it('answers the same for a foreign tenant and an unknown tenant', async () => {
    const { configurationId: foreign } = await SandboxFixture.create(server);
    const refusals = [];
    for (const tenant of [foreign, crypto.randomUUID(), 'nothing', '../x', 'x'.repeat(5000), 'a\0b'])
      for (const ask of ['send', 'list', 'subscribe'] as const)
        refusals.push((await caller({}, { tenant })[ask](sendParams('echo') as never)).refusal);
    expect(refusals[0]).toEqual({ code: status.NOT_FOUND, message: expect.any(String) });
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
  });

  it('takes the tenant from the metadata or from the key', async () => {
    expect(stateOf(await caller({}, { tenant: '' }).send(sendParams('echo')))).toBe(completed);
    const named = caller({ tenant: fixture.configurationId }, { tenant: '' });
    expect(stateOf(await named.send(sendParams('echo')))).toBe(completed);
    const { refusal } = await caller({ tenant: crypto.randomUUID() }, { tenant: '' }).send(sendParams('echo'));
    expect(refusal).toMatchObject({ code: status.NOT_FOUND });
  });

  it.each(['1.0', '1.0.1', ''])('supports version %j', async (version) => {
    expect(stateOf(await caller({ 'a2a-version': version }).send(sendParams('echo')))).toBe(completed);
  });

  it.each(['0.3', '0.3.0', '2.0', '1', 'one'])('does not support version %j', async (version) => {
    const other = caller({ 'a2a-version': version });
    const refusal = {
      code: status.FAILED_PRECONDITION,
      reason: 'VERSION_NOT_SUPPORTED',
      message: expect.stringContaining('1.0'),
    };
    expect((await other.list({})).refusal).toEqual(refusal);
    expect((await other.subscribe('x')).refusal).toEqual(refusal);
  });

  it('answers UNIMPLEMENTED to an unknown method', async () => {
    const { refusal } = await caller().raw('/lf.a2a.v1.A2AService/SendNothing', Buffer.alloc(0));
    expect(refusal).toMatchObject({ code: status.UNIMPLEMENTED });
  });
});

describe('data that is too large', () => {
  it('is rejected as metadata, and the caller can send further calls', async () => {
    const heavy = caller({ 'x-much': 'x'.repeat(100_000) });
    for (const ask of ['list', 'subscribe'] as const)
      expect((await heavy[ask]('x' as never)).refusal).toMatchObject({ code: status.INTERNAL });
    await expect(caller().list({})).resolves.toHaveProperty('result.pageSize');
  });

  it('is rejected as a message and creates no task', async () => {
    const before = (await caller().list({})).result.totalSize;
    const { refusal } = await caller().send(sendParams('x'.repeat(1024 * 1024 + 1)));
    expect(refusal).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    expect((await caller().list({})).result.totalSize).toBe(before);
  });

  it('is rejected as a compressed message that is too large after decompression', async () => {
    const packing = caller({}, { options: { 'grpc.default_compression_algorithm': 2 } });
    expect(stateOf(await packing.send(sendParams('echo Hello')))).toBe(completed);
    const { refusal } = await packing.send(sendParams('x'.repeat(3 * 1024 * 1024)));
    expect(refusal).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  it('is sent in full as an answer', async () => {
    const { result } = await caller().send(sendParams('big 500'));
    expect(result.task.artifacts[0].parts[0].text.length).toBe(500 * 1024);
  });
});

describe('an invalid byte sequence', () => {
  it('is rejected as a message', async () => {
    const { refusal } = await caller().raw('/lf.a2a.v1.A2AService/SendMessage', Buffer.from([0xff, 0xff, 0xff]));
    expect(refusal).toMatchObject({ code: status.INTERNAL });
  });

  it('that is not HTTP/2 closes the connection', async () => {
    const [host, port] = address.split(':');
    const socket = connect(Number(port), host);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    await expect(caller().list({})).resolves.toHaveProperty('result.pageSize');
  });
});

describe('a gRPC client', () => {
  it('can cancel its call without ending the task', async () => {
    const abort = new AbortController();
    const contextId = newId();
    const asked = caller().send(sendParams('wait 60', { contextId }), abort.signal);
    const task = await until(async () => (await caller().list({ contextId })).result.tasks?.[0] as Json);
    abort.abort();
    await expect(asked).resolves.toMatchObject({ refusal: { code: status.CANCELLED } });
    await expect(caller().cancel(task.id)).resolves.toMatchObject({
      result: { status: { state: 'TASK_STATE_CANCELED' } },
    });
  });

  it('follows a task through its questions to its end', async () => {
    const { result } = await caller().send(sendParams('ask Which one?'));
    const stream = caller().follow(result.task.id);
    await stream.until(({ task }) => task?.status.state === 'TASK_STATE_INPUT_REQUIRED');
    await caller().send(sendParams('This one', { taskId: result.task.id }));
    expect(await stream.ended).toBeUndefined();
    expect(stream.events.at(-1).statusUpdate.status.state).toBe(completed);
  });

  it('receives no more events after its key is revoked', async () => {
    const { admin, configurationId } = fixture;
    const { id } = await server.app.get(AgentsService).create(admin, { configurationId, name: 'Revoked' });
    const { a2aKey, key } = await server.app.get(KeysService).create(admin, id);
    const revoked = caller({ authorization: `Bearer ${key}` });
    const stream = revoked.stream(sendParams('wait 60'));
    await stream.until(({ statusUpdate }) => statusUpdate);
    await server.app.get(KeysService).revoke(admin, a2aKey.id);
    expect((await revoked.list({})).refusal).toMatchObject({ code: status.UNAUTHENTICATED });
    await stream.ended;
    expect(stream.events.map((event) => Object.keys(event)[0])).toEqual(['task', 'statusUpdate']);
  });
});

describe('the server', () => {
  it('ends its streams when it stops', async () => {
    const other = await startServer(testConfig(server.databaseUrl, server.folder, { ROLE: 'web', GRPC_PORT: '0' }));
    const there = new GrpcBinding((await grpcOf(other.config.baseUrl))!, fixture.configurationId, {
      authorization: `Bearer ${fixture.key}`,
    });
    const stream = there.stream(sendParams('wait 60'));
    await stream.until(({ task }) => task);
    await other.close();
    await stream.ended;
    there.close();
    await caller().cancel(stream.events[0].task.id);
  });

  it('does not list gRPC in the card if it is off', async () => {
    const other = await startServer(testConfig(server.databaseUrl, server.folder, { ROLE: 'web' }));
    await expect(grpcOf(other.config.baseUrl)).resolves.toBeUndefined();
    await other.close();
  });
});

async function until<T>(found: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const one = await found();
    if (one) return one;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
