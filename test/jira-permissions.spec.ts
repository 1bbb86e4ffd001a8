import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AtlassianPerson } from '../examples/simulators/atlassian/directory.js';
import type { SimulatedHolder } from '../examples/simulators/jira/jira-site.js';
import type { JiraSimulator } from '../examples/simulators/jira/simulator.js';
import { aJiraSite, startJira } from './kit/jira-fixture.js';
import { localOutgoing } from './kit/local-outgoing.js';
import type { SourceFixture } from './kit/source-fixture.js';

const outgoing = localOutgoing();
let world: ReturnType<typeof aJiraSite>;
let simulator: JiraSimulator;
let source: SourceFixture;

beforeEach(async () => {
  world = aJiraSite();
  ({ simulator, source } = await startJira(world, outgoing));
});
afterEach(() => simulator.stop());
afterAll(() => outgoing.onApplicationShutdown());

/** The names of the people who find each issue in Countersign, by issue key. */
async function finders(): Promise<Record<string, string[]>> {
  const { documents } = await source.walk();
  const roster = await source.roster();
  const people = [...world.directory.people.values()].filter(({ displayName }) => displayName !== 'Countersign');
  return Object.fromEntries(
    [...documents.values()].map((document) => {
      const found = people.filter(({ accountId }) => roster.canRead(accountId, document));
      return [document.title.split(':')[0], found.map(({ displayName }) => displayName)];
    }),
  );
}

/** The names of the people who see each issue in Jira, by issue key. */
function viewers(): Record<string, string[]> {
  const people = [...world.directory.people.values()].filter(({ displayName }) => displayName !== 'Countersign');
  const { bot, site } = world;
  return Object.fromEntries(
    [...site.issues.values()]
      .filter((issue) => site.canSee(bot.accountId, issue))
      .map((issue) => {
        const seeing = people.filter(({ accountId }) => site.canSee(accountId, issue));
        return [issue.key, seeing.map(({ displayName }) => displayName)];
      }),
  );
}

const user = ({ accountId }: AtlassianPerson): SimulatedHolder => ({
  type: 'user',
  value: accountId,
  parameter: accountId,
});

describe('the permission to browse a project', () => {
  it.each<[string, (w: typeof world) => SimulatedHolder[], string[]]>([
    ['a person', ({ ben }) => [user(ben)], ['Ben']],
    ['a group', ({ developers }) => [{ type: 'group', value: developers.groupId }], ['Ada', 'Ben']],
    ['the project lead', () => [{ type: 'projectLead' }], ['Cleo']],
    [
      'a project role with people and groups',
      ({ site, project, dora, developers }) => {
        const role = site.addRole('Reviewers');
        site.setRoleMembers(role, project, [dora.accountId], [developers.groupId]);
        return [{ type: 'projectRole', value: role.id, parameter: role.id }];
      },
      ['Ada', 'Ben', 'Dora'],
    ],
    [
      'a product',
      ({ site, directory, ada }) => {
        site.applicationRoles.set('jira-core', [directory.addGroup('core-users', [ada]).groupId]);
        return [{ type: 'applicationRole', parameter: 'jira-core', value: 'jira-core' }];
      },
      ['Ada'],
    ],
    ['any product', () => [{ type: 'applicationRole' }], ['Ada', 'Ben', 'Cleo', 'Dora']],
    ['anyone', () => [{ type: 'anyone' }], ['Ada', 'Ben', 'Cleo', 'Dora']],
    ['an unknown product', () => [{ type: 'applicationRole', parameter: 'gone', value: 'gone' }], []],
    ['a deleted group', () => [{ type: 'group', value: 'b0000000-dead' }], []],
    ['a custom field', () => [{ type: 'userCustomField', value: 'customfield_10001' }], []],
    ['customers', () => [{ type: 'sd.customer.portal.only' }], []],
    ['no holder', () => [], []],
  ])('of %s gives access to the same accounts as in Jira', async (_, holders, expected) => {
    const { site, project, asBot } = world;
    site.addIssue(project, 'One');
    site.setBrowsers(project, asBot, ...holders(world));
    expect(await finders()).toEqual({ 'BILL-1': expected });
    expect(viewers()).toEqual({ 'BILL-1': expected });
  });

  it('of the reporter and the assignee gives access to their own issues', async () => {
    const { site, project, asBot, ada, ben, cleo } = world;
    site.setBrowsers(project, asBot, user(cleo), { type: 'reporter' }, { type: 'assignee' });
    site.addIssue(project, 'Mine', { reporterId: ada.accountId, assigneeId: ben.accountId });
    site.addIssue(project, 'Also mine', { reporterId: ada.accountId });
    site.addIssue(project, 'Unassigned');
    expect(await finders()).toEqual({
      'BILL-1': ['Ada', 'Ben', 'Cleo'],
      'BILL-2': ['Ada', 'Cleo'],
      'BILL-3': ['Cleo'],
    });
    expect(await finders()).toEqual(viewers());
  });

  it('gives no access if the account cannot read it, and the rule names the reason', async () => {
    const { site, project } = world;
    site.addIssue(project, 'One');
    project.hidesPermissions = true;
    expect(await finders()).toEqual({ 'BILL-1': [] });
    const [audience] = (await source.roster()).audiences.values();
    expect(audience).toMatchObject({
      readers: 'unreadable',
      rule: expect.stringContaining('cannot read the permissions'),
    });
  });

  it('of holders that cannot be resolved gives no access, and the rule names them', async () => {
    const { site, project, asBot } = world;
    site.setBrowsers(project, asBot, { type: 'groupCustomField', value: 'customfield_10002' });
    const [audience] = (await source.roster()).audiences.values();
    expect(audience.rule).toContain('Not included: groups in custom fields.');
  });
});

describe('access to Jira', () => {
  beforeEach(() => {
    const { site, project, asBot, ada, ben, developers, everyone } = world;
    const level = site.addLevel(project, 'Board', asBot, user(ada), user(ben));
    site.addIssue(project, 'Open');
    site.addIssue(project, 'Board only', { levelId: level.id });
    const open = site.addProject('OPEN', 'Anyone may browse');
    site.setBrowsers(open, { type: 'anyone' });
    const openLevel = site.addLevel(open, 'Board', asBot, { type: 'group', value: developers.groupId });
    site.addIssue(open, 'Open');
    site.addIssue(open, 'Board only', { levelId: openLevel.id });
    everyone.members.delete(ben.accountId);
  });

  it('is required of accounts that a permission or security level names', async () => {
    expect(await finders()).toEqual({
      'BILL-1': ['Ada'],
      'BILL-2': ['Ada'],
      'OPEN-1': ['Ada', 'Ben', 'Cleo', 'Dora'],
      'OPEN-2': ['Ada'],
    });
    expect(await finders()).toEqual(viewers());
    const [audience] = (await source.roster()).audiences.values();
    expect(audience.rule).toBe(
      'Accounts with access to Jira and the permission “Browse Projects” in the permission scheme of the project.',
    );
  });

  it('can come from any Jira product', async () => {
    const { site, directory, ben } = world;
    site.applicationRoles.set('jira-servicedesk', [directory.addGroup('agents', [ben]).groupId]);
    expect(await finders()).toEqual(viewers());
    expect(await finders()).toMatchObject({ 'BILL-1': ['Ada', 'Ben'], 'OPEN-2': ['Ada', 'Ben'] });
  });

  it('that the account cannot read gives no access to issues with restricted readers, and the rule names the reason', async () => {
    simulator.http.faults.add({ kind: 'status', status: 403, on: /applicationrole$/ });
    expect(await finders()).toEqual({
      'BILL-1': [],
      'BILL-2': [],
      'OPEN-1': ['Ada', 'Ben', 'Cleo', 'Dora'],
      'OPEN-2': [],
    });
    const [audience] = (await source.roster()).audiences.values();
    expect(audience).toMatchObject({
      readers: 'unreadable',
      rule: 'The account of the integration cannot read who has access to Jira.',
    });
  });

  it('that cannot be read because Jira fails makes the roster fail, so the earlier one stays', async () => {
    simulator.http.faults.add({ kind: 'status', status: 503, on: /applicationrole$/ });
    await expect(source.roster()).rejects.toEqual(
      expect.objectContaining({ name: 'SourceRequestError', fault: 'unavailable' }),
    );
  });
});

describe('a security level', () => {
  it('narrows the permission to browse, and never widens it', async () => {
    const { site, project, asBot, ada, cleo } = world;
    const level = site.addLevel(project, 'Board', asBot, user(ada), user(cleo));
    site.addIssue(project, 'Open');
    site.addIssue(project, 'Board only', { levelId: level.id });
    expect(await finders()).toEqual({ 'BILL-1': ['Ada', 'Ben'], 'BILL-2': ['Ada'] });
    expect(await finders()).toEqual(viewers());
  });

  it('with the reporter and the assignee as members gives access to their own issues', async () => {
    const { site, project, asBot, ada, ben, cleo, everyone } = world;
    site.setBrowsers(project, asBot, { type: 'group', value: everyone.groupId });
    const level = site.addLevel(project, 'Private', asBot, user(cleo), { type: 'reporter' }, { type: 'assignee' });
    site.addIssue(project, 'Open', { reporterId: ben.accountId });
    site.addIssue(project, 'Ada’s', { levelId: level.id, reporterId: ada.accountId });
    site.addIssue(project, 'Ben’s', { levelId: level.id, reporterId: cleo.accountId, assigneeId: ben.accountId });
    expect(await finders()).toEqual({
      'BILL-1': ['Ada', 'Ben', 'Cleo', 'Dora'],
      'BILL-2': ['Ada', 'Cleo'],
      'BILL-3': ['Ben', 'Cleo'],
    });
    expect(await finders()).toEqual(viewers());
  });

  it('of a project that anyone may browse still restricts', async () => {
    const { site, project, asBot, ada } = world;
    site.setBrowsers(project, asBot, { type: 'anyone' });
    const level = site.addLevel(project, 'Board', asBot, user(ada));
    site.addIssue(project, 'Board only', { levelId: level.id });
    expect(await finders()).toEqual({ 'BILL-1': ['Ada'] });
  });

  it('that the roster does not list gives no access', async () => {
    const { site, project, asBot, ada } = world;
    const level = site.addLevel(project, 'Board', asBot, user(ada));
    site.addIssue(project, 'Board only', { levelId: level.id });
    const before = await source.walk();
    project.securityScheme!.levels = [];
    const roster = await source.roster();
    for (const document of before.documents.values()) expect(roster.canRead(ada.accountId, document)).toBe(false);
  });
});

describe('a restriction to roles of a team-managed project', () => {
  it('gives no access, because Jira does not return its readers', async () => {
    const { site, asBot, ada } = world;
    const team = site.addProject('TEAM', 'Team', { style: 'next-gen' });
    const role = site.addRole('Admins');
    site.setRoleMembers(role, team, [ada.accountId, world.bot.accountId]);
    site.setBrowsers(team, asBot, user(ada));
    site.addIssue(team, 'Open');
    site.addIssue(team, 'For admins', { restrictedToRoles: [role.id] });
    expect(await finders()).toEqual({ 'TEAM-1': ['Ada'], 'TEAM-2': [] });
    expect(
      [...(await source.roster()).audiences.values()].filter(({ readers }) => readers === 'unreadable'),
    ).toHaveLength(1);
  });
});

describe('a permission change in Jira', () => {
  it('takes effect with the next roster, without reading the issues again', async () => {
    const { site, directory, project, asBot, ada, ben, cleo, developers } = world;
    site.addIssue(project, 'One');
    const { documents } = await source.walk();
    const [document] = documents.values();
    const reading = async (person: AtlassianPerson) => (await source.roster()).canRead(person.accountId, document);
    expect([await reading(ada), await reading(cleo)]).toEqual([true, false]);
    site.setBrowsers(project, asBot, { type: 'group', value: developers.groupId }, user(cleo)); // grant
    expect(await reading(cleo)).toBe(true);
    site.setBrowsers(project, asBot, { type: 'group', value: developers.groupId }); // revoke
    expect(await reading(cleo)).toBe(false);
    developers.members.delete(ben.accountId); // leave a group
    expect([await reading(ada), await reading(ben)]).toEqual([true, false]);
    directory.people.get(ada.accountId)!.isActive = false; // leave the organization
    expect(await reading(ada)).toBe(false);
  });

  it('hides comments written after it from the earlier readers, although the issue itself was read before', async () => {
    const { site, project, asBot, ada, ben } = world;
    const level = site.addLevel(project, 'Board', asBot, { type: 'user', value: ada.accountId });
    const issues = ['First', 'Open', 'Closed'].map((name) => site.addIssue(project, name));
    for (const issue of issues)
      for (let number = 0; number < 25; number++) site.addComment(issue, ben.accountId, `Comment ${number}`);
    const readTexts: Record<string, unknown> = {};
    for await (const { title, content } of source.each()) {
      const name = title.split(': ')[1];
      readTexts[name] = await (content as () => Promise<string>)().catch((error: unknown) => error);
      if (name !== 'First') continue; // the other issues were read with it
      site.editIssue(issues[2], { levelId: level.id });
      for (const issue of issues) site.addComment(issue, ada.accountId, 'The password is swordfish.');
    }
    expect(readTexts).toEqual({
      First: expect.not.stringContaining('swordfish'),
      Open: expect.stringContaining('swordfish'),
      Closed: expect.objectContaining({ message: 'has other readers since it was listed; the next sync reads it' }),
    });
  });

  it('changes the readers of an issue that moves to another project or level', async () => {
    const { site, project, asBot, ada, dora } = world;
    const other = site.addProject('OPS', 'Operations');
    site.setBrowsers(other, asBot, user(dora));
    const level = site.addLevel(project, 'Board', asBot, user(ada));
    const [moved, levelled] = [site.addIssue(project, 'Moved'), site.addIssue(project, 'Levelled')];
    const { cursor } = await source.walk();
    site.moveIssue(moved, other);
    site.editIssue(levelled, { levelId: level.id });
    const { documents } = await source.changes(cursor!);
    const roster = await source.roster();
    expect(roster.canRead(dora.accountId, documents.get(`issue/${moved.id}`)!)).toBe(true);
    expect(roster.canRead(ada.accountId, documents.get(`issue/${moved.id}`)!)).toBe(false);
    expect(roster.canRead(ada.accountId, documents.get(`issue/${levelled.id}`)!)).toBe(true);
    expect(roster.canRead(world.ben.accountId, documents.get(`issue/${levelled.id}`)!)).toBe(false);
  });
});

describe('the roster', () => {
  it('lists people with their visible addresses, without apps, customers and inactive accounts', async () => {
    const { directory, ada, dora } = world;
    const app = directory.addPerson('Automation', { accountType: 'app' });
    const gone = directory.addPerson('Gone', { isActive: false });
    const customer = directory.addPerson('Customer', { accountType: 'customer' });
    const { accounts } = await source.roster();
    expect(accounts.get(ada.accountId)).toEqual({ id: ada.accountId, name: 'Ada', email: 'ada@lark.example' });
    expect(accounts.get(dora.accountId)).toEqual({ id: dora.accountId, name: 'Dora' });
    expect([app, gone, customer].map(({ accountId }) => accounts.has(accountId))).toEqual([false, false, false]);
  });

  it('reads all pages of groups and accounts', async () => {
    const { site, directory, project, asBot } = world;
    const crowd = Array.from({ length: 450 }, (_, index) =>
      directory.addPerson(`Person ${index}`, { email: `p${index}@lark.example` }),
    );
    const group = directory.addGroup('crowd', crowd);
    site.setBrowsers(project, asBot, { type: 'group', value: group.groupId });
    const roster = await source.roster();
    expect(roster.groups.get(group.groupId)).toHaveLength(450);
    expect(roster.accounts.size).toBe(455);
  });

  it.each([
    ['groups cannot be read', { kind: 'status', status: 403, on: /group\/member$/ } as const, 'forbidden'],
    ['a list of accounts is cut off', { kind: 'cut', on: /users\/search$/ } as const, 'unavailable'],
    ['the server fails', { kind: 'status', status: 503, on: /permissionscheme$/ } as const, 'unavailable'],
    ['a role cannot be read', { kind: 'status', status: 500, on: /\/role\// } as const, 'unavailable'],
    [
      'the credential is invalid, so lists are those for anonymous visitors',
      { kind: 'status', status: 401, on: /myself$/ } as const,
      'unauthorized',
    ],
    [
      'the credential is revoked during the listing, so lists are those for anonymous visitors',
      { kind: 'status', status: 401, on: /myself$/, after: 1 } as const,
      'unauthorized',
    ],
  ])('fails when %s, so the earlier one stays', async (_, fault, expected) => {
    const { site, project, asBot, developers } = world;
    const role = site.addRole('Reviewers');
    const holders = [
      { type: 'projectRole', value: role.id },
      { type: 'group', value: developers.groupId },
    ];
    site.setBrowsers(project, asBot, ...holders);
    simulator.http.faults.add(fault);
    await expect(source.roster()).rejects.toEqual(
      expect.objectContaining({ name: 'SourceRequestError', fault: expected }),
    );
  });
});

it('agrees with Jira on random permissions', async () => {
  const { site, directory, bot, asBot, everyone, ...others } = world;
  everyone.members.delete(others.dora.accountId);
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const people = [others.ada, others.ben, others.cleo, others.dora];
  const role = site.addRole('Team');
  for (let number = 0; number < 12; number++) {
    const project = site.addProject(`P${number}`, `Project ${number}`, { leadAccountId: people[random(4)].accountId });
    site.setRoleMembers(role, project, [people[random(4)].accountId], [others.developers.groupId].slice(random(2)));
    const holder = (): SimulatedHolder =>
      [
        user(people[random(4)]),
        { type: 'group', value: others.developers.groupId },
        { type: 'projectLead' },
        { type: 'projectRole', value: role.id },
        { type: 'reporter' },
        { type: 'assignee' },
        { type: 'applicationRole' },
      ][random(7)];
    const holders = () => [asBot, ...Array.from({ length: random(4) }, holder)];
    site.setBrowsers(project, ...holders());
    const levels = Array.from({ length: random(3) }, (_, index) => site.addLevel(project, `L${index}`, ...holders()));
    for (let index = 0; index < 8; index++)
      site.addIssue(project, `Issue ${index}`, {
        reporterId: [null, people[random(4)].accountId][random(2)],
        assigneeId: [null, people[random(4)].accountId][random(2)],
        levelId: [null, ...levels.map(({ id }) => id)][random(levels.length + 1)],
      });
  }
  const found = await finders();
  expect(Object.keys(found)).toHaveLength(96);
  expect(found).toEqual(viewers());
  expect(new Set(Object.values(found).map(String)).size).toBeGreaterThan(6);
  expect(directory.people.has(bot.accountId)).toBe(true);
});
