import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

it('leads whoever is not signed in from GraphiQL to the sign-in page', async () => {
  const response = await fetch(`${server.url}/graphiql`, { redirect: 'manual' });
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/sign-in?next=%2Fgraphiql');
});
