import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pg from 'pg';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { MembersService } from '../src/access/members.service.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import { SourcePaused } from '../src/connections/connections.error.js';
import { audienceIdOf } from '../src/knowledge/permissions/source-ids.js';
import { newId } from '../src/platform/crypto/ids.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { MemorySource } from './kit/memory-source.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let owner: pg.Client;
let lark: Organization;
let admin: GraphqlRequest;
let knowledge: KnowledgeFixture;
let source: MemorySource;
let id: string;
let ada: Member;
let count = 0;

beforeAll(async () => {
  server = await testServer();
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

/** A source with one closed document, which the account U-ada may read. */
beforeEach(async () => {
  lark = await anOrganization(server);
  admin = await lark.as();
  knowledge = new KnowledgeFixture(server, lark, admin);
  source = new MemorySource(`memory-accounts-${++count}`);
  server.app.get(ConnectorRegistry).register(source.connector);
  ada = await member('ada@acme.example', 'Ada');
  source.addAccount('U-ada', 'ada@acme.example');
  source.addAccount('U-guest', 'guest@acme.example', { isGuest: true });
  source.addSpace('closed', { accounts: ['U-ada'] });
  source.addPage('plan', 'closed', 'The zebrafish plan.');
  ({ id } = await knowledge.connect({ kind: source.id, slug: 'source', settings: { containers: ['closed'] } }));
  await knowledge.waitUntilComplete(id);
  await knowledge.refreshRoster(id);
});

const member = (email: string, name: string) => server.app.get(MembersService).create(lark.system, { email, name });
const finds = async ({ id: memberId }: Member) =>
  (await knowledge.search([id], 'zebrafish', { member: memberId })).passages.length === 1;
const accountNamed = async (name: string) =>
  (
    await admin('query ($id: ID!) { sourceAccounts(connectionId: $id) { nodes { id externalId match memberId } } }', {
      id,
    })
  ).data.sourceAccounts.nodes.find(({ externalId }: { externalId: string }) => externalId === name);
const assign = async (account: string, memberId: string | null, request = admin) =>
  request('mutation ($input: AssignSourceAccountInput!) { assignSourceAccount(input: $input) { match memberId } }', {
    input: { connectionId: id, accountId: (await accountNamed(account)).id, memberId },
  });
const roster = async () =>
  (
    await admin(
      `query ($id: ID!) { sourceRoster(connectionId: $id) {
        failure waitReason isExpired accountCount unmatchedAccountCount closedAudiences { title documents } } }`,
      { id },
    )
  ).data.sourceRoster;
const explain = async ({ id: memberId }: Member) => {
  const { rows } = await owner.query('select id from documents where connection_id = $1', [id]);
  const { data, errors } = await admin(
    `query ($documentId: ID!, $memberId: ID!) { documentAccess(documentId: $documentId, memberId: $memberId) {
      isPermitted obstacles audience { title rule readers setCount } accounts { externalId isAssigned }
      paths { set account group } } }`,
    { documentId: rows[0].id, memberId },
  );
  expect(errors).toBeUndefined();
  return data.documentAccess;
};

describe('an account of a source', () => {
  it('belongs to the member with its verified address, regardless of case, and explains why', async () => {
    expect(await finds(ada)).toBe(true);
    expect(await accountNamed('U-ada')).toMatchObject({ match: 'email', memberId: ada.id });
    expect(await explain(ada)).toEqual({
      isPermitted: true,
      obstacles: [],
      audience: {
        title: `${source.id}/closed`,
        rule: 'Readers of the space and of every restricted page above.',
        readers: 'sets',
        setCount: 1,
      },
      accounts: [{ externalId: 'U-ada', isAssigned: false }],
      paths: [{ set: 0, account: 'U-ada', group: null }],
    });
    source.accounts.get('U-ada')!.email = 'ADA@Acme.Example';
    await knowledge.refreshRoster(id);
    expect(await finds(ada)).toBe(true);
  });

  it('explains why a member cannot read a document', async () => {
    const ben = await member('ben@acme.example', 'Ben');
    expect(await explain(ben)).toMatchObject({
      isPermitted: false,
      obstacles: ['No account of the source belongs to the member.'],
      accounts: [],
    });
    source.addAccount('U-ben', 'ben@acme.example');
    source.groups.set('team', new Set(['U-ben']));
    source.spaces.get('closed')!.groups.add('team');
    source.edit('plan', { restrictedTo: new Set(['U-ada']) });
    await knowledge.sync(id);
    await knowledge.refreshRoster(id);
    expect(await explain(ben)).toMatchObject({
      isPermitted: false,
      obstacles: ['No account of the member meets all conditions of the source: 1 of 2 are not met.'],
      paths: [{ set: 0, account: 'U-ben', group: 'team' }],
    });
    expect(await finds(ben)).toBe(false);
    expect(await explain(ada)).toMatchObject({ isPermitted: true });
  });

  it('explains the groups of a document and those of its integration separately, as the search applies them', async () => {
    const groups = server.app.get(GroupsService);
    const [board, finance] = [await groups.create(lark.system, 'Board'), await groups.create(lark.system, 'Finance')];
    const restrictTo = (name: string) =>
      owner.query(`update connections set settings = settings || $2::jsonb where id = $1`, [id, { groups: [name] }]);
    await restrictTo('Board');
    source.edit('plan', {});
    await knowledge.sync(id);
    await owner.query("update sources set running_until = now() + interval '1 hour' where connection_id = $1", [id]); // a long run
    await restrictTo('Finance');
    const expectAccess = async (groupIds: string[], obstacles: string[]) => {
      const found = await knowledge.search([id], 'zebrafish', { member: ada.id, groups: groupIds });
      expect(found.passages).toHaveLength(obstacles.length ? 0 : 1);
      expect(await explain(ada)).toMatchObject({ isPermitted: !obstacles.length, obstacles });
    };
    const ofDocument = 'The member is in none of the groups that may read the document.';
    const ofIntegration = 'The member is in none of the groups to which the integration is restricted.';
    await expectAccess([], [ofDocument, ofIntegration]);
    await groups.addMember(lark.system, board.id, ada.id);
    await expectAccess([board.id], [ofIntegration]);
    await groups.addMember(lark.system, finance.id, ada.id);
    await expectAccess([board.id, finance.id], []);
  });

  it('can be assigned by an administrator, which the audit log records, and reset', async () => {
    const ben = await member('ben@other.example', 'Ben');
    source.spaces.get('closed')!.accounts.add('U-guest');
    await knowledge.refreshRoster(id);
    expect(await finds(ben)).toBe(false);
    expect(await accountNamed('U-guest')).toMatchObject({ match: 'none', memberId: null });
    expect((await assign('U-guest', ben.id)).data.assignSourceAccount).toEqual({ match: 'assigned', memberId: ben.id });
    expect(await finds(ben)).toBe(true);
    const { data } = await admin('{ auditEvents(kind: "source_account.assigned") { nodes { detail } } }');
    expect(data.auditEvents.nodes[0].detail).toEqual({ connectionId: id, externalId: 'U-guest', memberId: ben.id });
    const { errors } = await admin(
      'mutation ($input: ResetSourceAccountInput!) { resetSourceAccount(input: $input) { match } }',
      { input: { connectionId: id, accountId: (await accountNamed('U-guest')).id } },
    );
    expect(errors).toBeUndefined();
    expect(await finds(ben)).toBe(false);
  });

  it('cannot be assigned to another member while a member has its verified address', async () => {
    const ben = await member('ben@acme.example', 'Ben');
    expect((await assign('U-ada', ben.id)).code).toBe('conflict');
    expect(await finds(ben)).toBe(false);
    // it can be assigned to no member
    expect((await assign('U-ada', null)).data.assignSourceAccount).toEqual({ match: 'nobody', memberId: null });
    expect(await finds(ada)).toBe(false);
    // which does not allow to assign it to another member
    expect((await assign('U-ada', ben.id)).code).toBe('conflict');
    expect(await finds(ben)).toBe(false);
    expect((await assign('U-ada', ada.id)).data.assignSourceAccount).toEqual({ match: 'assigned', memberId: ada.id });
    expect(await finds(ada)).toBe(true);
  });

  it('gives access only if it meets all conditions itself, not together with other accounts of the member', async () => {
    source.addAccount('U-ada-2', 'ada@acme.example');
    source.spaces.get('closed')!.accounts.delete('U-ada');
    source.spaces.get('closed')!.accounts.add('U-ada-2');
    source.edit('plan', { restrictedTo: new Set(['U-ada']) });
    await knowledge.sync(id);
    await knowledge.refreshRoster(id);
    expect(await finds(ada)).toBe(false);
    expect(await explain(ada)).toMatchObject({
      isPermitted: false,
      obstacles: ['No account of the member meets all conditions of the source: 1 of 2 are not met.'],
    });
    source.spaces.get('closed')!.accounts.add('U-ada');
    await knowledge.refreshRoster(id);
    expect(await finds(ada)).toBe(true);
    expect(await explain(ada)).toMatchObject({ isPermitted: true });
  });

  it('is assigned only by those who manage knowledge', async () => {
    const ben = await member('ben@acme.example', 'Ben');
    expect((await assign('U-guest', ben.id, await lark.as(ben))).code).toBe('forbidden');
  });

  it('belongs to no member while two members have its address', async () => {
    const provider = { id: newId(), issuer: 'https://sso.acme.example' };
    await owner.query(
      `insert into sign_in_providers (tenant_id, id, name, issuer, client_id, email_domains, creates_members, created_at)
       values ($1, $2, 'SSO', $3, 'client', '{acme.example}', false, now())`,
      [lark.tenant.id, provider.id, provider.issuer],
    );
    const link = (memberId: string, subject: string) =>
      owner.query(
        `insert into identities (tenant_id, id, member_id, issuer, subject, email, linked_at)
         values ($1, $2, $3, $4, $5, 'ada@acme.example', now())`,
        [lark.tenant.id, newId(), memberId, provider.issuer, subject],
      );
    await link(ada.id, 'one');
    expect(await finds(ada)).toBe(true);
    const ben = await member('ben@other.example', 'Ben');
    await link(ben.id, 'two');
    expect(await accountNamed('U-ada')).toMatchObject({ match: 'ambiguous', memberId: null });
    expect([await finds(ada), await finds(ben)]).toEqual([false, false]);
    expect((await assign('U-ada', (await member('cy@other.example', 'Cy')).id)).code).toBe('conflict');
    expect((await assign('U-ada', ada.id)).errors).toBeUndefined();
    expect([await finds(ada), await finds(ben)]).toEqual([true, false]);
  });

  it('is not matched by an address that the sign-in provider of its domain has not verified', async () => {
    await owner.query(
      `insert into sign_in_providers (tenant_id, id, name, issuer, client_id, email_domains, creates_members, created_at)
       values ($1, $2, 'SSO', 'https://sso.acme.example', 'client', '{acme.example}', false, now())`,
      [lark.tenant.id, newId()],
    );
    expect(await finds(ada)).toBe(false);
    expect(await accountNamed('U-ada')).toMatchObject({ match: 'unverified', memberId: ada.id });
    expect(await roster()).toMatchObject({ unmatchedAccountCount: 2 });
    await owner.query('update sign_in_providers set disabled_at = now() where tenant_id = $1', [lark.tenant.id]);
    expect(await finds(ada)).toBe(true);
  });

  it.each(['suspend', 'remove'] as const)('gives no access to a member after: %s', async (action) => {
    expect(await finds(ada)).toBe(true);
    await server.app.get(MemberStatusService)[action](lark.system, ada.id);
    expect(await finds(ada)).toBe(false);
    expect(await explain(ada)).toMatchObject({ isPermitted: false });
  });

  it('gives no access to an administrator who searches as a group or an audience', async () => {
    const search = (asGroups: string[] | null) =>
      admin('query ($input: SearchKnowledgeInput!) { searchKnowledge(input: $input) { passages { title } } }', {
        input: { query: 'zebrafish', asGroups },
      });
    for (const groups of [null, [newId()], [audienceIdOf(id, `${source.id}/closed`)]])
      expect((await search(groups)).data.searchKnowledge.passages).toEqual([]);
  });
});

describe('a roster', () => {
  it('changes what the next search finds, also for a member who has searched before', async () => {
    const { accounts } = source.spaces.get('closed')!;
    expect(await finds(ada)).toBe(true);
    accounts.delete('U-ada');
    accounts.add('U-guest');
    await knowledge.refreshRoster(id);
    expect(await finds(ada)).toBe(false);
    accounts.add('U-ada');
    await knowledge.refreshRoster(id);
    expect(await finds(ada)).toBe(true);
  });

  it('grants no access when it is older than 24 hours, and stays valid after a failed read', async () => {
    source.rosterFault = new Error('The system is down.');
    await knowledge.startSync(id);
    await expect.poll(async () => (await roster()).failure).toBe('The system is down.');
    expect(await roster()).toMatchObject({ isExpired: false, accountCount: 2 });
    expect(await finds(ada)).toBe(true);
    await owner.query(
      `update source_rosters set complete_at = now() - interval '25 hours', next_at = now() + interval '1 hour'
       where connection_id = $1`,
      [id],
    );
    expect(await finds(ada)).toBe(false);
    expect(await explain(ada)).toMatchObject({
      obstacles: ['The permissions of the source were last read more than 24 hours ago.'],
    });
    await knowledge.refreshRoster(id);
    expect(await finds(ada)).toBe(true);
  });

  it('is read later if the source asks to wait', async () => {
    source.rosterFault = new SourcePaused('The hourly quota is used.', new Date(Date.now() + 3_600_000));
    await knowledge.startSync(id);
    await expect.poll(async () => (await roster()).waitReason).toBe('The hourly quota is used.');
    expect(await roster()).toMatchObject({ failure: null });
    expect(await finds(ada)).toBe(true);
  });

  it('reports audiences that grant access to no one', async () => {
    source.addPage('lost', 'closed', 'The zebrafish is lost.');
    source.spaces.get('closed')!.disclosed = 'existence';
    await knowledge.sync(id);
    await knowledge.refreshRoster(id);
    expect(await finds(ada)).toBe(false);
    expect(await roster()).toMatchObject({ closedAudiences: [{ title: `${source.id}/closed`, documents: 2 }] });
    expect(await explain(ada)).toMatchObject({
      obstacles: ['The source does not disclose who may read the document.'],
    });
    source.spaces.get('closed')!.disclosed = 'nothing';
    await knowledge.refreshRoster(id);
    expect(await explain(ada)).toMatchObject({
      obstacles: ['The source does not list the audience that the document names.'],
    });
    expect(await roster()).toMatchObject({ closedAudiences: [{ title: null, documents: 2 }] });
  });
});

describe('the containers of a source', () => {
  it('are listed, and the first sync waits for a choice', async () => {
    const { id: other } = await knowledge.connect({ kind: source.id, slug: 'other' });
    const held = async () =>
      (await admin('query ($id: ID!) { knowledgeSource(connectionId: $id) { state isHeld } }', { id: other })).data
        .knowledgeSource;
    await expect.poll(held).toEqual({ state: 'waiting', isHeld: true });
    source.addSpace('second', { isPublic: true });
    source.addPage('second page', 'second', 'Another zebrafish.');
    const { data } = await admin('query ($id: ID!) { sourceContainers(connectionId: $id) { id title note } }', {
      id: other,
    });
    expect(data.sourceContainers).toEqual([
      { id: 'closed', title: 'Space closed', note: 'private' },
      { id: 'second', title: 'Space second', note: 'public' },
    ]);
    expect(await held()).toEqual({ state: 'waiting', isHeld: true });
    expect(await knowledge.update(other, { containers: ['second'] })).toMatchObject({ documentCount: 1 });
    expect(await held()).toEqual({ state: 'complete', isHeld: false });
  });
});
