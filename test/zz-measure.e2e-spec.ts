import { afterAll, beforeAll, it } from 'vitest';
import { MembersService } from '../src/access/members.service.js';
import { ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import type { RosterEntry } from '../src/connections/knowledge-source.port.js';
import { listReadableAudiences } from '../src/knowledge/permissions/readable-audiences.sql.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization } from './kit/organization.js';
import { runSql } from './kit/run-sql.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());
const people = 50_000;
const groups = 5_000;
const each = Number(process.env.EACH ?? 20);
let shift = 0;
async function* roster(): AsyncGenerator<RosterEntry> {
  for (let p = 0; p < people; p++) yield { account: { id: `U${p}`, name: `Person ${p}`, email: `p${p}@acme.example` } };
  const members: string[][] = Array.from({ length: groups }, () => []);
  for (let p = 0; p < people; p++)
    for (let k = 0; k < (p === 7 ? groups : each); k++)
      members[(p * 31 + k * 251 + (p < 500 ? shift : 0)) % groups].push(`U${p}`);
  for (let g = 0; g < groups; g++) yield { group: { id: `G${g}`, accounts: members[g] } };
  for (let a = 0; a < groups; a++)
    yield {
      audience: {
        id: `acme/${a}`,
        title: `acme/${a}`,
        rule: 'x',
        readers: [{ groups: [`G${a}`] }, { groups: [`G${a}`, `G${(a + 1) % groups}`], accounts: [`U${a}`] }],
      },
    };
}
it('measures', { timeout: 900_000 }, async () => {
  server.app.get(ConnectorRegistry).register({
    id: 'many',
    title: 'Many',
    setUp: 'x',
    fields: [],
    offers: ['knowledge'],
    verify: async () => ({ status: 'connected' }),
    async *documents() {},
    roster,
  });
  const lark = await anOrganization(server);
  const knowledge = new KnowledgeFixture(server, lark, await lark.as());
  const members = server.app.get(MembersService);
  const ids = [];
  for (const p of [7, 8]) ids.push((await members.create(lark.system, { email: `p${p}@acme.example`, name: 'P' })).id);
  const { id } = await knowledge.connect({ kind: 'many', slug: 'many' });
  const database = server.app.get(DatabaseService);
  const tenantId = lark.tenant.id;
  const seconds = async () => {
    const { rows } = {
      rows: await database.tenant({ tenantId }, (tx) =>
        runSql<{ s: number }>(
          tx,
          'select extract(epoch from complete_at - started_at)::float8 as s from source_rosters where tenant_id = $1 and connection_id=$2',
          [tenantId, id],
        ),
      ),
    };
    return rows[0]?.s;
  };
  for (let tries = 0; tries < 6000 && !((await seconds()) > 0); tries++) await new Promise((r) => setTimeout(r, 100));
  console.log('first roster', await seconds(), 's', process.memoryUsage().rss / 2 ** 20);
  for (const s of [0, 3]) {
    shift = s;
    const before = Date.now();
    await knowledge.startSync(id);
    for (;;) {
      await new Promise((r) => setTimeout(r, 200));
      const [row] = await database.tenant({ tenantId }, (tx) =>
        runSql<{ ok: boolean }>(
          tx,
          'select complete_at > $3::timestamptz as ok from source_rosters where tenant_id = $1 and connection_id=$2',
          [tenantId, id, new Date(before)],
        ),
      );
      if (row?.ok) break;
    }
    console.log('again, shift', s, await seconds(), 's', Math.round(process.memoryUsage().rss / 2 ** 20), 'MiB');
  }
  for (const member of ids) {
    const times: number[] = [];
    let found = 0;
    for (let n = 0; n < 30; n++) {
      await database.tenant({ tenantId }, async (tx) => {
        await tx.run(listReadableAudiences, [tenantId, [id], null]);
        const at = performance.now();
        found = (await tx.run(listReadableAudiences, [tenantId, [id], member])).length;
        times.push(performance.now() - at);
      });
    }
    times.sort((a, b) => a - b);
    console.log('readable', found, 'best', times[0].toFixed(1), 'median', times[15].toFixed(1), 'ms');
  }
});
