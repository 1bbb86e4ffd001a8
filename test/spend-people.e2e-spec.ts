import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../src/platform/database/database.service.js';
import { Matching } from '../src/spend/people/matching.service.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { SpendFeed } from './kit/spend-feed.js';

let server: TestServer;
let lark: Organization;
let cursor: SpendFeed;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  cursor = await SpendFeed.of(server, lark);
});
afterAll(() => server.close());

const match = () =>
  server.app.get(Database).tenant(lark.system, (tx) => server.app.get(Matching).match(tx, lark.system));

describe('matching', () => {
  it('finds members by their address', async () => {
    const max = await lark.member({ name: 'Max Match' });
    const identity = await cursor.identity({ key: max.email });
    expect(await match()).toBe(1);
    await expect(cursor.read(identity)).resolves.toMatchObject({ matchedBy: 'email', email: max.email });
  });
});
