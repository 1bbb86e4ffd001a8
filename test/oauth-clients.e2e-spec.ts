import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { ClientsService } from '../src/oauth/clients/clients.service.js';
import { newToken } from '../src/platform/crypto/tokens.js';
import { newId } from '../src/platform/crypto/ids.js';
import { anOrganization, type GraphqlResponse, type Organization } from './kit/organization.js';
import { newVerifier, Product } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';

type Ask = (query: string, variables?: object) => Promise<GraphqlResponse>;

let server: TestServer;
let acme: Organization;
let admin: Ask;
beforeAll(async () => {
  server = await testServer();
  acme = await anOrganization(server);
  admin = await acme.as();
});
afterAll(() => server.close());

let counter = 0;
const aClient = (input: object = {}) => ({
  name: `Portal ${++counter}`,
  type: 'public',
  redirectUris: ['https://portal.example/callback'],
  target: 'api',
  scopes: ['api_read'],
  ...input,
});
const fields = `id name status revision version type authMethod scopes redirectUris target configuration { id }
  authorizationEndpoint tokenEndpoint resource secrets { id hint expiresAt }`;
const inputs = {
  createOauthClient: ['CreateOauthClientInput', `secret client { ${fields} }`],
  rotateOauthClientSecret: ['RotateOauthClientSecretInput', `secret client { ${fields} }`],
  updateOauthClient: ['UpdateOauthClientInput', fields],
  disableOauthClient: ['OauthClientInput', fields],
  enableOauthClient: ['OauthClientInput', fields],
  revokeOauthClient: ['OauthClientInput', fields],
  revokeOauthClientSecret: ['RevokeOauthClientSecretInput', 'id expiresAt'],
} as const;

async function run(mutation: keyof typeof inputs, input: object, ask = admin): Promise<GraphqlResponse> {
  const [type, selection] = inputs[mutation];
  return ask(`mutation ($input: ${type}!) { answer: ${mutation}(input: $input) { ${selection} } }`, { input });
}
async function done(mutation: keyof typeof inputs, input: object) {
  const { data, errors } = await run(mutation, input);
  if (!data?.answer) throw new Error(JSON.stringify(errors));
  return data.answer;
}
const register = (input: object = {}) => done('createOauthClient', aClient(input));
/** Whether the token endpoint accepts a secret and then checks the code (`invalid_grant`). */
const isSecretAccepted = async (id: string, secret: string) => {
  const client = await server.app.get(ClientsService).get(acme.system, id);
  const { body } = await new Product(server.url, acme, client, secret).exchange({
    code: 'nobody’s',
    code_verifier: newVerifier(),
    redirect_uri: client.redirectUris[0],
  });
  return body.error === 'invalid_grant' ? true : body.error === 'invalid_client' ? false : body.error;
};
const recorded = async (id: string) => {
  const { nodes } = await server.app.get(AuditLogService).list(acme.system, { first: 200 });
  return nodes.filter(({ subject }) => (subject as { id?: string } | null)?.id === id).map(({ kind }) => kind);
};
const aConfiguration = (of = acme) =>
  server.app
    .get(ConfigurationsService)
    .create(of.system, { name: `Desk ${++counter}`, description: '', connectionIds: [], groupIds: [] });

describe('the registration of a client', () => {
  it('returns the settings that a product needs, and no secret for a public client', async () => {
    const { client, secret } = await register();
    expect(secret).toBeNull();
    expect(client).toMatchObject({
      status: 'active',
      revision: 1,
      authMethod: 'none',
      scopes: ['api_read'],
      authorizationEndpoint: `${server.url}/oauth2/authorize`,
      tokenEndpoint: `${server.url}/oauth2/token`,
      resource: `${server.url}/v1`,
      secrets: [],
    });
    expect(await recorded(client.id)).toEqual(['client.created']);
  });

  it('shows the secret of a confidential client once and stores its digest', async () => {
    const { client, secret } = await register({ type: 'confidential' });
    expect(secret).toMatch(/^cs_sec_[\w-]{49}$/);
    expect(client).toMatchObject({ authMethod: 'client_secret_basic', secrets: [{ hint: `${secret.slice(0, 11)}…` }] });
    expect(await isSecretAccepted(client.id, secret)).toBe(true);
    const again = await admin(`{ oauthClient(id: "${client.id}") { ${fields} } auditEvents { nodes { detail } } }`);
    expect(JSON.stringify(again)).not.toContain(secret);
  });

  it('targets the API or one configuration over MCP', async () => {
    const configuration = await aConfiguration();
    const { client } = await register({ target: 'mcp', configurationId: configuration.id });
    expect(client).toMatchObject({ resource: `${server.url}/v1/mcp`, configuration: { id: configuration.id } });
  });

  it('includes read access in write access', async () => {
    expect((await register({ scopes: ['api_write'] })).client.scopes).toEqual(['api_read', 'api_write']);
  });

  it('accepts a loopback redirect URI for a native client', async () => {
    const { client } = await register({ isNative: true, redirectUris: ['http://127.0.0.1:8976/callback'] });
    expect(client.redirectUris).toEqual(['http://127.0.0.1:8976/callback']);
  });

  it.each([
    [{ redirectUris: [] }, '/redirectUris'],
    [{ redirectUris: ['https://portal.example/', 'http://portal.example/'] }, '/redirectUris/1'],
    [{ redirectUris: ['http://127.0.0.1:8976/callback'] }, '/redirectUris/0'],
    [{ redirectUris: ['https://pоrtal.example/callback'] }, '/redirectUris/0'],
    [{ redirectUris: ['https://portal.example/callback#'] }, '/redirectUris/0'],
    [{ type: 'confidential', isNative: true }, '/isNative'],
    [{ type: 'confidential', authMethod: 'none' }, '/authMethod'],
    [{ authMethod: 'client_secret_post' }, '/authMethod'],
    [{ target: 'mcp' }, '/configurationId'],
    [{ target: 'mcp', configurationId: newId() }, '/configurationId'],
    [{ configurationId: newId() }, '/configurationId'],
    [{ scopes: [] }, '/scopes'],
    [{ logoUrl: 'http://portal.example/logo.png' }, '/logoUrl'],
    [{ contacts: ['nobody'] }, '/contacts'],
    [{ name: ' ' }, '/name'],
    [{ name: 'Portal\u202e' }, '/name'],
  ])('rejects %j', async (input, pointer) => {
    const { code, errors } = await run('createOauthClient', aClient(input));
    expect(code).toBe('invalid-request');
    expect(errors![0].extensions.errors).toEqual(expect.arrayContaining([expect.objectContaining({ pointer })]));
  });

  it('rejects a configuration of another organization', async () => {
    const configuration = await aConfiguration(await anOrganization(server));
    const { code } = await run('createOauthClient', aClient({ target: 'mcp', configurationId: configuration.id }));
    expect(code).toBe('invalid-request');
  });

  it('rejects a duplicate name until the other client is revoked', async () => {
    const { client } = await register({ name: 'Twice' });
    expect((await run('createOauthClient', aClient({ name: 'TWICE' }))).code).toBe('client-name-taken');
    await done('revokeOauthClient', { clientId: client.id });
    await register({ name: 'twice' });
  });
});

describe('an update of a client', () => {
  it('increases the revision only for changes that require new consent', async () => {
    const { client } = await register();
    const change = async (input: object) =>
      (await done('updateOauthClient', { clientId: client.id, ...input })).revision as number;
    expect(await change({ description: 'For customers', contacts: ['ops@portal.example'] })).toBe(1);
    expect(await change({ redirectUris: ['https://portal.example/callback', 'https://portal.example/other'] })).toBe(2);
    expect(await change({ scopes: ['api_write'] })).toBe(3);
    expect(await change({ scopes: ['api_write', 'api_read'] })).toBe(3);
    expect(await change({ name: 'Renamed portal' })).toBe(4);
    expect(await change({})).toBe(4);
    expect(await recorded(client.id)).toEqual([...Array(4).fill('client.updated'), 'client.created']);
  });

  it('moves a client to a configuration and back', async () => {
    const { id } = await aConfiguration();
    const { client } = await register();
    const moved = await done('updateOauthClient', { clientId: client.id, target: 'mcp', configurationId: id });
    expect(moved).toMatchObject({ target: 'mcp', configuration: { id }, revision: 2 });
    expect(await done('updateOauthClient', { clientId: client.id, target: 'api' })).toMatchObject({
      target: 'api',
      configuration: null,
      revision: 3,
    });
  });

  it('is rejected if somebody else changed the client first', async () => {
    const { client } = await register();
    const change = (input: object) =>
      run('updateOauthClient', { clientId: client.id, basedOn: client.version, ...input });
    const first = (await change({ description: 'Ours' })).data.answer;
    expect(first.version).not.toBe(client.version);
    expect((await change({ description: 'Theirs' })).code).toBe('conflict');
    expect((await change({ basedOn: first.version, description: 'Both' })).data.answer.version).not.toBe(first.version);
  });

  it('follows the rules of registration', async () => {
    const { client } = await register({ isNative: true, redirectUris: ['http://localhost:3118/callback'] });
    const { code, errors } = await run('updateOauthClient', { clientId: client.id, isNative: false });
    expect(code).toBe('invalid-request');
    expect(errors![0].extensions.errors).toMatchObject([{ pointer: '/redirectUris/0' }]);
  });
});

describe('a client', () => {
  it('can be disabled and enabled', async () => {
    const { client } = await register();
    expect((await done('disableOauthClient', { clientId: client.id })).status).toBe('disabled');
    await done('disableOauthClient', { clientId: client.id });
    expect((await done('enableOauthClient', { clientId: client.id })).status).toBe('active');
    expect(await recorded(client.id)).toEqual(['client.enabled', 'client.disabled', 'client.created']);
  });

  it('cannot be restored after it is revoked', async () => {
    const { client } = await register({ type: 'confidential' });
    expect((await done('revokeOauthClient', { clientId: client.id })).status).toBe('revoked');
    for (const mutation of ['enableOauthClient', 'updateOauthClient', 'rotateOauthClientSecret'] as const)
      expect((await run(mutation, { clientId: client.id })).code).toBe('client-revoked');
    expect((await admin(`{ oauthClient(id: "${client.id}") { status } }`)).data.oauthClient.status).toBe('revoked');
  });
});

describe('a client secret', () => {
  it('can be rotated while the previous one stays valid', async () => {
    const { client, secret } = await register({ type: 'confidential' });
    const rotated = await done('rotateOauthClientSecret', { clientId: client.id });
    expect(await isSecretAccepted(client.id, secret)).toBe(true);
    expect(await isSecretAccepted(client.id, rotated.secret)).toBe(true);
    expect(await isSecretAccepted(client.id, newToken('sec'))).toBe(false);
    expect(rotated.client.secrets).toMatchObject([{ expiresAt: null }, { expiresAt: expect.any(String) }]);
  });

  it('is at most one of two valid secrets', async () => {
    const { client, secret: first } = await register({ type: 'confidential' });
    const { secret: second } = await done('rotateOauthClientSecret', { clientId: client.id });
    const { secret: third } = await done('rotateOauthClientSecret', { clientId: client.id });
    expect(await Promise.all([first, second, third].map((secret) => isSecretAccepted(client.id, secret)))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('is at most one of two valid secrets after concurrent rotations', async () => {
    const { client } = await register({ type: 'confidential' });
    const rotations = Array.from({ length: 5 }, () => done('rotateOauthClientSecret', { clientId: client.id }));
    const secrets = (await Promise.all(rotations)).map(({ secret }) => secret as string);
    const works = await Promise.all(secrets.map((secret) => isSecretAccepted(client.id, secret)));
    expect(works.filter(Boolean)).toHaveLength(2);
  });

  it('replaces the previous one immediately without an overlap', async () => {
    const { client, secret } = await register({ type: 'confidential', authMethod: 'client_secret_post' });
    const rotated = await done('rotateOauthClientSecret', { clientId: client.id, overlapSeconds: 0 });
    expect(await isSecretAccepted(client.id, secret)).toBe(false);
    expect(await isSecretAccepted(client.id, rotated.secret)).toBe(true);
    expect(await recorded(client.id)).toEqual(['client.secret_rotated', 'client.created']);
  });

  it('can be revoked separately', async () => {
    const { client, secret } = await register({ type: 'confidential' });
    const rotated = await done('rotateOauthClientSecret', { clientId: client.id });
    await done('revokeOauthClientSecret', { secretId: rotated.client.secrets[1].id });
    expect(await isSecretAccepted(client.id, secret)).toBe(false);
    expect(await isSecretAccepted(client.id, rotated.secret)).toBe(true);
    expect((await run('revokeOauthClientSecret', { secretId: newId() })).code).toBe('secret-not-found');
  });

  it('becomes invalid with its client', async () => {
    const { client, secret } = await register({ type: 'confidential' });
    await done('disableOauthClient', { clientId: client.id });
    expect(await isSecretAccepted(client.id, secret)).toBe(false);
    await done('enableOauthClient', { clientId: client.id });
    expect(await isSecretAccepted(client.id, secret)).toBe(true);
    await done('revokeOauthClient', { clientId: client.id });
    expect(await isSecretAccepted(client.id, secret)).toBe(false);
  });

  it('does not exist for a public client', async () => {
    const { client } = await register();
    expect((await run('rotateOauthClientSecret', { clientId: client.id })).code).toBe('client-has-no-secret');
  });
});

describe('access to clients', () => {
  it.each(['member', 'auditor', 'analyst'] as const)('is denied to a member with the role %s', async (role) => {
    const ask = await acme.as(await acme.member({ roles: [role] }));
    expect((await run('createOauthClient', aClient(), ask)).code).toBe('forbidden');
    expect((await ask('{ oauthClients { totalCount } }')).code).toBe('forbidden');
  });

  it('allows an admin token to disable a client but not to register, change or enable one', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { data } = await admin(
      `mutation { createAdminToken(input: { name: "ops ${++counter}", expiresAt: "${expiresAt}" }) { token } }`,
    );
    const token = acme.withToken(data.createAdminToken.token);
    const { client } = await register({ type: 'confidential' });
    const clientId = client.id as string;
    expect((await run('createOauthClient', aClient(), token)).code).toBe('session-required');
    for (const mutation of ['updateOauthClient', 'enableOauthClient', 'rotateOauthClientSecret'] as const)
      expect((await run(mutation, { clientId }, token)).code).toBe('session-required');
    expect((await run('disableOauthClient', { clientId }, token)).data.answer.status).toBe('disabled');
    expect((await run('revokeOauthClient', { clientId }, token)).data.answer.status).toBe('revoked');
  });

  it('is denied to administrators of another organization', async () => {
    const { client } = await register({ type: 'confidential' });
    const stranger = await (await anOrganization(server)).as();
    expect((await stranger(`{ oauthClient(id: "${client.id}") { id } }`)).code).toBe('client-not-found');
    for (const mutation of ['updateOauthClient', 'disableOauthClient', 'revokeOauthClient'] as const)
      expect((await run(mutation, { clientId: client.id }, stranger)).code).toBe('client-not-found');
    const [{ id: secretId }] = client.secrets;
    expect((await run('revokeOauthClientSecret', { secretId }, stranger)).code).toBe('secret-not-found');
  });
});

describe('the protected resource metadata', () => {
  const metadata = async (path: string) => {
    const response = await fetch(`${server.url}/.well-known/oauth-protected-resource${path}`);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

  it.each([
    ['/v1', '/v1'],
    ['/v1/mcp', '/v1/mcp'],
    ['', '/v1/mcp'],
  ])('at %j describes %s', async (path, resource) => {
    const { status, headers, body } = await metadata(path);
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(body).toMatchObject({
      resource: server.url + resource,
      authorization_servers: [server.url],
      scopes_supported: ['api:read', 'api:write'],
      bearer_methods_supported: ['header'],
    });
  });

  it.each(['/v2', '/v1/other', '/v1/mcp/more'])('does not exist for %j', async (path) => {
    expect((await metadata(path)).status).toBe(404);
  });
});
