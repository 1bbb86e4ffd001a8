import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

describe('metadata', () => {
  it.each(['oauth-authorization-server', 'openid-configuration'])('says what there is, at %s', async (name) => {
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

  it('publishes the public halves of its keys', async () => {
    const { keys } = (await fetch(`${server.url}/oauth2/jwks`).then((response) => response.json())) as {
      keys: Record<string, string>[];
    };
    expect(keys).toEqual([expect.objectContaining({ kty: 'EC', alg: 'ES256', use: 'sig' })]);
    expect(keys[0]).not.toHaveProperty('d');
  });
});
