import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

async function refusal(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(server.url + path, { headers });
  expect(response.status).toBe(401);
  return ((await response.json()) as { detail: string }).detail;
}

it('says how to send a credential if there is none', async () => {
  const expected = 'The request has no "Authorization" header. Send the credential as "Authorization: Bearer …".';
  expect(await refusal('/v1/me')).toBe(expected);
  expect(await refusal('/v1/me', { 'x-api-key': 'cs_a2a_key' })).toBe(expected);
});

it('names both ways to sign in where a session is accepted', async () => {
  const response = await fetch(`${server.url}/graphql`, { method: 'POST' });
  expect(response.status).toBe(401);
  expect(await response.text()).toContain('You are not signed in, and the request has no');
});

it('says that the word Bearer is missing', async () => {
  const expected = 'The "Authorization" header is not of the form "Bearer …", with the credential after "Bearer".';
  expect(await refusal('/v1/me', { authorization: 'cs_a2a_key' })).toBe(expected);
  expect(await refusal('/v1/me', { authorization: 'Basic YTpi' })).toBe(expected);
});

it('does not say why a credential is not accepted', async () => {
  const expected = /is not accepted here: it is unknown, expired, revoked or meant for another address/;
  expect(await refusal('/v1/me', { authorization: 'Bearer cs_a2a_key' })).toMatch(expected);
  expect(await refusal('/v1/me', { authorization: 'Bearer nonsense' })).toMatch(expected);
});
