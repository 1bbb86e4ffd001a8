import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccessTokensService } from '../src/oauth/access-tokens.service.js';
import { tokenKind } from '../src/platform/crypto/tokens.js';
import { anOrganization } from './kit/organization.js';
import { aProduct, productRedirectUri, newVerifier } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

describe('the metadata', () => {
  it.each(['oauth-authorization-server', 'openid-configuration'])('describe the server at %s', async (name) => {
    const metadata = await fetch(`${server.url}/.well-known/${name}`).then((response) => response.json());
    expect(metadata).toEqual({
      issuer: server.url,
      authorization_endpoint: `${server.url}/oauth2/authorize`,
      token_endpoint: `${server.url}/oauth2/token`,
      revocation_endpoint: `${server.url}/oauth2/revoke`,
      device_authorization_endpoint: `${server.url}/oauth2/device_authorization`,
      jwks_uri: `${server.url}/oauth2/jwks`,
      scopes_supported: ['api:read', 'api:write'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
      authorization_response_iss_parameter_supported: true,
    });
  });

  it('include the public keys', async () => {
    const { keys } = (await fetch(`${server.url}/oauth2/jwks`).then((response) => response.json())) as {
      keys: Record<string, string>[];
    };
    expect(keys).toEqual([expect.objectContaining({ kty: 'EC', alg: 'ES256', use: 'sig' })]);
    expect(keys[0]).not.toHaveProperty('d');
  });
});

describe('the authorization code flow', () => {
  it('asks once and issues tokens in our own format', async () => {
    const product = await aProduct(server, await anOrganization(server));
    const verifier = newVerifier();
    const browser = await product.organization.browser();
    const first = await product.authorize(browser, { verifier });
    expect([first.asked, first.back.searchParams.get('state')]).toEqual([true, 'a state']);
    const second = await product.authorize(browser);
    expect(second.asked).toBe(false);

    const { body } = await product.exchange({
      code: first.back.searchParams.get('code')!,
      code_verifier: verifier,
      redirect_uri: productRedirectUri,
    });
    expect(body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'api:read',
    });
    expect([tokenKind(body.access_token), tokenKind(body.refresh_token)]).toEqual(['api', 'ref']);
  });

  it('authenticates the person through the product, without administrative permissions', async () => {
    const lark = await anOrganization(server);
    const product = await aProduct(server, lark);
    const { access_token } = await product.tokens(lark.admin, { scope: 'api:write' });
    await expect(server.app.get(AccessTokensService).principalOf(access_token, 'api')).resolves.toEqual({
      tenantId: lark.tenant.id,
      kind: 'member',
      memberId: lark.admin.id,
      name: lark.admin.name,
      clientId: product.id,
      grantId: expect.any(String),
      surface: 'api',
      scopes: ['api:read', 'api:write'],
      permissions: new Set(),
      chain: [
        { kind: 'member', id: lark.admin.id, name: lark.admin.name },
        { kind: 'client', id: product.id, name: product.client.name },
      ],
    });
  });
});

// last: a second server in this process replaces the strategies of the first
describe('a server behind https', () => {
  it('uses its configured URL regardless of the request and sets secure cookies', async () => {
    const behind = await testServer({ BASE_URL: 'https://countersign.example' });
    try {
      const local = `http://127.0.0.1:${behind.config.port}`;
      const metadata = (await fetch(`${local}/.well-known/oauth-authorization-server`, {
        headers: { 'x-forwarded-host': 'evil.example' },
      }).then((response) => response.json())) as Record<string, string>;
      expect(metadata.token_endpoint).toBe('https://countersign.example/oauth2/token');
      const product = (await aProduct(behind, await anOrganization(behind))).at(local);
      const asked = await fetch(local + product.authorizePath(newVerifier()), { redirect: 'manual' });
      expect(asked.headers.get('location')).toMatch(/^\/consent\//);
      const cookies = asked.headers.getSetCookie();
      expect(cookies.length).toBe(4);
      for (const cookie of cookies) expect(cookie).toMatch(/; secure; httponly/i);
    } finally {
      await behind.close();
    }
  });
});
