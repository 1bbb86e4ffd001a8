import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Browser } from './browser.ts';
import { uploadEstate } from './estate.ts';
import { connectVendor } from './spend.ts';
import type { DemoVendor } from './vendor.ts';
import { stallOf } from './progress.ts';

/** What the demo has to know again at its second start. The passwords are made anew for each installation. */
export interface Organization {
  baseUrl: string;
  slug: string;
  requester: Person;
  approver: Person;
  configurationId: string;
  a2aUrl: string;
  key: string;
  /** Of `examples/product`. */
  productClientId: string;
  /** Of Claude Code. An organization that an earlier demo made has none. */
  assistantClientId?: string;
  /** Uploads what devices are configured with. An organization that an earlier demo made knows nothing of spend and estate. */
  estateKey?: string;
}
export interface Person {
  name: string;
  email: string;
  password: string;
}

interface Surroundings {
  baseUrl: string;
  /** Printed by the server at its first start; undefined at later ones. */
  setUpLink?: string;
  workplaceUrl: string;
  documents: string;
  stateFile: string;
  /** A coding assistant to connect, and devices that run it; `nextStop` has the server's clock go on to the next of its stops. */
  codingAssistant?: { vendor: DemoVendor; nextStop: () => Promise<void> };
  /** As the operator on the server's machine: somebody besides Ada states that Grace is not another account of Ada's. */
  vouch: (organization: string, email: string) => Promise<void>;
  say: (line: string) => void;
}

const slug = 'larkmoor-robotics';
export const accounts = [
  { name: 'Ada Okafor', email: 'ada@larkmoor.example' },
  { name: 'Grace Lindqvist', email: 'grace@larkmoor.example' },
];
const password = () => randomBytes(18).toString('base64url');

/** The demo's organization, as two people would set it up by hand: pages and the administration API, nothing else. */
export async function organization(around: Surroundings): Promise<Organization> {
  const { stateFile, baseUrl, setUpLink, workplaceUrl, vouch, say } = around;
  if (!setUpLink) return resumed(around);

  const [requester, approver] = accounts.map((member) => ({ ...member, password: password() }));

  const ada = new Browser(baseUrl);
  const setUp = await ada.open(setUpLink);
  await ada.submit(setUp, { organization: 'Larkmoor Robotics', slug, ...requester });
  say(`${requester.name} has set up Larkmoor Robotics.`);

  const { inviteMember } = await ada.graphql<{ inviteMember: { url: string } }>(
    'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { url } }',
    { input: { email: approver.email, name: approver.name, roles: ['admin', 'member'] } },
  );
  const grace = new Browser(baseUrl);
  await grace.submit(await grace.open(inviteMember.url), { name: approver.name, password: approver.password });
  await vouch(slug, approver.email);
  say(
    `${approver.name} has accepted her invitation, and the operator has vouched for her: she may decide what Ada's agents ask for.`,
  );

  const handbook = await connect(ada, {
    kind: 'folder',
    name: 'Handbook',
    slug: 'handbook',
    settings: { path: around.documents },
  });
  const workplace = await connect(ada, {
    kind: 'mcp',
    name: 'Workplace',
    slug: 'workplace',
    settings: { url: workplaceUrl },
  });
  await confirmReads(ada, workplace, say);
  for (const connectionId of [handbook, workplace]) await untilRead(ada, connectionId, say);

  const { createGroup } = await ada.graphql<{ createGroup: { id: string } }>(
    'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { id } }',
    { input: { name: 'Support' } },
  );
  const { members } = await ada.graphql<{ members: { nodes: { id: string }[] } }>('{ members { nodes { id } } }');
  for (const { id: memberId } of members.nodes) {
    await ada.graphql('mutation ($input: GroupMemberInput!) { addGroupMember(input: $input) { id } }', {
      input: { groupId: createGroup.id, memberId },
    });
  }
  const { createConfiguration } = await ada.graphql<{ createConfiguration: { id: string; a2aUrl: string } }>(
    'mutation ($input: CreateConfigurationInput!) { createConfiguration(input: $input) { id a2aUrl } }',
    {
      input: {
        name: 'Support desk',
        description: 'Answers from the handbook, tickets and chat; opens and comments tickets, posts messages.',
        connectionIds: [handbook, workplace],
        groupIds: [createGroup.id],
      },
    },
  );
  const { createAgent } = await ada.graphql<{ createAgent: { id: string } }>(
    'mutation ($input: CreateAgentInput!) { createAgent(input: $input) { id } }',
    { input: { configurationId: createConfiguration.id, name: 'Shift planner of a supplier' } },
  );
  const { createA2aKey } = await ada.graphql<{ createA2aKey: { key: string } }>(
    'mutation ($input: CreateA2aKeyInput!) { createA2aKey(input: $input) { key } }',
    { input: { agentId: createAgent.id } },
  );
  const { createOauthClient } = await ada.graphql<{ createOauthClient: { client: { id: string } } }>(
    'mutation ($input: CreateOauthClientInput!) { createOauthClient(input: $input) { client { id } } }',
    {
      input: {
        name: 'Shift board',
        description: 'A product that acts for people: examples/product.',
        type: 'public',
        isNative: true,
        redirectUris: ['http://127.0.0.1:4180/callback'],
        target: 'api',
        scopes: ['api_read', 'api_write'],
      },
    },
  );
  const { registerAssistant } = await ada.graphql<{ registerAssistant: { id: string } }>(
    'mutation ($input: RegisterAssistantInput!) { registerAssistant(input: $input) { id } }',
    { input: { configurationId: createConfiguration.id, assistant: 'claude_code' } },
  );
  say(
    'Configuration "Support desk", for the group "Support": reads are allowed, writes ask one person, destructive calls are denied.',
  );

  const { codingAssistant } = around;
  if (codingAssistant) await connectVendor(ada, codingAssistant.vendor, codingAssistant.nextStop, say);
  const estateKey = codingAssistant && (await uploadEstate(ada, baseUrl, say));

  const { id: configurationId, a2aUrl } = createConfiguration;
  const productClientId = createOauthClient.client.id;
  const access = { key: createA2aKey.key, productClientId, assistantClientId: registerAssistant.id };
  const made = { baseUrl, slug, requester, approver, configurationId, a2aUrl, ...access, estateKey };
  writeFileSync(stateFile, JSON.stringify(made, null, 2), { mode: 0o600 });
  return made;
}

function resumed({ stateFile, baseUrl, say }: Surroundings): Organization {
  if (!existsSync(stateFile)) {
    throw new Error(
      `${path.dirname(stateFile)} holds an organization that is not the demo's. Set DATA_DIR to another folder, or remove this one.`,
    );
  }
  const known = JSON.parse(readFileSync(stateFile, 'utf8')) as Organization;
  say('Found the organization of an earlier start.');
  return { ...known, baseUrl, a2aUrl: `${baseUrl}/agents/${known.configurationId}` };
}

async function connect(ada: Browser, input: Record<string, unknown>): Promise<string> {
  const { createConnection } = await ada.graphql<{
    createConnection: { id: string; status: string; statusReason: string | null };
  }>('mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id status statusReason } }', {
    input,
  });
  if (createConnection.status !== 'connected')
    throw new Error(`${String(input.name)} is ${createConnection.status}: ${createConnection.statusReason}`);
  return createConnection.id;
}

interface Tool {
  id: string;
  name: string;
  effect: string;
  definitionHash: string;
  annotations: { readOnlyHint?: boolean } | null;
  operation: string;
}

/** What an administrator does who has read the definitions: a server's own word for "read only" is not enough. */
async function confirmReads(ada: Browser, id: string, say: Surroundings['say']): Promise<void> {
  const { connection } = await ada.graphql<{ connection: { tools: Tool[] } }>(
    'query ($id: ID!) { connection(id: $id) { tools { id name effect definitionHash annotations operation } } }',
    { id },
  );
  const tools = connection.tools.filter(({ operation }) => operation === 'tool');
  const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint);
  for (const { id: toolId, definitionHash } of reads) {
    await ada.graphql('mutation ($input: ConfirmToolInput!) { confirmTool(input: $input) { id } }', {
      input: { id: toolId, effect: 'read', definitionHash },
    });
  }
  say(`Workplace offers ${tools.length} tools; Ada has confirmed that ${reads.length} of them only read.`);
}

async function untilRead(ada: Browser, connectionId: string, say: Surroundings['say']): Promise<void> {
  const stalled = stallOf(`the documents of ${connectionId} were not read`);
  for (;;) {
    const { knowledgeSource } = await ada.graphql<{
      knowledgeSource: { state: string; seen: number; failure: string | null; connection: { name: string } } | null;
    }>('query ($id: ID!) { knowledgeSource(connectionId: $id) { state seen failure connection { name } } }', {
      id: connectionId,
    });
    if (knowledgeSource?.state === 'complete')
      return say(`${knowledgeSource.connection.name}: ${knowledgeSource.seen} documents read.`);
    if (knowledgeSource?.failure) throw new Error(knowledgeSource.failure);
    stalled(knowledgeSource?.seen);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
