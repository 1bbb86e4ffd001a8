import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataCenterDirectory } from '../examples/simulators/atlassian/data-center-directory.js';
import type { AtlassianPerson } from '../examples/simulators/atlassian/directory.js';
import type { JiraDataCenterSimulator } from '../examples/simulators/jira-data-center/simulator.js';
import type { SimulatedHolder } from '../examples/simulators/jira/jira-site.js';
import { aJiraSite, startJiraDataCenter } from './kit/jira-fixture.js';
import { localOutgoing } from './kit/local-outgoing.js';
import type { SourceFixture } from './kit/source-fixture.js';

const outgoing = localOutgoing();
const aSite = () => aJiraSite(new DataCenterDirectory());
let world: ReturnType<typeof aSite>;
let simulator: JiraDataCenterSimulator;
let source: SourceFixture;

beforeEach(async () => {
  world = aSite();
  ({ simulator, source } = await startJiraDataCenter(world, outgoing));
});
afterEach(() => simulator.stop());
afterAll(() => outgoing.onApplicationShutdown());

const colleagues = () =>
  [...world.directory.people.values()].filter(({ displayName }) => displayName !== 'Countersign');

/** The names of the people who find each issue in Countersign, by issue key. */
async function finders(): Promise<Record<string, string[]>> {
  const { documents } = await source.walk();
  const roster = await source.roster();
  return Object.fromEntries(
    [...documents.values()].map((document) => {
      const found = colleagues().filter(({ accountId }) => roster.canRead(accountId, document));
      return [document.title.split(':')[0], found.map(({ displayName }) => displayName)];
    }),
  );
}

/** The names of the people who see each issue in Jira, by issue key. No one for issues with a security level. */
function viewers(): Record<string, string[]> {
  const { bot, site } = world;
  return Object.fromEntries(
    [...site.issues.values()]
      .filter((issue) => site.canSee(bot.accountId, issue))
      .map((issue) => {
        const seeing = colleagues().filter(({ accountId }) => !issue.levelId && site.canSee(accountId, issue));
        return [issue.key, seeing.map(({ displayName }) => displayName)];
      }),
  );
}

const user = ({ accountId }: AtlassianPerson): SimulatedHolder => ({ type: 'user', value: accountId });

describe('the permission to browse a project', () => {
  it.each<[string, (w: typeof world) => SimulatedHolder[], string[]]>([
    ['a person', ({ ben }) => [user(ben)], ['Ben']],
    ['a group', ({ developers }) => [{ type: 'group', value: developers.name }], ['Ada', 'Ben']],
    ['the project lead', () => [{ type: 'projectLead' }], ['Cleo']],
    [
      'a project role with people and groups',
      ({ site, project, dora, developers }) => {
        const role = site.addRole('Reviewers');
        site.setRoleMembers(role, project, [dora.accountId], [developers.name]);
        return [{ type: 'projectRole', value: role.id }];
      },
      ['Ada', 'Ben', 'Dora'],
    ],
    [
      'an application',
      ({ site, directory, ada }) => {
        site.applicationRoles.set('jira-core', [directory.addGroup('core-users', [ada]).name]);
        return [{ type: 'applicationRole', parameter: 'jira-core' }];
      },
      ['Ada'],
    ],
    ['any logged in user', () => [{ type: 'applicationRole' }], ['Ada', 'Ben', 'Cleo', 'Dora']],
    ['anyone', () => [{ type: 'anyone' }], ['Ada', 'Ben', 'Cleo', 'Dora']],
    ['an unknown application', () => [{ type: 'applicationRole', parameter: 'gone' }], []],
    ['a deleted group', () => [{ type: 'group', value: 'dead' }], []],
    ['a deleted person', () => [{ type: 'user', value: 'JIRAUSER1' }], []],
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
    site.addIssue(project, 'Unassigned');
    expect(await finders()).toEqual({ 'BILL-1': ['Ada', 'Ben', 'Cleo'], 'BILL-2': ['Cleo'] });
    expect(await finders()).toEqual(viewers());
  });

  it('belongs to the key of an account, although another account has this name', async () => {
    const { site, directory, project, asBot, everyone } = world;
    // the keys of accounts from before Jira 8.4 are their first names
    const renamed = directory.addPerson('Grace', { accountId: 'alan' });
    const other = directory.addPerson('Alan');
    for (const { accountId } of [renamed, other]) everyone.members.add(accountId);
    const role = site.addRole('Reviewers');
    site.setRoleMembers(role, project, [other.accountId]);
    site.addIssue(project, 'One');
    site.setBrowsers(project, asBot, user(renamed));
    expect(await finders()).toEqual({ 'BILL-1': ['Grace'] });
    site.setBrowsers(project, asBot, { type: 'projectRole', value: role.id });
    expect(await finders()).toEqual({ 'BILL-1': ['Alan'] });
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
});

it('access to Jira is required of accounts that a permission names', async () => {
  const { site, project, ben, everyone } = world;
  site.addIssue(project, 'One');
  everyone.members.delete(ben.accountId);
  expect(await finders()).toEqual({ 'BILL-1': ['Ada'] });
  expect(viewers()).toEqual({ 'BILL-1': ['Ada'] });
  simulator.http.faults.add({ kind: 'status', status: 403, on: /applicationrole$/ });
  expect(await finders()).toEqual({ 'BILL-1': [] });
});

it('access to Jira by a deleted group gives no access, and the others stay', async () => {
  const { site, project, everyone } = world;
  site.addIssue(project, 'One');
  site.applicationRoles.set('jira-software', ['gone', everyone.name]);
  expect(await finders()).toEqual({ 'BILL-1': ['Ada', 'Ben'] });
});

it('a security level gives no access, and the rule names the reason', async () => {
  const { site, project, asBot, ada } = world;
  const level = site.addLevel(project, 'Board', asBot, user(ada));
  site.addIssue(project, 'Open');
  site.addIssue(project, 'Board only', { levelId: level.id });
  expect(await finders()).toEqual({ 'BILL-1': ['Ada', 'Ben'], 'BILL-2': [] });
  const { audiences } = await source.roster();
  expect([...audiences.values()].find(({ title }) => title.endsWith('Board'))).toMatchObject({
    readers: 'unreadable',
    rule: 'Jira Data Center does not return the members of security levels.',
  });
});

it('a hidden field for the security level gives no access to issues of the project', async () => {
  const { site, project, asBot, ada } = world;
  const level = site.addLevel(project, 'Board', asBot, user(ada));
  site.addLevel(project, 'Unused');
  site.addIssue(project, 'Open');
  project.typesWithoutLevel.add('Task');
  expect(await finders()).toEqual({ 'BILL-1': ['Ada', 'Ben'] });
  site.addIssue(project, 'Board only', { levelId: level.id });
  expect(await finders()).toEqual({ 'BILL-1': [], 'BILL-2': [] });
  const [audience] = (await source.roster()).audiences.values();
  expect(audience).toMatchObject({ readers: 'unreadable', rule: expect.stringContaining('hides the security level') });
});

it('a security level that is hidden for one issue type is found behind other issues', async () => {
  const { site, project, asBot, ada } = world;
  await simulator.stop();
  ({ simulator, source } = await startJiraDataCenter(world, outgoing, { mostPerPage: 2 }));
  const { id: levelId } = site.addLevel(project, 'Board', asBot, user(ada));
  for (const summary of ['One', 'Two', 'Three']) site.addIssue(project, summary, { levelId });
  site.addIssue(project, 'Open');
  project.typesWithoutLevel.add('Bug');
  expect((await finders())['BILL-4']).toEqual(['Ada', 'Ben']);
  site.addIssue(project, 'Hidden', { levelId, type: 'Bug' });
  expect(Object.values(await finders()).flat()).toEqual([]);
});

it('a permission change takes effect with the next roster, without reading the issues again', async () => {
  const { site, directory, project, asBot, ada, ben, cleo, developers } = world;
  site.addIssue(project, 'One');
  const [document] = (await source.walk()).documents.values();
  const reading = async (person: AtlassianPerson) => (await source.roster()).canRead(person.accountId, document);
  expect([await reading(ada), await reading(cleo)]).toEqual([true, false]);
  site.setBrowsers(project, asBot, { type: 'group', value: developers.name }, user(cleo)); // grant
  expect(await reading(cleo)).toBe(true);
  site.setBrowsers(project, asBot, { type: 'group', value: developers.name }); // revoke
  expect(await reading(cleo)).toBe(false);
  developers.members.delete(ben.accountId); // leave a group
  expect([await reading(ada), await reading(ben)]).toEqual([true, false]);
  directory.people.get(ada.accountId)!.isActive = false; // leave the organization
  expect(await reading(ada)).toBe(false);
});

describe('the roster', () => {
  it('lists active people with their visible addresses, over several pages of members', async () => {
    const { directory, ada, dora, everyone } = world;
    const gone = directory.addPerson('Gone', { isActive: false });
    const crowd = Array.from({ length: 130 }, (_, index) => directory.addPerson(`P ${index}`));
    for (const { accountId } of [gone, ...crowd]) everyone.members.add(accountId);
    const { accounts, groups } = await source.roster();
    expect(accounts.get(ada.accountId)).toEqual({ id: ada.accountId, name: 'Ada', email: 'ada@lark.example' });
    expect(accounts.get(dora.accountId)).toEqual({ id: dora.accountId, name: 'Dora' });
    expect(accounts.has(gone.accountId)).toBe(false);
    expect(groups.get(everyone.name)).toHaveLength(135);
  });

  it.each([
    ['a list of members is cut off', { kind: 'cut', on: /group\/member$/ } as const, 'unavailable'],
    ['a role cannot be read', { kind: 'status', status: 500, on: /\/role\// } as const, 'unavailable'],
    ['an account of a role cannot be read', { kind: 'status', status: 500, on: /\/user$/ } as const, 'unavailable'],
    [
      'a list of members ends early',
      { kind: 'status', status: 200, body: { values: [], total: 9 }, on: /group\/member$/ } as const,
      'unreadable',
    ],
    ['the token is revoked', { kind: 'status', status: 401, on: /myself$/, after: 1 } as const, 'unauthorized'],
  ])('fails when %s, so the earlier one stays', async (_, fault, expected) => {
    const { site, project, asBot, ada } = world;
    const role = site.addRole('Reviewers');
    site.setRoleMembers(role, project, [ada.accountId]);
    site.setBrowsers(project, asBot, { type: 'projectRole', value: role.id });
    simulator.http.faults.add(fault);
    await expect(source.roster()).rejects.toEqual(
      expect.objectContaining({ name: 'SourceRequestError', fault: expected }),
    );
  });
});

it('agrees with Jira on random permissions', async () => {
  const { site, asBot, everyone, ...others } = world;
  everyone.members.delete(others.dora.accountId);
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const people = [others.ada, others.ben, others.cleo, others.dora];
  const role = site.addRole('Team');
  for (let number = 0; number < 12; number++) {
    const project = site.addProject(`P${number}`, `Project ${number}`, { leadAccountId: people[random(4)].accountId });
    site.setRoleMembers(role, project, [people[random(4)].accountId], [others.developers.name].slice(random(2)));
    const holder = (): SimulatedHolder =>
      [
        user(people[random(4)]),
        { type: 'group', value: others.developers.name },
        { type: 'projectLead' },
        { type: 'projectRole', value: role.id },
        { type: 'reporter' },
        { type: 'assignee' },
        { type: 'applicationRole' },
      ][random(7)];
    site.setBrowsers(project, asBot, ...Array.from({ length: random(4) }, holder));
    const level = site.addLevel(project, 'Level', asBot, holder());
    for (let index = 0; index < 8; index++)
      site.addIssue(project, `Issue ${index}`, {
        reporterId: [null, people[random(4)].accountId][random(2)],
        assigneeId: [null, people[random(4)].accountId][random(2)],
        levelId: [null, null, level.id][random(3)],
      });
  }
  const found = await finders();
  expect(Object.keys(found)).toHaveLength(96);
  expect(found).toEqual(viewers());
  expect(new Set(Object.values(found).map(String)).size).toBeGreaterThan(4);
});
