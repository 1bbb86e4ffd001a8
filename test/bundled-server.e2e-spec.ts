import { afterAll, beforeAll, expect, it } from 'vitest';
import { anOrganization, Organization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let bundled: ServerProcess;

beforeAll(async () => {
  server = await testServer();
  bundled = await serverProcess(server.databaseUrl);
});
afterAll(async () => {
  await bundled.kill('SIGTERM');
  await server.close();
});

// TypeORM can load a second copy of the database driver, whose errors are of other classes
it('recognizes errors of the database', async () => {
  const { tenant, admin } = await anOrganization(server);
  const request = await new Organization({ app: server.app, url: bundled.url }, tenant, admin).as();
  const create = () => request('mutation { createGroup(input: { name: "Night shift" }) { id } }');
  expect((await create()).errors).toBeUndefined();
  expect((await create()).code).toBe('name-taken');
});
