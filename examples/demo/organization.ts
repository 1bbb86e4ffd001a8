import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Browser } from './browser.ts';
import { connect, waitUntilSynced } from './connections.ts';
import { uploadEstate } from './estate.ts';
import { connectSystems } from './knowledge.ts';
import { heading, row, type Say } from './output.ts';
import { type CodingAssistant, connectVendor } from './spend.ts';
import type { System } from './systems/systems.ts';

/** What a later start of the demo needs. The passwords are random for each installation. */
export interface Organization {
  baseUrl: string;
  slug: string;
  requester: Person;
  approver: Person;
  configurationId: string;
  a2aUrl: string;
  key: string;
  /** Client id of `examples/product`. */
  productClientId: string;
  /** Client id of Claude Code. Missing in organizations of earlier demo versions. */
  assistantClientId?: string;
  /** Tenant key that uploads device configurations. Missing in organizations of earlier demo versions, which have no spend or estate data. */
  estateKey?: string;
  /** Connections of the Git host, the tracker and the chat. Missing in organizations of earlier demo versions. */
  systemIds?: string[];
}
export interface Person {
  name: string;
  email: string;
  password: string;
}

interface Environment {
  baseUrl: string;
  /** Printed by the server at its first start; undefined at later ones. */
  setUpLink?: string;
  workplaceUrl: string;
  documents: string;
  stateFile: string;
  codingAssistant?: CodingAssistant;
  systems?: readonly System[];
  /** Runs as the operator: confirms that Grace is not a second account of Ada. */
  vouch: (organization: string, email: string) => Promise<void>;
  say: Say;
}

const slug = 'larkmoor-robotics';
export const accounts = [
  { name: 'Ada Okafor', email: 'ada@larkmoor.example' },
  { name: 'Grace Lindqvist', email: 'grace@larkmoor.example' },
];
const password = () => randomBytes(18).toString('base64url');

/** Sets up the demo's organization as two people would by hand: through the pages and the administration API only. */
export async function organization(around: Environment): Promise<Organization> {
  const { stateFile, baseUrl, setUpLink, workplaceUrl, vouch, say } = around;
  if (!setUpLink) return resumed(around);

  const [requester, approver] = accounts.map((member) => ({ ...member, password: password() }));

  const ada = new Browser(baseUrl);
  const setUp = await ada.open(setUpLink);
  const created = await ada.submit(setUp, { organization: 'Larkmoor Robotics', slug, ...requester });
  if (created.status !== 200) throw new Error(`the organization was not created: ${created.text}`);
  say(heading('Organization'));
  say(row('Created', `Larkmoor Robotics, by ${requester.name}`));

  const { inviteMember } = await ada.graphql<{ inviteMember: { url: string } }>(
    'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { url } }',
    { input: { email: approver.email, name: approver.name, roles: ['admin', 'member'] } },
  );
  const grace = new Browser(baseUrl);
  await grace.submit(await grace.open(inviteMember.url), { name: approver.name, password: approver.password });
  await vouch(slug, approver.email);
  say(
    row('Approver', `${approver.name}, invited by Ada; the operator vouched for her, so she can review Ada's requests`),
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
  for (const connectionId of [handbook, workplace]) await waitUntilSynced(ada, connectionId, say);

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
  say(row('Configuration', 'Support desk, for the group Support'));
  say(row('Policy', 'reads allowed, writes need one approval, destructive calls denied'));

  const { codingAssistant, systems } = around;
  if (codingAssistant) await connectVendor(ada, codingAssistant, say);
  const estateKey = codingAssistant && (await uploadEstate(ada, baseUrl, say));
  // once the clock of the server is right again
  const systemIds = systems && (await connectSystems(ada, systems, say));
  if (systemIds) {
    await ada.graphql('mutation ($input: UpdateConfigurationInput!) { updateConfiguration(input: $input) { id } }', {
      input: { configurationId: createConfiguration.id, connectionIds: [handbook, workplace, ...systemIds] },
    });
  }

  const { id: configurationId, a2aUrl } = createConfiguration;
  const productClientId = createOauthClient.client.id;
  const access = { key: createA2aKey.key, productClientId, assistantClientId: registerAssistant.id };
  const made = {
    baseUrl,
    slug,
    requester,
    approver,
    configurationId,
    a2aUrl,
    ...access,
    estateKey,
    systemIds,
  };
  writeFileSync(stateFile, JSON.stringify(made, null, 2), { mode: 0o600 });
  return made;
}

function resumed({ stateFile, baseUrl, say }: Environment): Organization {
  if (!existsSync(stateFile)) {
    throw new Error(
      process.env.DATABASE_URL
        ? 'The database of DATABASE_URL contains an organization that this folder does not know. Use an empty database.'
        : `${path.dirname(stateFile)} contains an organization that the demo did not create. Set DATA_DIR to another folder, or delete this one.`,
    );
  }
  const stored = JSON.parse(readFileSync(stateFile, 'utf8')) as Organization;
  say(heading('Organization'));
  say(row('Resumed', 'Larkmoor Robotics, from an earlier start'));
  return { ...stored, baseUrl, a2aUrl: `${baseUrl}/agents/${stored.configurationId}` };
}

interface Tool {
  id: string;
  name: string;
  effect: string;
  definitionHash: string;
  annotations: { readOnlyHint?: boolean } | null;
  operation: string;
}

/** Confirms tools as read-only, as an administrator does after reading the definitions: the server's own hint is not enough. */
async function confirmReads(ada: Browser, id: string, say: Say): Promise<void> {
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
  say(row('Tools', `Workplace: ${tools.length} tools, ${reads.length} confirmed as read-only`));
}
