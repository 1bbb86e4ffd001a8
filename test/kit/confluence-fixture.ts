import { DataCenterDirectory } from '../../examples/simulators/atlassian/data-center-directory.js';
import { AtlassianDirectory } from '../../examples/simulators/atlassian/directory.js';
import {
  ConfluenceDataCenterSimulator,
  type ConfluenceDataCenterSimulatorOptions,
} from '../../examples/simulators/confluence-data-center/simulator.js';
import { ConfluenceSite } from '../../examples/simulators/confluence/confluence-site.js';
import {
  ConfluenceSimulator,
  type ConfluenceSimulatorOptions,
} from '../../examples/simulators/confluence/simulator.js';
import { confluenceConnector } from '../../src/knowledge/confluence/confluence.connector.js';
import { confluenceDataCenterConnector } from '../../src/knowledge/confluence/confluence-data-center.connector.js';
import type { OutboundHttpClient } from '../../src/platform/http/outbound-http-client.service.js';
import { SourceFixture } from './source-fixture.js';

/** A Confluence site with the account of the integration and four people. */
export function aConfluenceSite<D extends AtlassianDirectory = AtlassianDirectory>(
  directory: D = new AtlassianDirectory() as D,
) {
  const site = new ConfluenceSite(directory);
  const bot = directory.addPerson('Countersign');
  const people = {
    ada: directory.addPerson('Ada'),
    ben: directory.addPerson('Ben'),
    cleo: directory.addPerson('Cleo'),
    dora: directory.addPerson('Dora', { showsEmail: false }),
  };
  const developers = directory.addGroup('developers', [bot, people.ada, people.ben]);
  const space = site.addSpace('ENG', 'Engineering');
  const asBot = { type: 'user' as const, id: bot.accountId };
  site.setReaders(space, asBot, { type: 'group', id: developers.groupId });
  return { site, directory, bot, asBot, ...people, developers, space };
}

export async function startConfluence(
  { site, directory, bot }: Pick<ReturnType<typeof aConfluenceSite>, 'site' | 'directory' | 'bot'>,
  outgoing: OutboundHttpClient,
  options: ConfluenceSimulatorOptions = {},
) {
  const simulator = await ConfluenceSimulator.start({ site, ...options });
  const settings = { url: simulator.url, email: bot.email };
  const source = new SourceFixture(confluenceConnector, {
    outgoing,
    settings,
    secrets: { token: directory.issueToken(bot) },
  });
  return { simulator, source };
}

/** A site of Confluence Data Center, whose people are in a group that can use it. */
export function aConfluenceDataCenter() {
  const world = aConfluenceSite(new DataCenterDirectory());
  const everyone = world.directory.addGroup('confluence-users', [...world.directory.people.values()]);
  world.site.users = [{ type: 'group', id: everyone.name }];
  return { ...world, everyone };
}

export async function startConfluenceDataCenter(
  world: Pick<ReturnType<typeof aConfluenceDataCenter>, 'site' | 'directory' | 'bot'>,
  outgoing: OutboundHttpClient,
  options: ConfluenceDataCenterSimulatorOptions = {},
) {
  const { site, directory, bot } = world;
  const simulator = await ConfluenceDataCenterSimulator.start({ site, administrators: [bot.accountId], ...options });
  const source = new SourceFixture(confluenceDataCenterConnector, {
    outgoing,
    settings: { url: simulator.url + (options.basePath ?? '') },
    secrets: { token: directory.issueToken(bot) },
  });
  return { simulator, source };
}
