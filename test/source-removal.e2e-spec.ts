import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type Connector, ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import { SourceRemovalService } from '../src/knowledge/source-removal.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { MemorySource } from './kit/memory-source.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let owner: pg.Client;
/** Another writer, whose transaction is open while the connection is removed. */
let writer: pg.Client;
let lark: Organization;
let knowledge: KnowledgeFixture;
const source = new MemorySource('memory-removal');

beforeAll(async () => {
  server = await testServer();
  [owner, writer] = [new pg.Client(server.databaseUrl), new pg.Client(server.databaseUrl)];
  await Promise.all([owner.connect(), writer.connect()]);
  source.addAccount('U-ada', 'ada@acme.example');
  source.addSpace('closed', { accounts: ['U-ada'] });
  source.addPage('plan', 'closed', 'The zebrafish plan.');
  server.app.get(ConnectorRegistry).register(source.connector);
});
afterAll(async () => {
  await Promise.all([owner.end(), writer.end()]);
  await server.close();
});
beforeEach(async () => {
  lark = await anOrganization(server);
  knowledge = new KnowledgeFixture(server, lark, await lark.as());
});

const count = async (table: string, id: string) =>
  (await owner.query<{ n: number }>(`select count(*)::int as n from ${table} where connection_id = $1`, [id])).rows[0]
    .n;
const remove = async (id: string) => {
  const { errors } = await knowledge.request('mutation ($id: ID!) { removeConnection(input: { id: $id }) { id } }', {
    id,
  });
  expect(errors).toBeUndefined();
};
/** Another transaction waits for a lock of the writer. Excludes the scheduler, which can wait for it, too. */
const untilBlocked = () =>
  expect
    .poll(
      async () =>
        (
          await owner.query(
            `select 1 from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock' and query not like '%interval%'`,
          )
        ).rows.length,
      { timeout: 120_000, interval: 50 },
    )
    .toBeGreaterThan(0);

describe('no data of a removed connection is left', () => {
  it.each<[string, string, (own: [string, string]) => Promise<unknown>, string]>([
    [
      'a roster is stored during the removal',
      'source_accounts',
      (own) =>
        writer.query(
          `insert into source_accounts (tenant_id, connection_id, id, external_id, name, group_ids, set_ids)
           values ($1, $2, $3, 'late', 'Late', '{}', '{}')`,
          [...own, newId()],
        ),
      'source_rosters',
    ],
    [
      'a sync stores its progress during the removal',
      'source_pass_marks',
      (own) =>
        writer.query(
          `insert into source_pass_marks (tenant_id, connection_id, pass_id, number, marks) values ($1, $2, $3, 0, '')`,
          [...own, newId()],
        ),
      'sources',
    ],
  ])('if %s', async (_, table, insert, lease) => {
    const settings = { containers: ['closed'] };
    const { id } = await knowledge.connect({ kind: source.id, slug: 'source', settings });
    await knowledge.waitUntilComplete(id);
    await knowledge.refreshRoster(id);
    await writer.query('begin');
    await writer.query(`update ${lease} set running_until = running_until where connection_id = $1`, [id]);
    await remove(id);
    const removal = server.app.get(SourceRemovalService).removeAll(lark.system, id);
    await untilBlocked();
    await insert([lark.tenant.id, id]);
    await writer.query('commit');
    await removal;
    await expect.poll(() => count('sources', id), { timeout: 120_000 }).toBe(0);
    expect(await count(table, id)).toBe(0);
    expect(await count('documents', id)).toBe(0);
  });

  it('if a webhook is verified during the removal, and the webhook is refused', async () => {
    let verified = () => {};
    const verifying = new Promise<void>((resolve) => (verified = resolve));
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const { receive } = source.connector;
    const slow: Connector = {
      ...source.connector,
      id: 'memory-slow',
      receive: async (context, delivery) => {
        begin();
        await verifying;
        return receive!(context, delivery);
      },
    };
    server.app.get(ConnectorRegistry).register(slow);
    const { id } = await knowledge.connect({ kind: slow.id, slug: 'source', settings: { containers: ['closed'] } });
    await knowledge.waitUntilComplete(id);
    const { body, headers } = source.delivery({ page: 'plan' });
    const answer = fetch(`${server.url}/webhooks/sources/${id}`, { method: 'POST', headers, body });
    await begun;
    await remove(id);
    await server.app.get(SourceRemovalService).removeAll(lark.system, id);
    verified();
    expect((await answer).status).toBe(404);
    expect([await count('source_hints', id), await count('source_deliveries', id)]).toEqual([0, 0]);
  });

  it('if a document is pushed during the removal, and the document is refused', async () => {
    const { id } = await knowledge.connect({ kind: 'documents', slug: 'pushed' });
    await expect.poll(() => count('sources', id)).toBe(1);
    const { data } = await knowledge.request(
      'mutation ($input: CreateTenantKeyInput!) { createTenantKey(input: $input) { key } }',
      { input: { name: 'Push', scopes: ['documents'] } },
    );
    await writer.query('begin');
    await writer.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${id}/late`]);
    const pushing = fetch(`${server.url}/ingest/documents/pushed/late`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${data.createTenantKey.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Late', content: 'Too late.' }),
    });
    await untilBlocked();
    await remove(id);
    await expect.poll(() => count('sources', id), { timeout: 120_000 }).toBe(0);
    await writer.query('commit');
    expect((await pushing).status).toBe(404);
    expect(await count('documents', id)).toBe(0);
  });
});
