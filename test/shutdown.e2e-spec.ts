import { afterAll, beforeAll, expect, it } from 'vitest';
import { DatabaseProxy } from './kit/database-proxy.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let proxy: DatabaseProxy;
let cutOff: ServerProcess;
beforeAll(async () => {
  server = await testServer();
  proxy = await DatabaseProxy.start(server.databaseUrl);
  cutOff = await serverProcess(proxy.url, { SHUTDOWN_GRACE_SECONDS: '1' });
});
afterAll(async () => {
  await cutOff?.kill();
  await proxy?.close();
  await server?.close();
});

it('ends a process on SIGTERM that is cut off from its database', async () => {
  proxy.freeze();
  await cutOff.kill('SIGTERM');
  expect(cutOff.isAlive()).toBe(false);
  expect(cutOff.log()).toContain('ends without a complete shutdown');
});
