import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accounts, organization as demoOrganization } from '../examples/demo/organization.js';
import { DemoVendor } from '../examples/demo/vendor.js';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { ProposedChangesService } from '../src/access/administration/proposed-changes.service.js';
import { VouchesService } from '../src/access/independence/vouches.service.js';
import type { Member } from '../src/access/member.entity.js';
import { MembersService } from '../src/access/members.service.js';
import { SetUpService } from '../src/access/set-up.service.js';
import { TenantsService } from '../src/access/tenants.service.js';
import { systemPrincipal } from '../src/principal/principal.js';
import { CommandLine, type CommandResult } from './kit/command-line.js';
import { sessionPrincipal } from './kit/gate-fixture.js';
import { type GraphqlRequest, Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/* The organization of `npm run demo`, exported and applied to an empty server. */

let workplace: Workplace;
let vendor: DemoVendor;
let commands: CommandLine;
beforeAll(async () => {
  [workplace, vendor, commands] = await Promise.all([
    Workplace.start(),
    DemoVendor.start(0, accounts),
    CommandLine.build(),
  ]);
});
afterAll(() => Promise.all([workplace.stop(), vendor.close()]));

async function withServer<T>(run: (server: TestServer) => Promise<T>): Promise<T> {
  const server = await testServer({ HOST: 'localhost', CURSOR_URL: vendor.url });
  try {
    return await run(server);
  } finally {
    await server.close();
  }
}

/** An organization with the people of the demo, and nothing else. */
async function emptyOrganization(server: TestServer): Promise<Organization> {
  const [ada, grace] = accounts;
  const { tenant, admin } = await server.app
    .get(TenantsService)
    .create({ name: 'test' }, { name: 'Larkmoor Robotics', slug: 'larkmoor-robotics', admin: ada });
  const organization = new Organization(server, tenant, admin);
  const roles = ['admin', 'member'] as const;
  const member = await server.app.get(MembersService).create(organization.system, { ...grace, roles: [...roles] });
  await server.app.get(VouchesService).vouch(organization.system, member.id);
  return organization;
}

/** The organization that the demo makes through the pages and the administration API. */
async function makeDemo(server: TestServer): Promise<Organization> {
  await demoOrganization({
    baseUrl: server.url,
    setUpLink: (await server.app.get(SetUpService).issueFirstLink())!,
    workplaceUrl: workplace.url,
    documents: path.resolve('examples/demo-documents'),
    stateFile: path.join(server.folder, 'demo.json'),
    codingAssistant: { vendor, stops: [], nextStop: () => Promise.resolve() },
    vouch: async (slug) => {
      const tenant = (await server.app.get(TenantsService).findForSignIn(slug))!;
      const [, grace] = await membersOf(server, tenant.id);
      await server.app.get(VouchesService).vouch(systemPrincipal(tenant.id, 'operator'), grace.id);
    },
    say: () => undefined,
  });
  const tenant = (await server.app.get(TenantsService).findForSignIn('larkmoor-robotics'))!;
  const [ada] = await membersOf(server, tenant.id);
  return new Organization(server, tenant, ada);
}

/** Ada and Grace. */
async function membersOf(server: TestServer, tenantId: string): Promise<Member[]> {
  const { nodes } = await server.app.get(MembersService).list(systemPrincipal(tenantId, 'test'), { first: 10 });
  return accounts.map(({ email }) => nodes.find((member) => member.email === email)!);
}

type Run = (args: string[], env?: Record<string, string>) => Promise<CommandResult>;

/** Runs commands with an admin token of Ada. */
async function commandsOf(server: TestServer, organization: Organization): Promise<Run> {
  const admin = await sessionPrincipal(server, organization, organization.admin);
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { token } = await server.app.get(AdminTokensService).create(admin, { name: 'files', expiresAt });
  return (args, env = {}) =>
    commands.run(args, { env: { COUNTERSIGN_URL: server.url, COUNTERSIGN_TOKEN: token, ...env } });
}

async function exported(run: Run): Promise<{ folder: string; files: Record<string, string> }> {
  const folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'demo-'));
  expect(await run(['export', '--dir', folder, '--with-members'])).toMatchObject({ code: 0, stderr: '' });
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), 'base64')]));
  return { folder, files };
}

interface Tool {
  id: string;
  name: string;
  effect: string;
  definitionHash: string;
  definition: {
    inputSchema?: { required?: string[]; properties?: Record<string, { type?: string; enum?: string[] }> };
  };
}

/** Arguments that the schema of the tool accepts, so that the policies decide. */
function argumentsFor({ definition: { inputSchema } }: Tool): string {
  const { required = [], properties = {} } = inputSchema ?? {};
  const valueOf = (name: string) => properties[name].enum?.[0] ?? (properties[name].type === 'string' ? 'LRK-1' : 1);
  return JSON.stringify(Object.fromEntries(required.map((name) => [name, valueOf(name)])));
}

async function toolsOf(graphql: GraphqlRequest): Promise<Tool[]> {
  const { data } = await graphql('{ connections { nodes { tools { id name effect definitionHash definition } } } }');
  const tools = data.connections.nodes.flatMap((connection: { tools: Tool[] }) => connection.tools) as Tool[];
  return tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

const createAgent = 'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { id } }';
const createKey = 'mutation ($input: CreateA2aKeyInput!) { createA2aKey(input: $input) { key } }';
const confirmTool = 'mutation ($input: ConfirmToolInput!) { confirmTool(input: $input) { id } }';
const explainCall = `query ($configurationId: ID!, $callerKind: CallerKind!, $callerId: ID!, $tool: String!, $arguments: String!, $tainted: Boolean!) {
  explainCall(configurationId: $configurationId, callerKind: $callerKind, callerId: $callerId, tool: $tool, arguments: $arguments, tainted: $tainted) {
    verdict steps code reason isHidden policies { id effect step }
  }
}`;

/** What the gate decides on calls of all tools by Ada, Grace and the agent. */
async function verdictsOf(server: TestServer, organization: Organization, graphql: GraphqlRequest) {
  const { data } = await graphql('{ configurations { nodes { id agents { id } } } }');
  const [{ id: configurationId, agents }] = data.configurations.nodes as { id: string; agents: { id: string }[] }[];
  const members = await membersOf(server, organization.tenant.id);
  const callers = [...members.map(({ id }) => ['member', id]), ...agents.map(({ id }) => ['agent', id])];
  const tools = await toolsOf(graphql);
  const verdicts: { verdict: string }[] = [];
  for (const [callerKind, callerId] of callers)
    for (const tool of tools)
      for (const tainted of [false, true]) {
        const answer = await graphql(explainCall, {
          ...{ configurationId, callerKind, callerId, tool: tool.name, tainted },
          arguments: argumentsFor(tool),
        });
        expect(answer.errors).toBeUndefined();
        verdicts.push({ callerKind, tool: tool.name, tainted, ...answer.data.explainCall });
      }
  return verdicts;
}

it('gives the same organization: the same files, and the same verdicts of the gate', async () => {
  const original = await withServer(async (server) => {
    const organization = await makeDemo(server);
    const ada = await organization.as();
    const confirmed = (await toolsOf(ada)).filter(({ effect }) => effect === 'read').map(({ name }) => name);
    return {
      ...(await exported(await commandsOf(server, organization))),
      confirmed,
      verdicts: await verdictsOf(server, organization, ada),
    };
  });
  expect(Object.keys(original.files)).toEqual(
    expect.arrayContaining([
      'clients/shift-board.yaml',
      'configurations/support-desk.cedar',
      'configurations/support-desk.yaml',
      'connections/cursor.yaml',
      'connections/handbook.yaml',
      'connections/workplace.yaml',
      'groups.yaml',
    ]),
  );
  expect(new Set(original.verdicts.map(({ verdict }) => verdict)).size).toBe(3);

  await withServer(async (server) => {
    const copy = await emptyOrganization(server);
    const run = await commandsOf(server, copy);
    const proposed = await run(['apply', original.folder, '--yes'], { SECRET_CURSOR_APIKEY: vendor.key });
    expect(proposed).toMatchObject({ code: 75, stderr: expect.stringContaining('/proposed-changes/') });
    const id = /proposed-changes\/([0-9a-f-]+)/.exec(proposed.stderr)![1];
    const admin = await sessionPrincipal(server, copy, copy.admin);
    expect(await server.app.get(ProposedChangesService).confirm(admin, id)).toMatchObject({ state: 'confirmed' });
    expect((await exported(run)).files).toEqual(original.files);
    expect(await run(['plan', original.folder, '--detailed-exit-code'])).toMatchObject({ code: 0 });

    const ada = await copy.as();
    await addWhatIsNotInFiles(ada, original.confirmed);
    expect(await verdictsOf(server, copy, ada)).toEqual(original.verdicts);
  });
});

/** The agent, and the confirmed effects of tools. */
async function addWhatIsNotInFiles(graphql: GraphqlRequest, confirmed: readonly string[]): Promise<void> {
  const { data } = await graphql('{ configurations { nodes { id } } }');
  const input = { configurationId: data.configurations.nodes[0].id, name: 'Shift planner of a supplier' };
  const agent = await graphql(createAgent, { input });
  expect((await graphql(createKey, { input: { agentId: agent.data.createAgent.id } })).errors).toBeUndefined();
  for (const { id: toolId, name, effect, definitionHash } of await toolsOf(graphql))
    if (confirmed.includes(name) && effect !== 'read')
      await graphql(confirmTool, { input: { id: toolId, effect: 'read', definitionHash } });
}
