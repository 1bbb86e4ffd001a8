import path from 'node:path';
import { ApprovalsService } from '../../src/approvals/approvals.service.js';
import { ConfigurationsService } from '../../src/configurations/configurations.service.js';
import { Judging } from '../../src/estate/findings/judging/judging.service.js';
import { Database } from '../../src/platform/database/database.service.js';
import { plusDays, today } from '../../src/spend/reports/calendar.js';
import { Rollups } from '../../src/spend/reports/rollups.service.js';
import { aUser } from './api.js';
import { mutate } from './desk.js';
import { EstateOf } from './estate.js';
import { Governed } from './governed.js';
import { KnowledgeOf } from './knowledge.js';
import type { Ask, Organization } from './organization.js';
import { aProduct, type Product } from './product.js';
import type { TestServer } from './server.js';
import { SpendHouse } from './spend-house.js';
import { freshId, wireOf } from './wire.js';
import type { Workplace } from './workplace.js';

/** An organization in which every page of the console has something to show. */
export interface Furnished {
  house: Governed;
  product: Product;
  /** What leads to details: "document" is a document of knowledge, "folder" the connection that it came by. */
  ids: Record<Thing, string>;
}
type Thing =
  | 'pending'
  | 'decided'
  | 'answered'
  | 'waiting'
  | 'event'
  | 'folder'
  | 'document'
  | 'tool'
  | 'finding'
  | 'file'
  | 'server'
  | 'source'
  | 'member'
  | 'group'
  | 'provider'
  | 'client'
  | 'person';

/** `issuer` of a provider that answers. */
export async function furnish(server: TestServer, workplace: Workplace, issuer: string): Promise<Furnished> {
  const house = await Governed.house(server, workplace);
  const admin = await house.organization.as();
  const made = async (name: string, type: string, input: object, fields = 'id') => {
    const { it, errors } = await mutate(admin, name, type, input, fields);
    if (!it) throw new Error(`${name}: ${JSON.stringify(errors)}`);
    return it as { id: string };
  };
  await aUser(house);
  const product = await aProduct(server, house.organization);
  await product.tokens();
  await made('inviteMember', 'InviteMemberInput', { email: 'ines@people.example' }, 'link { id }');
  await made('createAdminToken', 'CreateAdminTokenInput', adminToken, 'adminToken { id }');
  const provider = await made('createSignInProvider', 'CreateSignInProviderInput', { ...signIn, issuer });
  const folder = await readFolder(server, house, admin);
  const [pending, decided] = await approvals(house);
  const handedOver = await tasks(house, server.url, admin);
  const person = await furnishSpend(server, house.organization);
  await furnishEstate(server, house.organization);
  const known = { ...handedOver, pending, decided, folder, person };
  const fixed = { member: house.reviewer.id, client: product.id, provider: provider.id };
  return { house, product, ids: { ...known, ...fixed, ...(await found(admin, house.connectionId, folder)) } };
}

const adminToken = { name: 'Pipeline', expiresAt: new Date(Date.now() + 86_400_000).toISOString() };
const signIn = {
  name: 'Larkmoor ID',
  clientId: 'countersign',
  clientSecret: 'a secret of the provider',
  emailDomains: ['people.example'],
  makesMembers: true,
};

async function readFolder(server: TestServer, house: Governed, admin: Ask): Promise<string> {
  const knowledge = new KnowledgeOf(server, house.organization, admin);
  const settings = { path: path.resolve('examples/demo-documents/handbook') };
  const { id } = await knowledge.connect({ kind: 'folder', slug: 'handbook', settings });
  await knowledge.complete(id);
  const connectionIds = [house.connectionId, id];
  const changed = { configurationId: house.configurationId, connectionIds };
  await house.get(ConfigurationsService).update(await house.person(), changed);
  return id;
}

/** One that waits, with a title that is not what it seems; one that was denied. */
async function approvals(house: Governed): Promise<[string, string]> {
  const ask = async (title: string) => {
    const outcome = await house.call('create_ticket', { title, description: 'Line 3, shift 2. '.repeat(20) });
    if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
    return outcome.approvalId;
  };
  const [decided, pending] = [await ask('Not needed'), await ask('Recalibrate \u202e<b>line 3</b>')];
  await house.get(ApprovalsService).decide(await house.person(house.reviewer), decided, 'deny', 'Done already.');
  return [pending, decided];
}

async function tasks(house: Governed, url: string, admin: Ask): Promise<{ answered: string; waiting: string }> {
  const wire = wireOf(house, url);
  const [question, order] = [freshId(), freshId()];
  await wire.send(question, 'How much does a week on call earn?');
  await wire.send(order, { tool: 'workplace__create_ticket', arguments: { title: 'Recalibrate line 3' } });
  await wire.until(question, 'completed');
  await wire.until(order, 'input-required');
  const { data } = await admin('{ tasks { nodes { id externalId } } }');
  const nodes = data.tasks.nodes as { id: string; externalId: string }[];
  const idOf = (sent: string) => nodes.find(({ externalId }) => externalId === sent)!.id;
  return { answered: idOf(question), waiting: idOf(order) };
}

/** Forty days of two people, of somebody unknown, and of a seat that nobody uses. */
async function furnishSpend(server: TestServer, organization: Organization): Promise<string> {
  const spend = new SpendHouse(server, organization);
  const connectionId = await spend.connection();
  const [group, costCentre] = [await spend.unit('group', 'Line 3'), await spend.unit('cost_centre', '4100')];
  const person = await spend.person('Ada', { group, costCentre, member: organization.admin.id });
  await spend.identity(connectionId, 'ada', person);
  await spend.identity(connectionId, 'bo', await spend.person('Bo', { group }));
  await spend.identity(connectionId, 'guest@elsewhere.example');
  await spend.identity(connectionId, 'nina', await spend.person('Nina', { costCentre }));
  for (let ago = 40; ago >= 0; ago--) await spendDay(spend, connectionId, plusDays(today(), -ago), ago);
  for (let ago = 40; ago >= 0; ago -= 1) await rolledUp(server, organization, connectionId, plusDays(today(), -ago));
  return person;
}

async function spendDay(spend: SpendHouse, connectionId: string, day: string, ago: number): Promise<void> {
  await spend.covered(connectionId, day, ago === 0 ? 'provisional' : ago === 33 ? 'lost' : 'final');
  const [of, cents] = [['ada', 'bo', 'guest@elsewhere.example'][ago % 3], String(100 + ago)];
  const accepted = { tab_completions_shown: 10, tab_completions_accepted: 4, lines_accepted_added: 3 };
  await spend.day({ day, of, ...accepted, ai_requests_agent: ago, charged_cents: cents, included_cents: '40' });
  await spend.charge({ day, of, model: `deep-${ago % 2}`, charged_cents: cents, list_cents: cents });
}

const rolledUp = (server: TestServer, { system }: Organization, connectionId: string, day: string) =>
  server.app
    .get(Database)
    .tenant(system, (tx) => server.app.get(Rollups).dayChanged(tx, system, { connectionId, day }));

async function furnishEstate(server: TestServer, organization: Organization): Promise<void> {
  const estate = await EstateOf.of(server, organization);
  const bridge = { command: 'npx', args: ['-y', 'mcp-remote@0.1.12', 'https://warehouse.example/mcp'] };
  const files = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/'] };
  const content = { mcpServers: { bridge, files, tickets: { url: 'http://tickets.example/mcp' } } };
  await estate.upload('LRK-0117', [{ path: '/Users/ada/.cursor/mcp.json', content }]);
  await server.app.get(Judging).judge(organization.system);
}

async function found(admin: Ask, connectionId: string, folder: string) {
  const { data, errors } = await admin(
    `query ($workplace: ID!, $folder: ID!) {
      event: auditEvents(first: 1) { nodes { id } }
      document: knowledgeDocuments(connectionId: $folder, first: 1) { nodes { id } }
      tool: connection(id: $workplace) { nodes: tools { id } }
      finding: estateFindings(first: 1) { nodes { id } }
      file: estateFiles(first: 1) { nodes { id } }
      server: estateServers(first: 1) { nodes { id } }
      source: estateSources(first: 1) { nodes { id } }
      group: groups(first: 1) { nodes { id } }
    }`,
    { workplace: connectionId, folder },
  );
  if (errors) throw new Error(JSON.stringify(errors));
  const first = (name: string): string => data[name].nodes[0].id as string;
  const [event, document, tool, finding] = ['event', 'document', 'tool', 'finding'].map(first);
  const [file, server, source, group] = ['file', 'server', 'source', 'group'].map(first);
  return { event, document, tool, finding, file, server, source, group };
}
