import { DataCenterDirectory } from '../../examples/simulators/atlassian/data-center-directory.js';
import { ConfluenceDataCenterSimulator } from '../../examples/simulators/confluence-data-center/simulator.js';
import { ConfluenceSimulator } from '../../examples/simulators/confluence/simulator.js';
import type { AtlassianPerson } from '../../examples/simulators/atlassian/directory.js';
import { GithubSimulator } from '../../examples/simulators/github/github-simulator.js';
import { GitlabSimulator } from '../../examples/simulators/gitlab/gitlab-simulator.js';
import { levels } from '../../examples/simulators/gitlab/gitlab-world.js';
import { JiraDataCenterSimulator } from '../../examples/simulators/jira-data-center/simulator.js';
import { JiraSimulator } from '../../examples/simulators/jira/simulator.js';
import { LinearSimulator } from '../../examples/simulators/linear/linear-simulator.js';
import { SlackSimulator } from '../../examples/simulators/slack/slack-simulator.js';
import { confluenceDataCenterConnector } from '../../src/knowledge/confluence/confluence-data-center.connector.js';
import { confluenceConnector } from '../../src/knowledge/confluence/confluence.connector.js';
import type { SignedWebhook, WebhookSender } from '../../examples/simulators/webhook-sender.js';
import { gitlabConnector } from '../../src/knowledge/gitlab/gitlab.connector.js';
import { jiraDataCenterConnector } from '../../src/knowledge/jira/jira-data-center.connector.js';
import { jiraConnector } from '../../src/knowledge/jira/jira.connector.js';
import { linearConnector } from '../../src/knowledge/linear/linear.connector.js';
import { slackSourceConnector } from '../../src/knowledge/slack/slack.connector.js';
import type { PermissionsUnderTest } from '../permission-contract.js';
import { aConfluenceDataCenter, aConfluenceSite } from './confluence-fixture.js';
import { aJiraSite } from './jira-fixture.js';
import { testedGithubConnector } from './github-fixture.js';

/** A simulated system with one restricted and one open document, and operations to change it. */
export interface ConnectedSource extends PermissionsUnderTest {
  url: string;
  /** The containers of the restricted and of the open document, as the picker shows them. */
  containers: { closed: string; open: string };
  /** Changes the text of the restricted document. */
  edit(text: string): Promise<void>;
  /** The webhooks of the last change of the document, and of its readers. */
  webhooks?: { sender: WebhookSender; ofDocument(): SignedWebhook; ofReaders(): SignedWebhook };
  /** A tool, and a counter of its effects in the system. */
  action: { tool: string; arguments(text: string): object; effects(): number };
  stop(): Promise<void>;
}

const people = {
  insider: 'ina@lark.example',
  colleague: 'cole@lark.example',
  outsider: 'otto@lark.example',
  guest: 'gust@partner.example',
};
const words = { closed: 'zebrafish', open: 'quokka' };
const texts = { closed: 'The zebrafish plan', open: 'The quokka news' };

async function github(): Promise<ConnectedSource> {
  const simulator = await GithubSimulator.start();
  const { world, credentials, webhookSecret } = simulator;
  const acme = world.addOrganization('acme');
  const add = (login: string) => world.addUser(login, { verifiedEmails: { acme: [`${login}@lark.example`] } });
  const owner = add('olga');
  world.setMember(acme, owner, 'admin');
  const { guest: _, ...members } = people;
  const users = new Map(Object.values(members).map((email) => [email, add(email.split('@')[0])]));
  for (const user of users.values()) world.setMember(acme, user, 'member');
  const userOf = (email: string) => users.get(email)!;
  const closed = world.addRepository(acme, 'closed');
  const open = world.addRepository(acme, 'open', { visibility: 'internal' });
  world.setCollaborator(closed, userOf(people.insider), 'read');
  const team = world.addTeam(acme, 'readers', []);
  world.grantTeam(closed, team, 'read');
  const issue = world.addIssue(closed, owner, texts.closed);
  world.addIssue(open, owner, texts.open);
  const token = credentials.addToken(owner);
  token.permissions.issues = 'write';
  const latest = (...events: string[]) =>
    simulator.deliveries.findLast(({ headers }) => events.includes(headers['x-github-event']))!;
  return {
    connector: testedGithubConnector,
    url: simulator.url,
    settings: { access: 'token', url: simulator.url },
    secrets: { token: token.value, webhookSecret },
    people: members,
    words,
    containers: { closed: String(closed.id), open: String(open.id) },
    grant: async (email) => world.setCollaborator(closed, userOf(email), 'read'),
    revoke: async (email) => world.setCollaborator(closed, userOf(email), null),
    grantByGroup: async (email) => world.setTeamMember(acme, team, userOf(email), true),
    leaveGroup: async (email) => world.setTeamMember(acme, team, userOf(email), false),
    // no move: without a webhook, only a complete pass finds a transferred issue
    leave: async (email) => {
      world.setCollaborator(closed, userOf(email), null);
      world.setMember(acme, userOf(email), null);
    },
    edit: async (text) => world.editIssue(closed, issue, { body: text }),
    webhooks: {
      sender: simulator.http.webhooks,
      ofDocument: () => latest('issues'),
      ofReaders: () => latest('member'),
    },
    action: {
      tool: 'comment',
      arguments: (text) => ({ repository: 'acme/closed', number: issue.number, body: text }),
      effects: () => issue.comments.length,
    },
    stop: () => simulator.stop(),
  };
}

async function gitlab(): Promise<ConnectedSource> {
  const simulator = await GitlabSimulator.start({ isSigning: true });
  const { world } = simulator;
  const owner = world.addUser('olga', { isAdmin: true, email: 'olga@lark.example' });
  const users = new Map(
    Object.values(people).map((email) => {
      const isExternal = email === people.guest;
      return [email, world.addUser(email.split('@')[0], { email, isExternal, isEmailPublic: false })];
    }),
  );
  const userOf = (email: string) => users.get(email)!;
  const acme = world.addGroup('acme');
  world.setGroupMember(acme, owner, levels.owner);
  const vault = world.addGroup('vault', acme);
  const closed = world.addProject(vault, 'closed');
  const elsewhere = world.addGroup('elsewhere');
  const open = world.addProject(acme, 'open', 'internal');
  const readers = world.addGroup('readers');
  closed.invited.set(readers, levels.reporter);
  world.setGroupMember(vault, userOf(people.insider), levels.reporter);
  world.setGroupMember(elsewhere, userOf(people.outsider), levels.reporter);
  const assignees = [userOf(people.insider)];
  const issue = world.addIssue(closed, owner, texts.closed, { confidential: true, assignees });
  world.addIssue(open, owner, texts.open);
  const latest = (isWanted: (body: string) => boolean) => simulator.deliveries.findLast(({ body }) => isWanted(body))!;
  return {
    connector: gitlabConnector,
    url: simulator.url,
    settings: { url: simulator.url },
    secrets: { token: simulator.addToken(owner, ['api']).value, webhookSecret: simulator.signingSecret },
    people,
    words,
    containers: { closed: String(closed.id), open: String(open.id) },
    grant: async (email) => world.setGroupMember(vault, userOf(email), levels.reporter),
    revoke: async (email) => world.setGroupMember(vault, userOf(email), null),
    grantByGroup: async (email) => world.setGroupMember(readers, userOf(email), levels.developer),
    leaveGroup: async (email) => world.setGroupMember(readers, userOf(email), null),
    move: async () => world.transfer(closed, elsewhere),
    moveBack: async () => world.transfer(closed, vault),
    // an assignee reads a confidential issue with the role Guest
    grantGuest: async () => {
      world.setMember(closed, userOf(people.guest), levels.guest);
      world.editThread(closed, issue, { assignees: [userOf(people.guest)] });
    },
    leave: async (email) => void (userOf(email).state = 'blocked'),
    edit: async (text) => world.editThread(closed, issue, { description: text }),
    webhooks: {
      sender: simulator.http.webhooks,
      ofDocument: () => latest((body) => body.includes('"object_kind":"issue"')),
      ofReaders: () => latest((body) => body.includes('_group')),
    },
    action: {
      tool: 'comment',
      arguments: (text) => ({ project: closed.path, kind: 'issue', number: issue.iid, body: text }),
      effects: () => issue.discussions.length,
    },
    stop: () => simulator.stop(),
  };
}

/** The people of an Atlassian site. The guest is in no group. */
function addPeople({ directory }: Pick<ReturnType<typeof aJiraSite>, 'directory'>) {
  const accounts = new Map(
    Object.entries(people).map(([displayName, email]) => [email, directory.addPerson(displayName, { email })]),
  );
  const { guest, ...members } = people;
  const staff = directory.addGroup(
    'staff',
    Object.values(members).map((email) => accounts.get(email)!),
  );
  const readers = directory.addGroup('readers');
  const accountOf = (email: string): AtlassianPerson => accounts.get(email)!;
  return { accountOf, staff, readers, guest };
}

async function jira(): Promise<ConnectedSource> {
  const world = aJiraSite();
  const simulator = await JiraSimulator.start({ site: world.site });
  const { restrictByLevel, ...source } = jiraOn(world, simulator);
  const { bot, directory } = world;
  return {
    ...source,
    connector: jiraConnector,
    settings: { url: simulator.url, email: bot.email },
    secrets: { token: directory.issueToken(bot), webhookSecret: simulator.webhookSecret },
    restrictAncestor: restrictByLevel,
  };
}

async function jiraDataCenter(): Promise<ConnectedSource> {
  const world = aJiraSite(new DataCenterDirectory());
  const simulator = await JiraDataCenterSimulator.start({ site: world.site });
  // no restriction by a level: no one finds issues with one
  const { restrictByLevel: _, ...source } = jiraOn(world, simulator);
  return {
    ...source,
    connector: jiraDataCenterConnector,
    settings: { url: simulator.url },
    secrets: { token: world.directory.issueToken(world.bot), webhookSecret: simulator.webhookSecret },
  };
}

function jiraOn(world: ReturnType<typeof aJiraSite>, simulator: JiraSimulator | JiraDataCenterSimulator) {
  const { site, asBot, project: closed } = world;
  const { accountOf, staff, readers, guest } = addPeople(world);
  for (const email of Object.values(people)) world.everyone.members.add(accountOf(email).accountId);
  const userOf = (email: string) => ({ type: 'user', value: accountOf(email).accountId });
  const groupOf = ({ groupId }: { groupId: string }) => ({ type: 'group', value: groupId });
  const named = new Set([people.insider]);
  const setBrowsers = () => site.setBrowsers(closed, asBot, groupOf(readers), ...[...named].map(userOf));
  setBrowsers();
  const elsewhere = site.addProject('ELSE', 'Elsewhere');
  site.setBrowsers(elsewhere, asBot, userOf(people.outsider));
  const open = site.addProject('OPEN', 'Open');
  site.setBrowsers(open, asBot, groupOf(staff));
  const issue = site.addIssue(closed, texts.closed);
  site.addIssue(open, texts.open);
  const change = (email: string, isNamed: boolean) => {
    if (isNamed) named.add(email);
    else named.delete(email);
    setBrowsers();
  };
  return {
    url: simulator.url,
    people,
    words,
    containers: { closed: closed.id, open: open.id },
    grant: async (email: string) => change(email, true),
    revoke: async (email: string) => change(email, false),
    grantByGroup: async (email: string) => void readers.members.add(accountOf(email).accountId),
    leaveGroup: async (email: string) => void readers.members.delete(accountOf(email).accountId),
    move: async () => site.moveIssue(issue, elsewhere),
    moveBack: async () => site.moveIssue(issue, closed),
    restrictByLevel: async (email: string | null) => {
      const level = email ? site.addLevel(closed, `Only ${email}`, asBot, userOf(email)) : null;
      site.editIssue(issue, { levelId: level?.id ?? null });
    },
    grantGuest: async () => change(guest, true),
    leave: async (email: string) => void (accountOf(email).isActive = false),
    edit: async (text: string) => site.editIssue(issue, { summary: text }),
    webhooks: {
      sender: simulator.http.webhooks,
      ofDocument: () => simulator.webhook('jira:issue_updated', { issue: { id: issue.id } }),
      ofReaders: () => simulator.webhook('project_updated', { project: { id: closed.id } }),
    },
    action: {
      tool: 'add_comment',
      arguments: (text: string) => ({ issue: issue.key, text }),
      effects: () => issue.comments.length,
    },
    stop: () => simulator.stop(),
  };
}

async function confluence(): Promise<ConnectedSource> {
  const world = aConfluenceSite();
  const { site, bot, directory } = world;
  const simulator = await ConfluenceSimulator.start({ site });
  return {
    ...confluenceOn(world, simulator),
    connector: confluenceConnector,
    settings: { url: simulator.url, email: bot.email },
    secrets: { token: directory.issueToken(bot) },
  };
}

async function confluenceDataCenter(): Promise<ConnectedSource> {
  const world = aConfluenceDataCenter();
  const { site, bot, directory, everyone } = world;
  const simulator = await ConfluenceDataCenterSimulator.start({ site, administrators: [bot.accountId] });
  const source = confluenceOn(world, simulator);
  for (const { accountId } of directory.people.values()) everyone.members.add(accountId);
  return {
    ...source,
    connector: confluenceDataCenterConnector,
    settings: { url: simulator.url },
    secrets: { token: directory.issueToken(bot), webhookSecret: simulator.webhookSecret },
    webhooks: {
      sender: simulator.http.webhooks,
      ofDocument: () => simulator.webhook('page_updated', { page: { id: 1 } }),
      ofReaders: () => simulator.webhook('space_permissions_updated', { space: { key: world.space.key } }),
    },
  };
}

function confluenceOn(
  world: ReturnType<typeof aConfluenceSite>,
  simulator: ConfluenceSimulator | ConfluenceDataCenterSimulator,
) {
  const { site, asBot, space: closed } = world;
  const { accountOf, staff, readers, guest } = addPeople(world);
  const userOf = (email: string) => ({ type: 'user' as const, id: accountOf(email).accountId });
  const groupOf = ({ groupId }: { groupId: string }) => ({ type: 'group' as const, id: groupId });
  const named = new Set([people.insider]);
  const setReaders = () => site.setReaders(closed, asBot, groupOf(readers), ...[...named].map(userOf));
  setReaders();
  const elsewhere = site.addSpace('ELSE', 'Elsewhere');
  site.setReaders(elsewhere, asBot, userOf(people.outsider));
  const open = site.addSpace('OPEN', 'Open');
  site.setReaders(open, asBot, groupOf(staff));
  const parent = site.addContent(closed, 'A page above');
  const page = site.addContent(closed, texts.closed, { parentId: parent.id });
  site.addContent(open, texts.open);
  const change = (email: string, isNamed: boolean) => {
    if (isNamed) named.add(email);
    else named.delete(email);
    setReaders();
  };
  return {
    url: simulator.url,
    people,
    words,
    containers: { closed: closed.id, open: open.id },
    grant: async (email: string) => change(email, true),
    revoke: async (email: string) => change(email, false),
    grantByGroup: async (email: string) => void readers.members.add(accountOf(email).accountId),
    leaveGroup: async (email: string) => void readers.members.delete(accountOf(email).accountId),
    move: async () => void Object.assign(page, { spaceId: elsewhere.id, parentId: null }),
    moveBack: async () => void Object.assign(page, { spaceId: closed.id, parentId: parent.id }),
    restrictAncestor: async (email: string | null) => site.restrict(parent, ...(email ? [asBot, userOf(email)] : [])),
    grantGuest: async () => change(guest, true),
    leave: async (email: string) => void (accountOf(email).isActive = false),
    edit: async (text: string) => site.edit(page, { storage: `<p>${text}</p>` }),
    action: {
      tool: 'create_page_draft',
      arguments: (text: string) => ({ space: closed.key, title: 'A draft', text }),
      effects: () => [...site.contents.values()].filter(({ status }) => status === 'draft').length,
    },
    stop: () => simulator.stop(),
  };
}

async function slack(): Promise<ConnectedSource> {
  const simulator = await SlackSimulator.start();
  const { workspace } = simulator;
  const users = new Map(
    Object.entries(people).map(([name, email]) => [
      email,
      workspace.addUser({ name, email, kind: name === 'guest' ? 'guest' : 'full' }),
    ]),
  );
  const userOf = (email: string) => users.get(email)!;
  const closed = workspace.addChannel('closed', { isPrivate: true, members: [userOf(people.insider)] });
  const open = workspace.addChannel('open');
  const first = workspace.post(closed, { user: userOf(people.insider), text: texts.closed });
  workspace.post(open, { user: userOf(people.insider), text: texts.open });
  const latest = (isWanted: (type: string) => boolean) =>
    simulator.signed(simulator.callbackOf(simulator.events.findLast(({ type }) => isWanted(type))!));
  return {
    // uses the rate limit windows of the simulator
    connector: slackSourceConnector({ windowMs: 1, searchDelaysMs: [1, 1] }),
    url: simulator.url,
    settings: { url: simulator.url },
    secrets: { token: simulator.token, signingSecret: simulator.signingSecret },
    people,
    words,
    containers: { closed, open },
    grant: async (email) => workspace.join(closed, userOf(email)),
    revoke: async (email) => workspace.leave(closed, userOf(email)),
    grantGuest: async () => workspace.join(closed, userOf(people.guest)),
    leave: async (email) => workspace.changeUser(userOf(email), { isDeleted: true }),
    edit: async (text) => workspace.edit(closed, first, text),
    webhooks: {
      sender: simulator.http.webhooks,
      ofDocument: () => latest((type) => type === 'message'),
      ofReaders: () => latest((type) => type.startsWith('member_')),
    },
    action: {
      tool: 'post_message',
      arguments: (text) => ({ channel: closed, text }),
      effects: () => workspace.channel(closed).messages.filter(({ text }) => text !== texts.closed).length,
    },
    stop: () => simulator.stop(),
  };
}

async function linear(): Promise<ConnectedSource> {
  const simulator = await LinearSimulator.start();
  const { state } = simulator;
  const users = new Map(
    Object.entries(people).map(([name, email]) => [email, state.addUser(name, { email, guest: name === 'guest' })]),
  );
  const userOf = (email: string) => users.get(email)!;
  const closed = state.addTeam('SHUT', { visibility: 'private', members: [userOf(people.insider)] });
  const elsewhere = state.addTeam('ELSE', { visibility: 'private', members: [userOf(people.outsider)] });
  const open = state.addTeam('OPEN');
  const issue = state.addIssue(closed, texts.closed);
  state.addIssue(open, texts.open);
  const membership = { action: 'update' as const, type: 'TeamMembership', data: { id: 'membership' } };
  return {
    connector: linearConnector(),
    url: simulator.url,
    settings: { url: simulator.url },
    secrets: { apiKey: simulator.apiKey, webhookSecret: simulator.webhookSecret },
    people,
    words,
    containers: { closed, open },
    grant: async (email) => void state.teams.get(closed)!.members.add(userOf(email)),
    revoke: async (email) => void state.teams.get(closed)!.members.delete(userOf(email)),
    move: async () => state.moveIssue(issue, elsewhere),
    moveBack: async () => state.moveIssue(issue, closed),
    grantGuest: async () => void state.teams.get(closed)!.members.add(userOf(people.guest)),
    leave: async (email) => state.changeUser(userOf(email), { active: false }),
    edit: async (text) => state.changeIssue(issue, { description: text }),
    webhooks: {
      sender: simulator.http.webhooks,
      ofDocument: () => simulator.signed(simulator.changes.findLast(({ type }) => type === 'Issue')!),
      ofReaders: () => simulator.signed(membership),
    },
    action: {
      tool: 'comment',
      arguments: (text) => ({ issue: 'SHUT-1', body: text }),
      effects: () => state.comments.size,
    },
    stop: () => simulator.stop(),
  };
}

export const connectedSources = {
  github,
  gitlab,
  jira,
  'jira-data-center': jiraDataCenter,
  confluence,
  'confluence-data-center': confluenceDataCenter,
  slack,
  linear,
};
