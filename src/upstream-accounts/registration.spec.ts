import { describe, expect, it } from 'vitest';
import type { AuthorizationServer } from './authorization-server.js';
import { isUsableFor, registerUpstreamClient } from './registration.js';

const endpoints = {
  issuer: 'https://a.example',
  authorization_endpoint: 'https://a.example/authorize',
  token_endpoint: 'https://a.example/token',
  response_types_supported: ['code'],
};
const server = (metadata: object, more: Partial<AuthorizationServer> = {}): AuthorizationServer => ({
  issuer: endpoints.issuer,
  metadata: { ...endpoints, ...metadata },
  ...more,
});
const own = { redirectUri: 'https://us.example/callback', documentUrl: 'https://us.example/client.json' };

/** Accepts every registration and records the requests. */
function registry() {
  const said: { scope?: string }[] = [];
  const reach = async (_: string | URL, init?: RequestInit) => {
    said.push(JSON.parse(init!.body as string) as { scope?: string });
    return Response.json({ client_id: 'made', redirect_uris: [own.redirectUri] });
  };
  return { said, reach };
}

describe('client registration', () => {
  it('uses the URL of our metadata document if the server accepts one', async () => {
    const { said, reach } = registry();
    const offers = { client_id_metadata_document_supported: true, registration_endpoint: 'https://a.example/register' };
    expect(await registerUpstreamClient(server(offers), own, reach)).toMatchObject({ client_id: own.documentUrl });
    expect(said).toEqual([]);
  });

  it('registers a client if the server cannot read the document', async () => {
    const { reach } = registry();
    const offers = { client_id_metadata_document_supported: true, registration_endpoint: 'https://a.example/register' };
    const made = await registerUpstreamClient(server(offers), { redirectUri: own.redirectUri }, reach);
    expect(made).toMatchObject({ client_id: 'made' });
  });

  it('registers for every scope that a later step-up may need', async () => {
    const { said, reach } = registry();
    const offers = { registration_endpoint: 'https://a.example/register' };
    await registerUpstreamClient(server(offers, { scope: 'read', scopes: 'read write' }), own, reach);
    expect(said).toEqual([expect.objectContaining({ scope: 'read write', redirect_uris: [own.redirectUri] })]);
  });

  it('fails if the server offers no registration', async () => {
    await expect(registerUpstreamClient(server({}), own, registry().reach)).rejects.toThrow(
      'has no client registration',
    );
  });
});

describe('a stored client', () => {
  const inAMinute = Math.floor(Date.now() / 1000) + 60;

  it.each([
    [true, { client_id: 'c' }],
    [true, { client_id: 'c', client_secret_expires_at: 0 }],
    [true, { client_id: 'c', client_secret_expires_at: inAMinute, scope: 'write read' }],
    [false, { client_id: 'c', client_secret_expires_at: inAMinute - 120 }],
    [false, { client_id: 'c', scope: 'read' }],
  ])('is usable: %s, %j', (isGood, client) => {
    expect(isUsableFor(server({}, { scope: 'read write' }), client)).toBe(isGood);
  });
});
