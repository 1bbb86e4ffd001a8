import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MembersService } from '../src/access/members.service.js';
import { ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { MemorySource } from './kit/memory-source.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let knowledge: KnowledgeFixture;
let source: MemorySource;
let id: string;
let ada: string;

beforeAll(async () => {
  server = await testServer();
  source = new MemorySource('memory-hooks');
  server.app.get(ConnectorRegistry).register(source.connector);
  const lark = await anOrganization(server);
  knowledge = new KnowledgeFixture(server, lark, await lark.as());
  source.addAccount('U1', 'ada@hooks.example');
  source.addSpace('S', { accounts: ['U1'] });
  source.addPage('plan', 'S', 'The first plan.');
  ada = (await server.app.get(MembersService).create(lark.system, { email: 'ada@hooks.example', name: 'Ada' })).id;
  ({ id } = await knowledge.connect({ kind: 'memory-hooks', slug: 'hooks', settings: { containers: ['S'] } }));
  await knowledge.waitUntilComplete(id);
  await knowledge.refreshRoster(id);
});
afterAll(() => server.close());

const send = ({ body, headers }: { body: string; headers: Record<string, string> }, to = id) =>
  fetch(`${server.url}/webhooks/sources/${to}`, { method: 'POST', body, headers });
const finds = async (word: string) => (await knowledge.search([id], word, { member: ada })).passages.length;

describe('a webhook of a source', () => {
  it('starts a sync that reads what changed', async () => {
    source.edit('plan', { text: 'The kestrel plan.' });
    expect(await finds('kestrel')).toBe(0);
    const answer = await send(source.delivery({ page: 'plan' }));
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    await expect.poll(() => finds('kestrel')).toBe(1);
  });

  it('makes the roster due if permissions may have changed', async () => {
    source.spaces.get('S')!.accounts.delete('U1');
    expect(await finds('plan')).toBe(1);
    expect((await send(source.delivery({ isRosterStale: true }))).status).toBe(200);
    await expect.poll(() => finds('plan')).toBe(0);
    source.spaces.get('S')!.accounts.add('U1');
    expect((await send(source.delivery({ isRosterStale: true }))).status).toBe(200);
    await expect.poll(() => finds('plan')).toBe(1);
  });

  it('gets the response that the source expects, and starts no sync if no document changed', async () => {
    await knowledge.waitUntilComplete(id);
    const before = await knowledge.times(id);
    const answer = await send(source.delivery({ challenge: 'c1' }));
    expect([answer.status, await answer.json()]).toEqual([200, { challenge: 'c1' }]);
    expect(await knowledge.times(id)).toEqual(before);
  });

  it('is accepted once, even if it arrives twice at the same time', async () => {
    const { startedAt } = await knowledge.times(id);
    const delivery = source.delivery({ page: 'plan' }, 'once');
    expect((await Promise.all([send(delivery), send(delivery)])).map(({ status }) => status)).toEqual([200, 200]);
    await expect.poll(async () => (await knowledge.times(id)).startedAt).not.toBe(startedAt);
    await knowledge.waitUntilComplete(id);
    const before = await knowledge.times(id);
    expect((await send(delivery)).status).toBe(200);
    // a replay neither makes the source due nor stores a hint
    expect(await knowledge.times(id)).toEqual(before);
  });

  it.each([
    ['a forged request', () => ({ ...source.delivery({ page: 'plan' }), body: '{"page":"other"}' }), () => id],
    ['no signature', () => ({ body: '{}', headers: {} }), () => id],
    ['an unknown connection', () => source.delivery({ page: 'plan' }), () => newId()],
    ['an invalid id', () => source.delivery({ page: 'plan' }), () => 'nothing'],
  ])('gets the response of an unknown address: %s', async (_, delivery, to) => {
    const before = await knowledge.times(id);
    const answer = await send(delivery(), to());
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not-found' }]);
    expect(await knowledge.times(id)).toEqual(before);
  });

  it('is refused above 1 MiB', async () => {
    const answer = await send({ body: 'x'.repeat(2 ** 20 + 1), headers: { 'content-type': 'application/json' } });
    expect(answer.status).toBe(413);
  });

  it('is refused while the connection is paused', async () => {
    const set = (action: string) =>
      knowledge.request(`mutation ($id: ID!) { ${action}(input: { id: $id }) { id } }`, { id });
    expect((await set('pauseConnection')).errors).toBeUndefined();
    expect((await send(source.delivery({ page: 'plan' }))).status).toBe(404);
    expect((await set('resumeConnection')).errors).toBeUndefined();
    expect((await send(source.delivery({ page: 'plan' }))).status).toBe(200);
  });
});
