import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotionSimulator } from '../examples/simulators/notion/notion-simulator.js';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { MembersService } from '../src/access/members.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { type Connector, ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import { GateService } from '../src/gate/gate.service.js';
import { notionConnector } from '../src/knowledge/notion/notion.connector.js';
import { websiteConnector } from '../src/knowledge/website/website.connector.js';
import { sessionPrincipal } from './kit/gate-fixture.js';
import { type FoundPassage, foundPassages, KnowledgeFixture } from './kit/knowledge-fixture.js';
import { LocalSite } from './kit/local-site.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

/** A system that does not disclose its readers, with a handbook and a page about a quokka. */
interface SourceOfOneAudience {
  connector: Connector;
  settings: Record<string, unknown>;
  secrets: Record<string, string>;
  /** The address of the page about the quokka. */
  address: string;
  edit(text: string): void;
  /** A PDF, and the number of requests for it: all of them, and the conditional ones. */
  sheet?: { address: string; requests(): { all: number; conditional: number } };
  /** The system no longer shows the page about the quokka to the credential. */
  hide(): void;
  stop(): Promise<void>;
}

async function notion(): Promise<SourceOfOneAudience> {
  const simulator = await NotionSimulator.start();
  const { workspace } = simulator;
  const at = new Date(Date.now() - 5 * 60_000);
  const handbook = workspace.addPage('Handbook', { at });
  workspace.addBlock(handbook, 'paragraph', 'Bicycles stand in the yard.');
  const page = workspace.addPage('Animals', { at });
  const block = workspace.addBlock(page, 'paragraph', 'The quokka lives on an island.');
  return {
    connector: notionConnector({ paceMs: 0 }),
    settings: { url: simulator.url },
    secrets: { token: simulator.token },
    address: `https://www.notion.so/${page.replaceAll('-', '')}`,
    edit: (text) => workspace.editBlock(block, text),
    hide: () => workspace.share(page, false),
    stop: () => simulator.stop(),
  };
}

async function website(): Promise<SourceOfOneAudience> {
  const site = await LocalSite.start();
  const sheet = fs.readFileSync('examples/demo-documents/hardware/pika-3-data-sheet.pdf');
  site.page('/docs/', 'Handbook', ['animals', 'sheet.pdf']);
  site.page('/docs/animals', 'The quokka');
  site.serveVersion('/docs/sheet.pdf', sheet, { 'content-type': 'application/pdf', etag: '"sheet-1"' });
  return {
    connector: websiteConnector({ paceMs: 0, retryDelayMs: 1 }),
    settings: { url: `${site.url}/docs/` },
    secrets: {},
    address: `${site.url}/docs/animals`,
    sheet: {
      address: `${site.url}/docs/sheet.pdf`,
      requests: () => {
        const all = site.requests.filter(({ path }) => path === '/docs/sheet.pdf');
        return { all: all.length, conditional: all.filter(({ headers }) => headers['if-none-match']).length };
      },
    },
    edit: (text) => site.page('/docs/animals', text),
    hide: () => site.serve('/docs/animals', '', {}, 410),
    stop: () => site.stop(),
  };
}

type Person = 'insider' | 'outsider';
let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

describe.each(Object.entries({ notion, website }))(
  '%s, whose readers are the groups of the connection',
  (system, start) => {
    let source: SourceOfOneAudience;
    let lark: Organization;
    let admin: GraphqlRequest;
    let knowledge: KnowledgeFixture;
    let id: string;
    let configurationId: string;
    const members = new Map<Person, Member>();

    beforeAll(async () => {
      source = await start();
      // without delays between requests, and with a complete pass in each sync
      const connector = { ...source.connector, id: `${system}-test`, completeEvery: '0s' };
      server.app.get(ConnectorRegistry).register(connector);
      lark = await anOrganization(server);
      admin = await lark.as();
      knowledge = new KnowledgeFixture(server, lark, admin);
      const groups = server.app.get(GroupsService);
      const everyone = await groups.create(lark.system, 'Everyone');
      const staff = await groups.create(lark.system, 'Staff');
      const people = server.app.get(MembersService);
      for (const [name, groupIds] of [
        ['insider', [everyone.id, staff.id]],
        ['outsider', [everyone.id]],
      ] as const)
        members.set(
          name,
          await people.create(lark.system, { email: `${name}@lark.example`, name, groupIds: [...groupIds] }),
        );
      const { settings, secrets } = source;
      const connection = await knowledge.connect({
        kind: connector.id,
        slug: 'source',
        settings: { ...settings, groups: ['Staff'] },
        secrets,
      });
      expect(connection).toMatchObject({ status: 'connected' });
      ({ id } = connection);
      const owner = await sessionPrincipal(server, lark, lark.admin);
      ({ id: configurationId } = await server.app.get(ConfigurationsService).create(owner, {
        name: 'Desk',
        description: '',
        connectionIds: [id],
        groupIds: [everyone.id],
      }));
      await knowledge.waitUntilComplete(id);
    });
    afterAll(() => source?.stop());

    async function search(person: Person, query: string): Promise<FoundPassage[]> {
      const principal = {
        ...(await sessionPrincipal(server, lark, members.get(person)!)),
        surface: 'mcp' as const,
        scopes: ['api:read' as const],
      };
      const call = { configurationId, tool: 'knowledge__search', arguments: JSON.stringify({ query }) };
      return foundPassages(await server.app.get(GateService).call(principal, call));
    }
    const finders = async (query: string): Promise<Person[]> => {
      const found: Person[] = [];
      for (const person of members.keys()) if ((await search(person, query)).length) found.push(person);
      return found;
    };

    it('finds a page with its address for the members of the groups only', async () => {
      expect(await finders('quokka')).toEqual(['insider']);
      const [{ url }] = await search('insider', 'quokka');
      expect(url).toBe(source.address);
    });

    it('opens to everyone without groups, and to no one with only unknown groups', async () => {
      await knowledge.update(id, { groups: [] });
      expect(await finders('quokka')).toEqual(['insider', 'outsider']);
      const { problems } = await knowledge.update(id, { groups: ['Nobody'] });
      expect(problems[0].reason).toContain('groups that do not exist: "Nobody"');
      expect(await finders('quokka')).toEqual([]);
      await knowledge.update(id, { groups: ['Staff'] });
      expect(await finders('quokka')).toEqual(['insider']);
    });

    it('finds a change after the next sync, and leaves other documents as they are', async () => {
      const before = await knowledge.source(id);
      source.edit('The wombat digs.');
      expect(await knowledge.sync(id)).toMatchObject({ changed: 1, removed: 0, documentCount: before.documentCount });
      expect(await finders('wombat')).toEqual(['insider']);
      expect(await finders('quokka')).toEqual([]);
    });

    it('removes a page that the system no longer shows', async () => {
      source.hide();
      expect(await knowledge.sync(id)).toMatchObject({ removed: 1 });
      expect(await finders('wombat')).toEqual([]);
      expect((await search('insider', system === 'notion' ? 'bicycles' : 'handbook')).length).toBeGreaterThan(0);
    });

    it('finds the text of a PDF, also if it is unchanged since the last sync', async ({ skip }) => {
      if (!source.sheet) return skip();
      const { address, requests } = source.sheet;
      const find = async () => (await search('insider', 'Pika 3 data sheet'))[0];
      expect(await find()).toMatchObject({ title: 'Pika 3: data sheet', url: address });
      const before = requests();
      expect(await knowledge.sync(id)).toMatchObject({ changed: 0, removed: 0, failure: null });
      expect(requests()).toEqual({ all: before.all + 1, conditional: before.conditional + 1 });
      expect((await find()).text).toContain('Pika 3');
      // other settings can make other content visible
      await knowledge.update(id, { groups: ['Everyone'] });
      expect(requests()).toEqual({ all: before.all + 2, conditional: before.conditional + 1 });
      expect(await finders('Pika 3 data sheet')).toEqual(['insider', 'outsider']);
    });
  },
);
