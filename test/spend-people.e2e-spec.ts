import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { MembersService } from '../src/access/members.service.js';
import type { Member } from '../src/access/member.entity.js';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { IdentityMatchingService } from '../src/people/identity-matching.service.js';
import { lockPeople } from '../src/people/people-rows.sql.js';
import { PeopleService } from '../src/people/people.service.js';
import { searchWordsOf } from '../src/people/name-words.js';
import { anOrganization, type GraphqlRequest, type GraphqlResponse, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { SpendIdentityFixture } from './kit/spend-identity-fixture.js';
import { runSql } from './kit/run-sql.js';

let server: TestServer;
let lark: Organization;
let moor: Organization;
let cursor: SpendIdentityFixture;
let admin: GraphqlRequest;
beforeAll(async () => {
  server = await testServer();
  [lark, moor] = [await anOrganization(server), await anOrganization(server)];
  cursor = await SpendIdentityFixture.create(server, lark);
  admin = await lark.as();
});
afterAll(() => server.close());

const match = (connectionId?: string) =>
  server.app
    .get(DatabaseService)
    .tenant(lark.system, (tx) => server.app.get(IdentityMatchingService).match(tx, lark.system, connectionId));
async function personOf(member: Member): Promise<{ id: string; name: string; email: string; removedAt: Date | null }> {
  await match();
  const [found] = await cursor.query<{ id: string; name: string; email: string; removedAt: Date | null }>(
    'select id, name, email, removed_at as "removedAt" from spend_people where tenant_id = $1 and member_id = $2',
    [member.id],
  );
  return found;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test knows what it asked for
async function dataOf(answer: Promise<GraphqlResponse>): Promise<any> {
  const { data, errors } = await answer;
  expect(errors).toBeUndefined();
  return Object.values(data as object)[0];
}
const person = (input: object) =>
  dataOf(
    admin('mutation ($input: CreateSpendPersonInput!) { createSpendPerson(input: $input) { id email name } }', {
      input,
    }),
  );
const changeIdentities = (mutation: string, identityIds: number[]) =>
  admin(
    `mutation ($input: SpendIdentitiesInput!) { ${mutation}(input: $input) { id matchedBy isIgnored person { name } } }`,
    { input: { identityIds } },
  );
const matchTo = (identityId: number, personId: string) =>
  admin(
    'mutation ($input: MatchSpendIdentitiesInput!) { matchSpendIdentities(input: $input) { id person { name } } }',
    {
      input: { matches: [{ identityId, personId }] },
    },
  );
const addAlias = (personId: string, email: string) =>
  admin('mutation ($input: SpendAliasInput!) { addSpendAlias(input: $input) { aliases } }', {
    input: { personId, email },
  });
async function audited(kind: string) {
  return (await dataOf(admin(`{ auditEvents(kind: "${kind}", first: 1) { nodes { subject detail } } }`))) as {
    nodes: { subject: { name: string }; detail: Record<string, unknown> }[];
  };
}

describe('matching', () => {
  it('finds members by email address and audits the matches', async () => {
    const max = await lark.member({ name: 'Max Match' });
    const identity = await cursor.createIdentity({ key: max.email });
    expect(await match(cursor.id)).toBe(1);
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ matchedBy: 'email', email: max.email });
    await expect(audited('spend.identities_matched')).resolves.toMatchObject({ nodes: [{ detail: { email: 1 } }] });
    expect(await match()).toBe(0);
  });

  it('finds people by an alias, including past usage', async () => {
    const { id } = await person({ name: 'Olga Other', email: 'olga@lark.example' });
    const identity = await cursor.createIdentity({ key: 'olga@elsewhere.example' });
    expect(await match()).toBe(0);
    await expect(addAlias(id, 'Olga@Elsewhere.example')).resolves.toMatchObject({
      data: { addSpendAlias: { aliases: ['olga@elsewhere.example'] } },
    });
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ matchedBy: 'alias', name: 'Olga Other' });
  });

  it('finds users who changed their email address at the vendor', async () => {
    await person({ name: 'Vera Vendor', email: 'vera@lark.example' });
    await cursor.createIdentity({ key: 'vera@lark.example', vendorUserId: 'u-77' });
    const later = await cursor.createIdentity({ key: 'vera.married@lark.example', vendorUserId: 'u-77' });
    expect(await match()).toBe(2);
    await expect(cursor.getMatch(later)).resolves.toMatchObject({ matchedBy: 'vendor_id', name: 'Vera Vendor' });
  });

  it('does not match the same login at another vendor', async () => {
    const other = await SpendIdentityFixture.create(server, lark, 'other-vendor');
    const { id } = await person({ name: 'Lola Login', email: 'lola@lark.example' });
    const [here, elsewhere] = [
      await cursor.createIdentity({ kind: 'login', key: 'lola' }),
      await other.createIdentity({ kind: 'login', key: 'lola' }),
    ];
    await matchTo(here, id);
    const second = await SpendIdentityFixture.create(server, lark);
    const again = await second.createIdentity({ kind: 'login', key: 'lola' });
    await match();
    await expect(cursor.getMatch(again)).resolves.toMatchObject({ matchedBy: 'alias', name: 'Lola Login' });
    await expect(cursor.getMatch(elsewhere)).resolves.toMatchObject({ matchedBy: null });
  });

  it.each([
    ['Uma.Umlaut@B\u00dcCHER.example', 'uma.umlaut@b\u00fccher.example'],
    ['ulf@xn--mnchen-3ya.example', 'ulf@münchen.example'],
    ['zoe\u0308@lark.example', 'zo\u00eb@lark.example'],
  ])('matches the email address %s to the key %s', async (typed, key) => {
    await person({ name: `Owner of ${key}`, email: typed });
    const identity = await cursor.createIdentity({ key });
    await match();
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ email: key });
  });

  it('only suggests similar people, with the reason', async () => {
    const { id } = await person({ name: 'Petra Plus', email: 'petra.plus@lark.example' });
    const tagged = await cursor.createIdentity({ key: 'petra.plus+trial@lark.example' });
    const named = await cursor.createIdentity({ key: 'pp@home.example', name: 'Plus, Petra' });
    expect(await match()).toBe(0);
    const { nodes } = (await dataOf(
      admin(
        `{ spendIdentities(state: unmatched, connectionId: "${cursor.id}") { nodes { id suggestions { reason score person { id } } } } }`,
      ),
    )) as { nodes: { id: number; suggestions: object[] }[] };
    const of = (identity: number) => nodes.find((node) => node.id === identity)!.suggestions;
    expect(of(tagged)).toEqual([{ reason: 'plus_tag', score: 0.95, person: { id } }]);
    expect(of(named)).toEqual([{ reason: 'same_name', score: 0.8, person: { id } }]);
    await expect(matchTo(tagged, id)).resolves.toMatchObject({
      data: { matchSpendIdentities: [{ person: { name: 'Petra Plus' } }] },
    });
    await expect(audited('spend_identity.matched')).resolves.toMatchObject({
      nodes: [{ subject: { name: 'petra.plus+trial@lark.example' }, detail: { from: null, to: id } }],
    });
  });

  it('never matches usage that the vendor attributes to nobody', async () => {
    const { id } = await person({ name: 'Nora Nobody', email: 'nora@lark.example' });
    const nobody = await cursor.createIdentity({
      kind: 'unattributed',
      key: 'unattributed',
      email: 'nora@lark.example',
    });
    await match();
    await expect(cursor.getMatch(nobody)).resolves.toMatchObject({ matchedBy: null });
    await expect(matchTo(nobody, id)).resolves.toMatchObject({ code: 'spend-identity-nobodys' });
  });

  it('can match a service account to a person entry', async () => {
    const { id } = await person({ name: 'Release robot', isServiceAccount: true });
    const robot = await cursor.createIdentity({ kind: 'service_account', key: 'svc-9', name: 'releases' });
    await matchTo(robot, id);
    await expect(cursor.getMatch(robot)).resolves.toMatchObject({ name: 'Release robot', email: null });
  });
});

describe('an email address of two people', () => {
  it('is rejected with the name of the owner', async () => {
    const { id: ada } = await person({ name: 'Ada One', email: 'ada.one@lark.example' });
    const { id: bob } = await person({ name: 'Bob Two', email: 'bob.two@lark.example' });
    await addAlias(ada, 'shared@lark.example');
    for (const [taken, whose] of [
      ['shared@lark.example', 'an alias of Ada One (ada.one@lark.example)'],
      ['ADA.one@lark.example', 'the email address of Ada One'],
    ]) {
      const refused = await addAlias(bob, taken);
      expect(refused).toMatchObject({ code: 'spend-address-taken' });
      expect(refused.errors![0].message).toContain(whose);
    }
    const identity = await cursor.createIdentity({ key: 'shared@lark.example' });
    await match();
    await expect(matchTo(identity, ada)).resolves.toMatchObject({ data: {} });
    const named = admin('mutation ($input: CreateSpendPersonInput!) { createSpendPerson(input: $input) { id } }', {
      input: { name: 'Third', email: 'shared@lark.example' },
    });
    await expect(named).resolves.toMatchObject({ code: 'spend-address-taken' });
  });

  it('is unmatched after it is removed from one person, and can then be added to another', async () => {
    const { id: ada } = await person({ name: 'Ada Gives', email: 'ada.gives@lark.example' });
    const { id: bob } = await person({ name: 'Bob Gets', email: 'bob.gets@lark.example' });
    await addAlias(ada, 'desk@lark.example');
    const identity = await cursor.createIdentity({ key: 'desk@lark.example' });
    await match();
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ name: 'Ada Gives' });
    await admin('mutation ($input: SpendAliasInput!) { removeSpendAlias(input: $input) { id } }', {
      input: { personId: ada, email: 'desk@lark.example' },
    });
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ name: null });
    await addAlias(bob, 'desk@lark.example');
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ name: 'Bob Gets' });
  });

  it('moves with the identity when an administrator matches it to another person', async () => {
    const { id: ada } = await person({ name: 'Ada Before', email: 'ada.before@lark.example' });
    const { id: bob } = await person({ name: 'Bob After', email: 'bob.after@lark.example' });
    const identity = await cursor.createIdentity({ key: 'pool@lark.example' });
    await matchTo(identity, ada);
    await matchTo(identity, bob);
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ name: 'Bob After', matchedBy: 'person' });
    const own = await cursor.createIdentity({ key: 'ada.before@lark.example' });
    await match();
    await expect(matchTo(own, bob)).resolves.toMatchObject({ code: 'spend-address-taken' });
  });
});

describe('concurrent changes', () => {
  it('add an email address to only one person', async () => {
    const people = await Promise.all(
      ['one', 'two', 'three'].map((name) => person({ name: `Racer ${name}`, email: `${name}@race.example` })),
    );
    const answers = await Promise.all(people.map(({ id }) => addAlias(id, 'prize@race.example')));
    expect(answers.map(({ code }) => code ?? 'done').sort()).toEqual([
      'done',
      'spend-address-taken',
      'spend-address-taken',
    ]);
  });

  it('do not block a sync, whose identities are matched right after', async () => {
    const { id } = await person({ name: 'Paul Pulled', email: 'paul@lark.example' });
    const identity = await cursor.createIdentity({ key: 'paul@lark.example' });
    const database = server.app.get(DatabaseService);
    await database.tenant(lark.system, async (tx) => {
      await tx.execute(lockPeople, [lark.tenant.id]);
      expect(await match()).toBe(0);
      await runSql(tx, 'update spend_people set name = $3 where tenant_id = $1 and id = $2', [
        lark.tenant.id,
        id,
        'Paul',
      ]);
    });
    const until = Date.now() + 120_000;
    while (!(await cursor.getMatch(identity)).name && Date.now() < until) await setTimeout(50);
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ name: 'Paul', matchedBy: 'email' });
    await cursor.query('update spend_people set name = $3 where tenant_id = $1 and id = $2', [id, 'Paul Pulled']);
  });
});

describe('an administrator', () => {
  it('can unmatch and ignore an identity, and reopen it for the rules', async () => {
    await person({ name: 'Ida Identity', email: 'ida@lark.example' });
    const identity = await cursor.createIdentity({ key: 'ida@lark.example' });
    await match();
    await expect(changeIdentities('unmatchSpendIdentities', [identity])).resolves.toMatchObject({
      data: { unmatchSpendIdentities: [{ matchedBy: null, person: null, isIgnored: false }] },
    });
    await match();
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ name: null });
    await expect(changeIdentities('ignoreSpendIdentities', [identity])).resolves.toMatchObject({
      data: { ignoreSpendIdentities: [{ isIgnored: true }] },
    });
    await expect(changeIdentities('reopenSpendIdentities', [identity])).resolves.toMatchObject({
      data: { reopenSpendIdentities: [{ matchedBy: 'email', person: { name: 'Ida Identity' } }] },
    });
  });

  it('matches all identities of a request or none', async () => {
    const { id } = await person({ name: 'Alma All', email: 'alma@lark.example' });
    const identity = await cursor.createIdentity({ key: 'alma@home.example' });
    const input = { matches: [identity, 999_999].map((identityId) => ({ identityId, personId: id })) };
    const refused = admin(
      'mutation ($input: MatchSpendIdentitiesInput!) { matchSpendIdentities(input: $input) { id } }',
      {
        input,
      },
    );
    await expect(refused).resolves.toMatchObject({ code: 'spend-identity-not-found' });
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ matchedBy: null });
  });

  it('merges two people with all their data', async () => {
    const { id: from } = await person({ name: 'M. Maier', email: 'maier@home.example' });
    const { id: into } = await person({ name: 'Mia Maier', email: 'mia.maier@lark.example' });
    const identity = await cursor.createIdentity({ key: 'maier@home.example' });
    await match();
    const merged = await dataOf(
      admin('mutation ($input: MergeSpendPeopleInput!) { mergeSpendPeople(input: $input) { name aliases } }', {
        input: { fromId: from, intoId: into },
      }),
    );
    expect(merged).toEqual({ name: 'Mia Maier', aliases: ['maier@home.example'] });
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ name: 'Mia Maier' });
    await expect(admin(`{ spendPerson(id: "${from}") { id } }`)).resolves.toMatchObject({
      code: 'spend-person-not-found',
    });
    await expect(audited('spend_person.merged')).resolves.toMatchObject({
      nodes: [{ detail: { from: 'maier@home.example' } }],
    });
  });

  it('assigns people to groups and cost centres', async () => {
    const unit = async (kind: string, name: string) =>
      (await dataOf(admin(`mutation { createSpendUnit(input: { kind: ${kind}, name: "${name}" }) { id } }`))) as {
        id: string;
      };
    const [group, centre] = [await unit('group', 'Platform  Team'), await unit('cost_centre', 'CC-1020')];
    const { id } = await person({ name: 'Gerd Group', email: 'gerd@lark.example' });
    const change = (input: object) =>
      admin(
        'mutation ($input: UpdateSpendPersonInput!) { updateSpendPerson(input: $input) { groupId costCentreId name } }',
        {
          input: { personId: id, ...input },
        },
      );
    await expect(change({ groupId: group.id, costCentreId: centre.id })).resolves.toMatchObject({
      data: { updateSpendPerson: { groupId: group.id, costCentreId: centre.id, name: 'Gerd Group' } },
    });
    await expect(change({ groupId: null })).resolves.toMatchObject({
      data: { updateSpendPerson: { groupId: null, costCentreId: centre.id } },
    });
    const { version: basedOn } = (await admin(`{ spendPerson(id: "${id}") { version } }`)).data.spendPerson;
    await change({ name: 'Gerd Grouped', basedOn });
    await expect(change({ name: 'Gerd Late', basedOn })).resolves.toMatchObject({ code: 'conflict' });
    await expect(change({ groupId: centre.id })).resolves.toMatchObject({ code: 'spend-unit-not-found' });
    await expect(
      admin('mutation { createSpendUnit(input: { kind: group, name: "platform team" }) { id } }'),
    ).resolves.toMatchObject({ code: 'conflict' });
    await expect(
      admin(`mutation { removeSpendUnit(input: { unitId: "${centre.id}" }) { id } }`),
    ).resolves.toMatchObject({ code: 'conflict' });
  });
});

describe('members', () => {
  it('have a person that follows their account', async () => {
    const member = await lark.member({ name: 'Rita Renamed' });
    const { id } = await personOf(member);
    await server.app.get(MembersService).rename(lark.system, member.id, 'Rita Newname');
    await match();
    await expect(personOf(member)).resolves.toMatchObject({ id, name: 'Rita Newname', removedAt: null });
    const own = admin('mutation ($input: UpdateSpendPersonInput!) { updateSpendPerson(input: $input) { id } }', {
      input: { personId: id, name: 'Somebody' },
    });
    await expect(own).resolves.toMatchObject({ code: 'spend-person-follows-account' });
  });

  it('keep their usage when they are removed and when they return', async () => {
    const member = await lark.member({ name: 'Lea Leaver' });
    const identity = await cursor.createIdentity({ key: member.email });
    await match();
    await server.app.get(MemberStatusService).remove(lark.system, member.id);
    await match();
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ name: 'Lea Leaver', matchedBy: 'email' });
    const { removedAt, id } = await personOf(member);
    expect(removedAt).toBeInstanceOf(Date);
    await server.app.get(MembersService).create(lark.system, { email: member.email, name: 'Lea Back' });
    await match();
    await expect(personOf(member)).resolves.toMatchObject({ id, name: 'Lea Back', removedAt: null });
  });

  it('stay the same person if their email address changes, even if two members swap addresses', async () => {
    const [one, two] = [await lark.member({ name: 'Swap One' }), await lark.member({ name: 'Swap Two' })];
    const [person1, person2] = [await personOf(one), await personOf(two)];
    const setEmail = (id: string, email: string) =>
      cursor.query('update members set email = $3 where tenant_id = $1 and id = $2', [id, email]);
    await setEmail(one.id, 'parked@lark.example');
    await setEmail(two.id, one.email);
    await setEmail(one.id, two.email);
    await match();
    await expect(personOf(one)).resolves.toMatchObject({ id: person1.id, email: two.email });
    await expect(personOf(two)).resolves.toMatchObject({ id: person2.id, email: one.email });
    await setEmail(one.id, 'swap.one@married.example');
    await match();
    const { aliases } = (await dataOf(admin(`{ spendPerson(id: "${person1.id}") { aliases email } }`))) as {
      aliases: string[];
    };
    expect(aliases).toEqual([two.email]);
  });

  it('can use any spelling of their domain', async () => {
    await server.app.get(MembersService).create(lark.system, { email: 'idn@xn--bcher-kva.example', name: 'Ida Idn' });
    const identity = await cursor.createIdentity({ key: 'idn@bücher.example' });
    await match();
    await expect(cursor.getMatch(identity)).resolves.toMatchObject({ name: 'Ida Idn', matchedBy: 'email' });
    const written = () => cursor.query('select xmin from spend_people where tenant_id = $1 and name = $2', ['Ida Idn']);
    const before = await written();
    await match();
    await expect(written()).resolves.toEqual(before);
  });

  it('become the person that an import created before', async () => {
    const { id } = await person({ name: 'From a list', email: 'known@lark.example' });
    await addAlias(id, 'known.too@lark.example');
    const member = await server.app
      .get(MembersService)
      .create(lark.system, { email: 'known.too@lark.example', name: 'Kim Known' });
    await match();
    await expect(personOf(member)).resolves.toMatchObject({ id, email: 'known.too@lark.example', name: 'Kim Known' });
  });

  it('own the email address that they sign in with, even if it was an alias of someone else', async () => {
    const first = await lark.member({ name: 'First Holder' });
    const { id } = await personOf(first);
    await addAlias(id, 'reception@lark.example');
    const member = await server.app
      .get(MembersService)
      .create(lark.system, { email: 'reception@lark.example', name: 'New Receptionist' });
    const theirs = await personOf(member);
    expect(theirs.id).not.toBe(id);
    await expect(addAlias(id, 'reception@lark.example')).resolves.toMatchObject({ code: 'spend-address-taken' });
    await expect(audited('spend_person.address_taken')).resolves.toMatchObject({
      nodes: [{ subject: { name: 'First Holder' }, detail: { address: 'reception@lark.example' } }],
    });
  });
});

describe('access to people', () => {
  const everything = [
    '{ spendPeople { totalCount } }',
    '{ spendIdentities { totalCount } }',
    'mutation { createSpendPerson(input: { name: "x", email: "x@y.example" }) { id } }',
    'mutation { removeSpendPerson(input: { personId: "ID" }) { id } }',
    'mutation { matchSpendIdentities(input: { matches: [{ identityId: 1, personId: "ID" }] }) { id } }',
    'mutation { createSpendUnit(input: { kind: group, name: "x" }) { id } }',
  ];
  it.each(everything)('is forbidden for everyone but administrators: %s', async (query) => {
    for (const role of ['member', 'auditor', 'analyst'] as const) {
      const ask = await lark.as(await lark.member({ roles: [role] }));
      await expect(ask(query.replace('ID', newId()))).resolves.toMatchObject({ code: 'forbidden' });
    }
  });

  it('is limited to the own organization', async () => {
    const theirs = await anOrganizationsPerson(moor);
    const identity = await (await SpendIdentityFixture.create(server, moor)).createIdentity({ key: 'x@moor.example' });
    const mine = await person({ name: 'Mine', email: 'mine@lark.example' });
    await expect(admin(`{ spendPerson(id: "${theirs}") { id } }`)).resolves.toMatchObject({
      code: 'spend-person-not-found',
    });
    await expect(matchTo(identity, mine.id)).resolves.toMatchObject({ code: 'spend-identity-not-found' });
    const own = await cursor.createIdentity({ key: 'own@lark.example' });
    await expect(matchTo(own, theirs)).resolves.toMatchObject({ code: 'spend-person-not-found' });
    const { data } = await admin('{ spendPeople(search: "Theo Theirs") { totalCount } }');
    expect(data.spendPeople.totalCount).toBe(0);
  });
});

describe('after all changes', () => {
  it('every person holds their own email address', async () => {
    const strangers = await cursor.query(
      `select p.email from spend_people p where p.tenant_id = $1 and p.email is not null and not exists (
         select from spend_aliases a
         where a.tenant_id = $1 and a.kind = 'email' and a.key = p.email and a.person_id = p.id)`,
      [],
    );
    expect(strangers).toEqual([]);
  });

  it('the search words of every person match their name', async () => {
    const people = await cursor.query<{ id: string; name: string; email: string | null }>(
      'select id, name, email from spend_people where tenant_id = $1',
      [],
    );
    const words = await cursor.query<{ pair: string }>(
      `select person_id || ' ' || word as pair from spend_words where tenant_id = $1`,
      [],
    );
    expect(people.length).toBeGreaterThan(20);
    const expected = people.flatMap(({ id, ...named }) => searchWordsOf(named).map((word) => `${id} ${word}`));
    expect(words.map(({ pair }) => pair).sort()).toEqual(expected.sort());
  });
});

const anOrganizationsPerson = async (organization: Organization): Promise<string> => {
  const person = await server.app
    .get(PeopleService)
    .create(organization.system, { name: 'Theo Theirs', email: 'theo@moor.example' });
  return person.id;
};
