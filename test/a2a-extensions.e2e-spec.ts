import { Role, type SendMessageRequest } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  ServiceParameters,
  withA2AExtensions,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../src/platform/crypto/ids.js';
import { sendParams, a2aWireTo } from './kit/a2a-bindings.js';
import type { Json } from './kit/a2a-clients.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';

const extension = 'https://example.com/extensions/traced/v1';
let server: TestServer;
let strict: SandboxFixture;
let lenient: SandboxFixture;

beforeAll(async () => {
  server = await testServer({ GRPC_PORT: '0' });
  strict = await SandboxFixture.create(server, { requiredExtension: extension });
  lenient = await SandboxFixture.create(server);
});
afterAll(() => server.close());

async function clientOf(fixture: SandboxFixture, binding: string): Promise<Client> {
  const authorization = `Bearer ${fixture.key}`;
  const fetchImpl: typeof fetch = (url, init) =>
    fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization } });
  const factory = new ClientFactory({
    transports: [
      new JsonRpcTransportFactory({ fetchImpl }),
      new RestTransportFactory({ fetchImpl }),
      new GrpcTransportFactory(),
    ],
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return factory.createFromUrl(`${server.url}/agents/${fixture.configurationId}/`);
}
const request = (text: string): SendMessageRequest => ({
  tenant: '',
  message: {
    messageId: newId(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: undefined,
  metadata: undefined,
});
const naming = ({ key }: SandboxFixture, ...extensions: string[]) => ({
  serviceParameters: {
    ...ServiceParameters.create(withA2AExtensions(...extensions)),
    authorization: `Bearer ${key}`,
  },
});

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])('an agent that requires an extension, over %s', (binding) => {
  it('accepts messages only from clients that request it', async () => {
    const client = await clientOf(strict, binding);
    const refused = client.sendMessage(request('complete'), naming(strict, 'https://example.com/another'));
    await expect(refused).rejects.toMatchObject({ reason: 'EXTENSION_SUPPORT_REQUIRED' });
    const stream = client.sendMessageStream(request('complete'), naming(strict));
    await expect(stream.next()).rejects.toMatchObject({ reason: 'EXTENSION_SUPPORT_REQUIRED' });
    const taken = await client.sendMessage(
      request('complete'),
      naming(strict, 'https://example.com/another', extension),
    );
    expect(taken).toMatchObject({ id: expect.any(String) as string });
  });

  it('does not affect other agents', async () => {
    const client = await clientOf(lenient, binding);
    await expect(client.sendMessage(request('complete'), naming(lenient))).resolves.toMatchObject({
      id: expect.any(String) as string,
    });
  });
});

it('declares the required extension in every form of the card', async () => {
  for (const version of ['1.0', '0.3', undefined]) {
    const headers: Record<string, string> = version ? { 'a2a-version': version } : {};
    const { body } = await a2aWireTo(strict, server.url).call<Json>(
      'GET',
      '/.well-known/agent-card.json',
      undefined,
      headers,
    );
    expect(body.capabilities.extensions).toContainEqual({ uri: extension, required: true });
  }
});

it('rejects messages without the required extension with the right code and status in every binding', async () => {
  const wire = a2aWireTo(strict, server.url);
  const call = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: sendParams('complete') };
  const { body } = await wire.call<Json>('POST', '', call);
  expect(body.error).toMatchObject({ code: -32008, message: expect.stringContaining(extension) as string });
  const http = await wire.call<Json>('POST', '/a2a/message:send', sendParams('complete'));
  expect(http).toMatchObject({ status: 400, body: { error: { status: 'FAILED_PRECONDITION' } } });
  const older = {
    message: { kind: 'message', messageId: newId(), role: 'user', parts: [{ kind: 'text', text: 'complete' }] },
  };
  const legacy = { jsonrpc: '2.0', id: 1, method: 'message/send', params: older };
  expect((await wire.call<Json>('POST', '', legacy)).body.error.code).toBe(-32008);
  const named = await wire.call<Json>('POST', '', legacy, { 'x-a2a-extensions': extension });
  expect(named.body.result).toMatchObject({ kind: 'task' });
});
