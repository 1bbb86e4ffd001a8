import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EstateComparisonService } from '../src/estate/findings/comparison/estate-comparison.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { IdentityMatchingService } from '../src/people/identity-matching.service.js';
import { EstateFixture } from './kit/estate-fixture.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { testServer, type TestServer } from './kit/server.js';
import { SpendIdentityFixture } from './kit/spend-identity-fixture.js';

/* Findings that compare vendor usage with declared servers. */

let server: TestServer;
let lark: Organization;
let estate: EstateFixture;
let cursor: SpendIdentityFixture;
let admin: GraphqlRequest;
const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  estate = await EstateFixture.create(server, lark);
  cursor = await SpendIdentityFixture.create(server, lark);
  admin = await lark.as();
});
afterAll(() => server.close());

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test knows the shape of its query
async function requestData(ask: GraphqlRequest, query: string): Promise<any> {
  const { data, errors } = await ask(query);
  expect(errors).toBeUndefined();
  return Object.values(data as object)[0];
}
async function found(rule: string, ask = admin) {
  await server.app.get(EstateComparisonService).compareWithVendors(lark.system);
  const { nodes } = await requestData(
    ask,
    `{ estateFindings(rules: [${rule}]) { nodes { id severity reason fix evidence serverName connectionId users { name lastDay } } } }`,
  );
  return nodes as {
    connectionId: string;
    severity: string;
    reason: string;
    evidence: Record<string, unknown>;
    users: { name: string }[];
  }[];
}
async function runs(key: string, version: string, day = dayAgo(1), feed = cursor): Promise<number> {
  const id = await feed.createIdentity({ key });
  await feed.query(
    'update spend_identities set client_version = $3, client_version_day = $4 where tenant_id = $1 and id = $2',
    [id, version, day],
  );
  return id;
}
const called = (identity: number, server: string, calls = 5, day = dayAgo(2)) =>
  cursor.query('insert into spend_mcp_use (tenant_id, day, identity, server, calls) values ($1, $2, $3, $4, $5)', [
    day,
    identity,
    server,
    calls,
  ]);
const matched = () =>
  server.app
    .get(DatabaseService)
    .tenant(lark.system, (tx) => server.app.get(IdentityMatchingService).match(tx, lark.system));
const home = (who: string, mcpServers: object) => [{ path: `/home/${who}/.cursor/mcp.json`, content: { mcpServers } }];

describe('an outdated client', () => {
  it('is reported per version, with its number of users', async () => {
    await runs('a@lark.example', '1.2.4');
    await runs('b@lark.example', '1.2.4', dayAgo(3));
    await runs('c@lark.example', '1.7.28');
    await runs('d@lark.example', '2.0.43');
    await runs('e@lark.example', '0.45.1', dayAgo(90));
    await runs('f@lark.example', 'nightly');
    const all = await found('outdated_client');
    expect(all).toHaveLength(2);
    const of = (version: string) => all.find(({ evidence }) => evidence.version === version);
    expect(of('1.7.28')).toMatchObject({
      severity: 'high',
      evidence: { client: 'cursor', people: 1, fixedIn: '2.0' },
      connectionId: cursor.id,
    });
    expect(of('1.2.4')).toMatchObject({ severity: 'high', evidence: { people: 2, lastDay: dayAgo(1) } });
  });

  it('shows its users only to analysts who may see them', async () => {
    const max = await lark.member({ name: 'Max Match' });
    await runs(max.email, '1.2.4');
    await matched();
    const analyst = await lark.member({ roles: ['analyst'] });
    const userNames = async (ask: GraphqlRequest) => {
      const all = await found('outdated_client', ask);
      return all.find(({ evidence }) => evidence.version === '1.2.4')!.users.map(({ name }) => name);
    };
    expect(await userNames(admin)).toEqual([]);
    expect(await userNames(await lark.as(analyst))).toEqual([]);
    await cursor.query(
      'insert into spend_views (tenant_id, member_id, unit_id, granted_at) values ($1, $2, null, now())',
      [analyst.id],
    );
    expect(await userNames(await lark.as(analyst))).toEqual(expect.arrayContaining(['Max Match', 'a@lark.example']));
    const { nodes } = await requestData(admin, '{ auditEvents(kind: "spend.people_read") { nodes { detail } } }');
    expect(nodes[0].detail).toMatchObject({ version: expect.any(String) });
  });

  it('is resolved when everyone has updated', async () => {
    await cursor.query("update spend_identities set client_version = '2.1.0' where tenant_id = $1", []);
    expect(await found('outdated_client')).toEqual([]);
  });

  it('is ignored for removed integrations', async () => {
    const former = await SpendIdentityFixture.create(server, lark);
    await runs('z@lark.example', '1.0.0', dayAgo(1), former);
    expect(await found('outdated_client')).toHaveLength(1);
    await former.query('update connections set removed_at = now() where tenant_id = $1 and id = $2', [former.id]);
    expect(await found('outdated_client')).toEqual([]);
  });
});

describe('the comparison of declared and used servers', () => {
  it('reports nothing while no files are known', async () => {
    const ines = await cursor.createIdentity({ key: 'ines@lark.example' });
    await called(ines, 'browser');
    expect(await found('used_undeclared')).toEqual([]);
  });

  it('reports used servers that no file declares', async () => {
    await estate.upload('lap-ines', home('ines', { 'Git Hub': { command: 'gh-mcp' } }), { owner: 'ines@lark.example' });
    const ines = await cursor.createIdentity({ key: 'ines.2@lark.example' });
    await called(ines, 'user-git-hub');
    expect(await found('used_undeclared')).toMatchObject([
      { severity: 'medium', evidence: { server: 'browser', people: 1, peopleWithout: 1, calls: 5 } },
    ]);
  });

  it('reports users of servers that only others declare, and matches all their email addresses', async () => {
    const otto = await lark.member({ name: 'Otto Other' });
    const [one, another] = [
      await cursor.createIdentity({ key: otto.email }),
      await cursor.createIdentity({ key: 'otto@old.example' }),
    ];
    await matched();
    const [{ id }] = await cursor.query<{ id: string }>(
      'select person_id as id from spend_identities where tenant_id = $1 and id = $2',
      [one],
    );
    await cursor.query(
      `insert into spend_aliases (tenant_id, kind, vendor, key, person_id, created_at)
       values ($1, 'email', '', 'otto@old.example', $2, now())`,
      [id],
    );
    await matched();
    await estate.upload('lap-otto', home('otto', { jira: { command: 'jira-mcp' } }), { owner: 'otto@old.example' });
    await called(one, 'jira');
    await called(another, 'git-hub');
    const all = await found('used_undeclared');
    expect(all.map(({ evidence }) => [evidence.server, evidence.peopleWithout])).toEqual(
      expect.arrayContaining([
        ['browser', 1],
        ['git-hub', 1],
      ]),
    );
    expect(all.map(({ evidence }) => evidence.server)).not.toContain('jira');
  });

  it('applies a file without an owner to everyone', async () => {
    await estate.upload('build-box', home('build', { browser: { command: 'browser-mcp' } }));
    const all = await found('used_undeclared');
    expect(all.map(({ evidence }) => evidence.server)).not.toContain('browser');
  });

  it('reports unused servers after the grace period', async () => {
    await estate.upload(
      'lap-uta',
      home('uta', {
        idle: { command: 'idle-mcp', env: { API_KEY: 'Zq81hPw0sLx72NvKb3' } },
        off: { command: 'off-mcp', disabled: true },
        jira: { command: 'jira-mcp' },
      }),
    );
    expect(await found('declared_unused')).toEqual([]);
    await estate.rows("update estate_entries set first_seen = now() - interval '40 days' where tenant_id = $1");
    expect(await found('declared_unused')).toEqual([]);
    const early = await cursor.createIdentity({ key: 'early@lark.example' });
    await called(early, 'browser', 1, dayAgo(29));
    const all = await found('declared_unused');
    expect(all).toMatchObject([
      { severity: 'low', serverName: 'idle', evidence: { files: 1, days: 30, hasSecrets: true } },
    ]);
    await called(early, 'idle');
    expect(await found('declared_unused')).toEqual([]);
  });
});
