import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PoolClient } from 'pg';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { statement } from '../src/platform/database/statement.js';
import type { Tx } from '../src/platform/database/tx.js';
import { BulkDatabaseService } from '../src/platform/database/bulk-database.service.js';
import { Staging } from '../src/spend/sync/staging/staging.js';
import type { UsageRow } from '../src/spend/usage-row.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { SpendIdentityFixture } from './kit/spend-identity-fixture.js';
import { runSql } from './kit/run-sql.js';

const day = '2026-10-14';

let server: TestServer;
let lark: Organization;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
});
afterAll(() => server.close());

const rowOf = (key: string, requests: number): UsageRow => ({
  day,
  identity: { kind: 'email', key },
  ai_requests_agent: requests,
});
const people = (many: number): [UsageRow[], number[]] => {
  const numbers = Array.from({ length: many }, (_, number) => number);
  return [numbers.map((number) => rowOf(`p${number}`, 1)), numbers];
};
const staged = <T>(work: (staging: Staging, client: PoolClient) => Promise<T>): Promise<T> =>
  server.app.get(BulkDatabaseService).use(async (connection) => {
    const staging = new Staging(connection, { tenantId: newId() });
    await staging.open([day]);
    return work(staging, connection.client);
  });
const countOf = async (client: PoolClient) =>
  (await client.query<{ n: number }>('select count(*)::int as n from staged_usage')).rows[0].n;

describe('staged rows', () => {
  it('are complete after a flush', async () => {
    const count = await staged(async (staging, client) => {
      for (let page = 0; page < 3; page++) await staging.addUsage(...people(1000));
      await staging.flush();
      return countOf(client);
    });
    expect(count).toBe(3000);
  });

  it('are lost with their database connection, which fails the flush; the next connection starts empty', async () => {
    const lost = staged(async (staging, client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await staging.addUsage(...people(50_000));
      await server.app
        .get(DatabaseService)
        .systemPool.execute(statement<[pid: number]>('select pg_terminate_backend($1)'), [rows[0].pid]);
      await staging.flush();
      await countOf(client);
    });
    await expect(lost).rejects.toThrow(/terminat|closed|connection/i);
    await expect(staged((_, client) => countOf(client))).resolves.toBe(0);
  });
});

describe('two concurrent transactions that add identities to one connection', () => {
  it('assign consecutive slots', async () => {
    const feed = await SpendIdentityFixture.create(server, lark);
    const database = server.app.get(DatabaseService);
    const appear = (tx: Tx, key: string) =>
      runSql(
        tx,
        `insert into spend_identities (tenant_id, connection_id, kind, key, is_ignored, has_seat, first_seen)
         values ($1, $2, 'email', $3, false, true, now())`,
        [lark.tenant.id, feed.id, key],
      );
    await feed.createIdentity({ key: 'before@lark.example' });
    const second = await database.tenant(lark.system, async (tx) => {
      await appear(tx, 'first@lark.example');
      const appearing = database.tenant(lark.system, (other) => appear(other, 'second@lark.example'));
      while (!(await isSomebodyWaiting(tx))) await new Promise((resolve) => setTimeout(resolve, 20));
      return { appearing };
    });
    await second.appearing;
    const slots = await feed.query<{ slot: number; key: string }>(
      `select s.slot, i.key from spend_slots s join spend_identities i on i.tenant_id = s.tenant_id and i.id = s.identity
       where s.tenant_id = $1 and s.connection_id = $2 order by s.slot`,
      [feed.id],
    );
    expect(slots).toEqual([
      { slot: 0, key: 'before@lark.example' },
      { slot: 1, key: 'first@lark.example' },
      { slot: 2, key: 'second@lark.example' },
    ]);
  });
});

const isSomebodyWaiting = async (tx: Tx) =>
  (
    await runSql(
      tx,
      `select 1 from pg_locks where not granted and locktype = 'advisory'
     and database = (select oid from pg_database where datname = current_database())`,
    )
  ).length > 0;
