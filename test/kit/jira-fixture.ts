import { AtlassianDirectory } from '../../examples/simulators/atlassian/directory.js';
import {
  JiraDataCenterSimulator,
  type JiraDataCenterSimulatorOptions,
} from '../../examples/simulators/jira-data-center/simulator.js';
import { JiraSite } from '../../examples/simulators/jira/jira-site.js';
import { JiraSimulator, type JiraSimulatorOptions } from '../../examples/simulators/jira/simulator.js';
import { jiraConnector } from '../../src/knowledge/jira/jira.connector.js';
import { jiraDataCenterConnector } from '../../src/knowledge/jira/jira-data-center.connector.js';
import type { OutboundHttpClient } from '../../src/platform/http/outbound-http-client.service.js';
import { SourceFixture } from './source-fixture.js';

/** A Jira site with the account of the integration and four people. */
export function aJiraSite<D extends AtlassianDirectory = AtlassianDirectory>(
  directory: D = new AtlassianDirectory() as D,
) {
  const site = new JiraSite(directory);
  const bot = directory.addPerson('Countersign');
  const people = {
    ada: directory.addPerson('Ada'),
    ben: directory.addPerson('Ben'),
    cleo: directory.addPerson('Cleo'),
    dora: directory.addPerson('Dora', { showsEmail: false }),
  };
  const everyone = directory.addGroup('jira-users', [bot, ...Object.values(people)]);
  const developers = directory.addGroup('developers', [bot, people.ada, people.ben]);
  for (const permission of ['ADMINISTER', 'USER_PICKER'])
    site.globalPermissions.set(permission, new Set([bot.accountId]));
  site.applicationRoles.set('jira-software', [everyone.groupId]);
  const project = site.addProject('BILL', 'Billing', { leadAccountId: people.cleo.accountId });
  const asBot = { type: 'user', value: bot.accountId };
  site.setBrowsers(project, asBot, { type: 'group', value: developers.groupId, parameter: developers.name });
  return { site, directory, bot, asBot, ...people, everyone, developers, project };
}

export async function startJira(
  { site, directory, bot }: Pick<ReturnType<typeof aJiraSite>, 'site' | 'directory' | 'bot'>,
  outgoing: OutboundHttpClient,
  options: JiraSimulatorOptions = {},
) {
  const simulator = await JiraSimulator.start({ site, ...options });
  const settings = { url: simulator.url, email: bot.email };
  const source = new SourceFixture(jiraConnector, {
    outgoing,
    settings,
    secrets: { token: directory.issueToken(bot) },
  });
  return { simulator, source };
}

export async function startJiraDataCenter(
  { site, directory, bot }: Pick<ReturnType<typeof aJiraSite>, 'site' | 'directory' | 'bot'>,
  outgoing: OutboundHttpClient,
  options: JiraDataCenterSimulatorOptions = {},
) {
  const simulator = await JiraDataCenterSimulator.start({ site, ...options });
  const source = new SourceFixture(jiraDataCenterConnector, {
    outgoing,
    settings: { url: simulator.url + (options.basePath ?? '') },
    secrets: { token: directory.issueToken(bot) },
  });
  return { simulator, source };
}
