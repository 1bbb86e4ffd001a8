import path from 'node:path';
import { Approval } from '../../src/approvals/approval.entity.js';
import { ApprovalsService } from '../../src/approvals/approvals.service.js';
import { ConfigurationsService } from '../../src/configurations/configurations.service.js';
import { FindingEvaluationService } from '../../src/estate/findings/evaluation/finding-evaluation.service.js';
import { ToolCall } from '../../src/gate/tool-call.entity.js';
import { PermitProposal } from '../../src/permit-proposals/permit-proposal.entity.js';
import { newId } from '../../src/platform/crypto/ids.js';
import { DatabaseService } from '../../src/platform/database/database.service.js';
import { plusDays, today } from '../../src/platform/time/day.js';
import { RollupsService } from '../../src/spend/reports/rollups.service.js';
import { aUser } from './api.js';
import { mutate } from './workplace-fixture.js';
import { EstateFixture } from './estate-fixture.js';
import { GateFixture } from './gate-fixture.js';
import { KnowledgeFixture } from './knowledge-fixture.js';
import type { GraphqlRequest, Organization } from './organization.js';
import { aProduct, type Product } from './product.js';
import { aTerminal } from './terminal.js';
import type { TestServer } from './server.js';
import { SpendFixture } from './spend-fixture.js';
import { newTaskId, wireOf } from './wire.js';
import type { Workplace } from './workplace.js';

/** An organization in which every page of the console has something to show. */
export interface PopulatedOrganization {
  fixture: GateFixture;
  product: Product;
  /** Ids for detail pages. "document" is a knowledge document, "folder" the connection that it came from. */
  ids: Record<DetailPage, string>;
}
type DetailPage =
  | 'pending'
  | 'decided'
  | 'answered'
  | 'call'
  | 'waiting'
  | 'event'
  | 'eventWithLink'
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
  | 'person'
  | 'change';

/** `issuer`: a reachable sign-in provider. */
export async function populateOrganization(
  server: TestServer,
  workplace: Workplace,
  issuer: string,
): Promise<PopulatedOrganization> {
  const fixture = await GateFixture.create(server, workplace);
  const admin = await fixture.organization.as();
  const create = async <Created = { id: string }>(name: string, type: string, input: object, fields = 'id') => {
    const { it, errors } = await mutate(admin, name, type, input, fields);
    if (!it) throw new Error(`${name}: ${JSON.stringify(errors)}`);
    return it as Created;
  };
  await aUser(fixture);
  const product = await aProduct(server, fixture.organization);
  await product.tokens();
  await aTerminal(server.url, await fixture.organization.browser());
  await create('inviteMember', 'InviteMemberInput', { email: 'ines@people.example' }, 'link { id }');
  await create('createAdminToken', 'CreateAdminTokenInput', adminTokenInput, 'adminToken { id }');
  const provider = await create('createSignInProvider', 'CreateSignInProviderInput', {
    ...signInProviderInput,
    issuer,
  });
  const { stream } = await create<{ stream: { id: string } }>(
    'createAuditStream',
    'CreateAuditStreamInput',
    auditStreamInput,
    'stream { id }',
  );
  await create('setAuditStreamPaused', 'SetAuditStreamPausedInput', { id: stream.id, isPaused: true }, 'id');
  const folder = await syncFolder(server, fixture, admin);
  await create('nameSubstitute', 'NameSubstituteInput', {
    substituteId: fixture.reviewer.id,
    startsAt: new Date().toISOString(),
    endsAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  await admin('mutation { proposeIntroducedReviewers { confirmedAt } }');
  const [pending, decided] = await createApprovals(fixture);
  await createProposal(fixture, decided);
  const taskIds = await createTasks(fixture, server.url, admin);
  const person = await populateSpend(server, fixture.organization);
  await populateEstate(server, fixture.organization);
  const known = { ...taskIds, pending, decided, folder, person };
  const fixed = { member: fixture.reviewer.id, client: product.id, provider: provider.id };
  return { fixture, product, ids: { ...known, ...fixed, ...(await findDetails(admin, fixture.connectionId, folder)) } };
}

const adminTokenInput = { name: 'Pipeline', expiresAt: new Date(Date.now() + 86_400_000).toISOString() };
const auditStreamInput = { name: 'Archive', kind: 'webhook', address: 'https://archive.example/audit' };
const signInProviderInput = {
  name: 'Larkmoor ID',
  clientId: 'countersign',
  clientSecret: 'a secret of the provider',
  emailDomains: ['people.example'],
  createsMembers: true,
};

async function syncFolder(server: TestServer, fixture: GateFixture, admin: GraphqlRequest): Promise<string> {
  const knowledge = new KnowledgeFixture(server, fixture.organization, admin);
  const settings = { path: path.resolve('examples/demo-documents/handbook') };
  const { id } = await knowledge.connect({ kind: 'folder', slug: 'handbook', settings });
  await knowledge.waitUntilComplete(id);
  const connectionIds = [fixture.connectionId, id];
  const changed = { configurationId: fixture.configurationId, connectionIds };
  await fixture.get(ConfigurationsService).update(await fixture.principalOf(), changed);
  return id;
}

/** A pending approval with a deceptive title, and a denied one. */
async function createApprovals(fixture: GateFixture): Promise<[string, string]> {
  const requestApproval = async (title: string) => {
    const outcome = await fixture.call('create_ticket', { title, description: 'Line 3, shift 2. '.repeat(20) });
    if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
    return outcome.approvalId;
  };
  const [decided, pending] = [
    await requestApproval('Not needed'),
    await requestApproval('Recalibrate \u202e<b>line 3</b>'),
  ];
  await fixture
    .get(ApprovalsService)
    .decide(await fixture.principalOf(fixture.reviewer), decided, 'deny', 'Done already.');
  return [pending, decided];
}

/** A permit that was proposed for a decided call, until its job withdraws it after the next minute. */
async function createProposal(fixture: GateFixture, approvalId: string): Promise<void> {
  const { tenant, system } = fixture.organization;
  await fixture.get(DatabaseService).tenant(system, async (tx) => {
    const approval = await tx.findOneByOrFail(Approval, { tenantId: tenant.id, id: approvalId });
    const call = await tx.findOneByOrFail(ToolCall, { tenantId: tenant.id, id: approval.callId });
    await tx.insert(PermitProposal, {
      tenantId: tenant.id,
      id: newId(),
      configurationId: fixture.configurationId,
      tool: call.tool,
      principalKind: 'agent',
      principalId: fixture.agentId,
      argumentsHash: call.argumentsHash!,
      definitionHash: call.definitionHash!,
      stepName: approval.stepName,
      approvalIds: [approvalId],
      isSameSurface: true,
      isUntainted: true,
      state: 'open',
      createdAt: new Date(),
    });
  });
}

async function createTasks(
  fixture: GateFixture,
  url: string,
  admin: GraphqlRequest,
): Promise<{ answered: string; waiting: string }> {
  const wire = wireOf(fixture, url);
  const [question, order] = [newTaskId(), newTaskId()];
  await wire.send(question, 'How much does a week on call earn?');
  await wire.send(order, { tool: 'workplace__create_ticket', arguments: { title: 'Recalibrate line 3' } });
  await wire.until(question, 'completed');
  await wire.until(order, 'input-required');
  const { data } = await admin('{ tasks { nodes { id externalId } } }');
  const nodes = data.tasks.nodes as { id: string; externalId: string }[];
  const idOf = (sent: string) => nodes.find(({ externalId }) => externalId === sent)!.id;
  return { answered: idOf(question), waiting: idOf(order) };
}

/** Forty days of usage by two people and an unmatched identity, and an unused seat. */
async function populateSpend(server: TestServer, organization: Organization): Promise<string> {
  const spend = new SpendFixture(server, organization);
  const connectionId = await spend.createConnection();
  const [group, costCentre] = [
    await spend.createUnit('group', 'Line 3'),
    await spend.createUnit('cost_centre', '4100'),
  ];
  const person = await spend.createPerson('Ada', { group, costCentre, member: organization.admin.id });
  await spend.createIdentity(connectionId, 'ada', person);
  await spend.createIdentity(connectionId, 'bo', await spend.createPerson('Bo', { group }));
  await spend.createIdentity(connectionId, 'guest@elsewhere.example');
  await spend.createIdentity(connectionId, 'nina', await spend.createPerson('Nina', { costCentre }));
  for (let ago = 40; ago >= 0; ago--) await createSpendDay(spend, connectionId, plusDays(today(), -ago), ago);
  for (let ago = 40; ago >= 0; ago -= 1)
    await updateRollup(server, organization, connectionId, plusDays(today(), -ago));
  return person;
}

async function createSpendDay(spend: SpendFixture, connectionId: string, day: string, ago: number): Promise<void> {
  await spend.setCoverage(connectionId, day, ago === 0 ? 'provisional' : ago === 33 ? 'lost' : 'final');
  const [of, cents] = [['ada', 'bo', 'guest@elsewhere.example'][ago % 3], String(100 + ago)];
  const accepted = { tab_completions_shown: 10, tab_completions_accepted: 4, lines_accepted_added: 3 };
  await spend.createDay({ day, of, ...accepted, ai_requests_agent: ago, charged_cents: cents, included_cents: '40' });
  await spend.createCharge({ day, of, model: `deep-${ago % 2}`, charged_cents: cents, list_cents: cents });
}

const updateRollup = (server: TestServer, { system }: Organization, connectionId: string, day: string) =>
  server.app
    .get(DatabaseService)
    .tenant(system, (tx) => server.app.get(RollupsService).updateDay(tx, system, { connectionId, day }));

async function populateEstate(server: TestServer, organization: Organization): Promise<void> {
  const estate = await EstateFixture.create(server, organization);
  const bridge = { command: 'npx', args: ['-y', 'mcp-remote@0.1.12', 'https://warehouse.example/mcp'] };
  const files = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/'] };
  const content = { mcpServers: { bridge, files, tickets: { url: 'http://tickets.example/mcp' } } };
  await estate.upload('LRK-0117', [{ path: '/Users/ada/.cursor/mcp.json', content }]);
  await server.app.get(FindingEvaluationService).evaluate(organization.system);
}

async function findDetails(admin: GraphqlRequest, connectionId: string, folder: string) {
  const { data, errors } = await admin(
    `query ($workplace: ID!, $folder: ID!) {
      event: auditEvents(first: 200) { nodes { id detail } }
      call: toolCalls(state: denied, first: 1) { nodes { id } }
      document: knowledgeDocuments(connectionId: $folder, first: 1) { nodes { id } }
      tool: connection(id: $workplace) { nodes: tools { id } }
      finding: estateFindings(first: 1) { nodes { id } }
      file: estateFiles(first: 1) { nodes { id } }
      server: estateServers(first: 1) { nodes { id } }
      source: estateSources(first: 1) { nodes { id } }
      group: groups(first: 1) { nodes { id } }
      change: proposedChanges(first: 1) { nodes { id } }
    }`,
    { workplace: connectionId, folder },
  );
  if (errors) throw new Error(JSON.stringify(errors));
  const first = (name: string): string => data[name].nodes[0].id as string;
  const events = data.event.nodes as { id: string; detail: Record<string, unknown> }[];
  const eventWithLink = events.find(({ detail }) => 'configurationId' in detail)!.id;
  const [event, call, document, tool, finding] = ['event', 'call', 'document', 'tool', 'finding'].map(first);
  const [file, server, source, group, change] = ['file', 'server', 'source', 'group', 'change'].map(first);
  return { event, eventWithLink, call, document, tool, finding, file, server, source, group, change };
}
