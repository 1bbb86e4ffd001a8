import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OfferedTool } from '../src/connections/tools.service.js';
import { sha256 } from '../src/platform/crypto/digest.js';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { DecisionsService } from '../src/policies/decisions.service.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { runSql } from './kit/run-sql.js';

let server: TestServer;
let organizations: Organization[];

beforeAll(async () => {
  server = await testServer();
  organizations = [];
  for (let count = 0; count < 6; count++) organizations.push(await anOrganization(server));
});
afterAll(() => server?.close());

const tool: OfferedTool = {
  name: 'desk__create_ticket',
  connectionId: newId(),
  connectionSlug: 'desk',
  connectionRevision: 1,
  operation: 'tool',
  title: 'Create',
  description: '',
  inputSchema: { type: 'object', properties: {} },
  effect: 'write',
  definitionHash: 'one',
  isPaused: false,
  isPendingReview: false,
  isForeign: false,
};

it('decides each of thousands of configurations by its own policies, while others evict them from the cache', async () => {
  const database = server.app.get(DatabaseService);
  const decisions = server.app.get(DecisionsService);
  const published = organizations.flatMap((organization, of) =>
    Array.from({ length: 400 }, (_, number) => {
      const isAllowed = (of + number) % 2 === 0;
      const effect = isAllowed ? 'permit' : 'forbid';
      // the same number has the opposite effect in the next organization, with the same policy id
      const text = `// ${number}\n@id("rule") ${effect} (principal, action, resource);`;
      return { organization, configurationId: newId(), text, expected: isAllowed ? 'allow' : 'deny' };
    }),
  );
  for (const organization of organizations)
    await database.tenant(organization.system, (tx) =>
      runSql(
        tx,
        `insert into policy_revisions (tenant_id, configuration_id, revision, text, text_hash, publisher, published_at)
         select $1, id, 1, text, hash, 'test', now() from unnest($2::uuid[], $3::text[], $4::bytea[]) as p(id, text, hash)`,
        [
          organization.tenant.id,
          ...['configurationId' as const, 'text' as const].map((field) =>
            published.filter((one) => one.organization === organization).map((one) => one[field]),
          ),
          published.filter((one) => one.organization === organization).map(({ text }) => sha256(text)),
        ],
      ),
    );

  const wrong: string[] = [];
  const decideAll = async (queue: typeof published) => {
    for (const { organization, configurationId, expected } of queue) {
      const principal = { ...organization.system, kind: 'agent' as const, agentId: newId(), surface: 'a2a' as const };
      const { verdict } = await database.tenant(organization.system, async (tx) => {
        const policies = await decisions.loadPublished(tx, organization.tenant.id, configurationId);
        await runSql(tx, 'select 1');
        return decisions.decide({ policies, principal, groups: [], tool, args: {}, tainted: false });
      });
      if (verdict !== expected) wrong.push(`${configurationId}: ${verdict} instead of ${expected}`);
    }
  };
  const lanes = 12;
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) => decideAll(published.filter((_one, nth) => nth % lanes === lane))),
  );
  expect(wrong).toEqual([]);
});
