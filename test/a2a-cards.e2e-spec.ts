import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import type { Json } from './kit/a2a-clients.js';
import { GrpcBinding } from './kit/a2a-bindings.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import type { WireResponse, Wire } from './kit/wire.js';

let server: TestServer;
let fixture: SandboxFixture;
let wire: Wire;
beforeAll(async () => {
  server = await testServer({ GRPC_PORT: '0' });
  fixture = await SandboxFixture.create(server);
  wire = fixture.wire();
});
afterAll(() => server.close());

const path = '/.well-known/agent-card.json';
const card = (headers: Record<string, string> = {}, query = ''): Promise<WireResponse> =>
  wire.call('GET', path + query, undefined, headers);
const newer = { 'a2a-version': '1.0' };
const older = { 'a2a-version': '0.3' };
const olderOnly = [
  'protocolVersion',
  'url',
  'preferredTransport',
  'additionalInterfaces',
  'supportsAuthenticatedExtendedCard',
  'security',
];
const newerOnly = ['supportedInterfaces', 'securityRequirements'];
/** Without `securityRequirements`: a2a-go cannot decode its ProtoJSON form. */
const hybrid = [...olderOnly, 'supportedInterfaces'];
const without = (body: object, name: string) =>
  Object.fromEntries(Object.entries(body).filter(([member]) => member !== name));
const has = (body: object, names: string[]) => names.filter((name) => name in body);

describe('the card', () => {
  it('has only the members of 1.0 if the client requests 1.0', async () => {
    const { status, headers, body } = await card(newer);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toMatchObject({
      name: 'Sandbox',
      description: expect.any(String),
      version: expect.any(String),
      defaultInputModes: ['*/*'],
      defaultOutputModes: ['text/plain', 'application/json'],
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
      securitySchemes: { key: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { key: { list: [] } } }],
    });
    expect(has(body, olderOnly)).toEqual([]);
    expect(body.capabilities).not.toHaveProperty('stateTransitionHistory');
    expect(Object.keys(body.securitySchemes.key)).toEqual(['httpAuthSecurityScheme']);
    expect(body.supportedInterfaces).toEqual([
      { url: wire.base, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: `${wire.base}/a2a`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      {
        url: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        protocolBinding: 'GRPC',
        protocolVersion: '1.0',
        tenant: fixture.configurationId,
      },
      { url: wire.base, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      { url: wire.base, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    ]);
  });

  it('has only the members of 0.3 if the client requests 0.3', async () => {
    const { body } = await card(older);
    expect(body).toMatchObject({
      protocolVersion: '0.3.0',
      url: wire.base,
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: true, pushNotifications: false },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      security: [{ key: [] }],
      supportsAuthenticatedExtendedCard: true,
    });
    expect(has(body, newerOnly)).toEqual([]);
  });

  it('has the members of both versions, with the security requirement of 0.3, if the client requests none', async () => {
    const { body } = await card();
    expect(has(body, [...olderOnly, ...newerOnly])).toEqual(hybrid);
    expect(body.security).toEqual([{ key: [] }]);
  });

  it.each([
    [{ 'a2a-version': '1.0.1' }, '', newerOnly],
    [{}, '?A2A-Version=1.0', newerOnly],
    [{ 'a2a-version': '0.3.14' }, '', olderOnly],
    [{}, '?A2A-Version=0.3', olderOnly],
    [{ 'a2a-version': '' }, '', hybrid],
  ])('has the form requested by the headers %j and the query "%s"', async (headers, query, members) => {
    const { body } = await card(headers as Record<string, string>, query);
    expect(has(body, [...olderOnly, ...newerOnly])).toEqual(members);
  });

  it.each(['2.0', '1', '1.0, 0.3', 'latest'])('is not available in version %s', async (version) => {
    const { status, headers, body } = await card({ 'a2a-version': version });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 400, details: [{ reason: 'VERSION_NOT_SUPPORTED' }] });
    expect(headers.get('vary')).toContain('A2A-Version');
  });

  it('is cacheable by its client only, with revalidation', async () => {
    const { headers } = await card(newer);
    expect(headers.get('cache-control')).toMatch(/^private\b/);
    expect(headers.get('vary')).toBe('Authorization, A2A-Version');
    expect(new Date(headers.get('last-modified')!).getTime()).toBeLessThanOrEqual(Date.now());
    const conditional = { ...newer, 'if-none-match': headers.get('etag')! };
    const again = await wire.fetch('GET', path, undefined, conditional);
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(again.headers.get('etag')).toBe(headers.get('etag'));
    expect(again.headers.get('last-modified')).toBe(headers.get('last-modified'));
    expect(again.headers.get('cache-control')).toBe(headers.get('cache-control'));
    expect(again.headers.get('vary')).toBe(headers.get('vary'));
    // the card of another version has another ETag
    await expect(card({ ...older, 'if-none-match': headers.get('etag')! })).resolves.toMatchObject({ status: 200 });
  });

  it('is sent again after it changes', async () => {
    const other = await SandboxFixture.create(server);
    const ask = (headers: Record<string, string>) => other.wire().call('GET', path, undefined, headers);
    const { headers } = await ask(newer);
    await server.app
      .get(ConfigurationsService)
      .update(other.admin, { configurationId: other.configurationId, description: 'Plays something else.' });
    const changed = await ask({ ...newer, 'if-none-match': headers.get('etag')! });
    expect(changed).toMatchObject({ status: 200, body: { description: 'Plays something else.' } });
    expect(changed.headers.get('etag')).not.toBe(headers.get('etag'));
  });

  it('requires a key of the same configuration', async () => {
    const none = await fetch(wire.base + path);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)]);
    const other = await SandboxFixture.create(server);
    const [foreign, unknown] = await Promise.all(
      [other.configurationId, crypto.randomUUID()].map((id) =>
        fetch(`${server.url}/agents/${id}${path}`, { headers: { authorization: `Bearer ${fixture.key}` } }),
      ),
    );
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    const bodyOf = async (response: Response) => ({ ...((await response.json()) as object), requestId: '' });
    expect(await bodyOf(foreign)).toEqual(await bodyOf(unknown));
  });

  it('does not change the card of the specification', async () => {
    for (const headers of [{}, newer, older]) {
      const { status, body } = await wire.call('GET', '/.well-known/agent.json', undefined, headers);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual([
        'name',
        'description',
        'url',
        'version',
        'capabilities',
        'defaultInputModes',
        'defaultOutputModes',
        'securitySchemes',
        'security',
        'skills',
      ]);
      expect(body).toMatchObject({
        url: wire.base,
        capabilities: { streaming: true, pushNotifications: false },
        defaultInputModes: ['text/plain', 'application/json'],
        securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      });
    }
  });
});

describe('the extended card', () => {
  const rpc = async (method: string) =>
    (await wire.call('POST', '', { jsonrpc: '2.0', id: 1, method })).body.result as Json;

  it('is the card of the requested version in every binding', async () => {
    const [{ body: ofNewer }, { body: ofOlder }] = [await card(newer), await card(older)];
    expect(await rpc('GetExtendedAgentCard')).toEqual(ofNewer);
    expect((await wire.call('GET', '/a2a/extendedAgentCard')).body).toEqual(ofNewer);
    expect(await rpc('agent/getAuthenticatedExtendedCard')).toEqual(ofOlder);
    const { capabilities, ...ofProtocolBuffers } = (await wire.call('GET', '/v1/card')).body;
    const { securitySchemes, securityRequirements: security } = ofNewer;
    expect(ofProtocolBuffers).toEqual({ ...without(ofOlder, 'capabilities'), securitySchemes, security });
    expect(capabilities).toEqual(without(ofOlder.capabilities, 'stateTransitionHistory'));
    const grpc = await GrpcBinding.to(fixture, server.url);
    const { result } = await grpc.extendedCard();
    grpc.close();
    expect(result).toMatchObject({ name: 'Sandbox', supportedInterfaces: ofNewer.supportedInterfaces });
  });

  it('declares the supported extension as optional', async () => {
    const { body } = await card(newer);
    expect(body.capabilities.extensions).toEqual([
      { uri: expect.stringMatching(/^urn:countersign:/), description: expect.any(String), required: false },
    ]);
  });
});
