import { ConfluenceSite } from '../../examples/simulators/confluence/confluence-site.js';
import {
  ConfluenceSimulator,
  type ConfluenceSimulatorOptions,
} from '../../examples/simulators/confluence/simulator.js';
import { confluenceConnector } from '../../src/knowledge/confluence/confluence.connector.js';
import type { OutboundHttpClient } from '../../src/platform/http/outbound-http-client.service.js';
import { SourceFixture } from './source-fixture.js';

/** A Confluence site with the account of the integration and four people. */
export function aConfluenceSite() {
  const site = new ConfluenceSite();
  const { directory } = site;
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
