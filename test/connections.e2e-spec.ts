import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type TestServer, testServer } from './kit/server.js';
let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());
it('boots', () => expect(server.url).toBeTruthy());
