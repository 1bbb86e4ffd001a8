import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server, { name: 'Larkmoor', password: 'a plain long phrase' });
});
afterAll(() => server.close());

describe('me', () => {
  it('says who asks', async () => {
    const ask = await lark.as();
    await expect(
      ask('{ me { permissions sessionId freshAt member { email groups { name } } tenant { name } sessions { id } } }'),
    ).resolves.toMatchObject({ data: { me: { member: { email: lark.admin.email }, tenant: { name: 'Larkmoor' } } } });
  });
});
