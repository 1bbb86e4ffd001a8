import { SourcePaused } from '../../connections/connections.error.js';
import type { Connector, ConnectionContext, Verification } from '../../connections/connector-registry.service.js';
import type { SourceContainer } from '../../connections/knowledge-source.port.js';
import { defaultLinearAddress, LinearApi, type LinearApiOptions } from './linear-api.js';
import { linearChanges, linearDocuments } from './linear-documents.js';
import { linearRoster } from './linear-roster.js';
import { openLinearWorkspace } from './linear-teams.js';
import { executeLinearTool, linearTools } from './linear-tools.js';
import { receiveLinearWebhook } from './linear-webhook.js';
import type { LinearTeam } from './linear-wire.js';

export interface LinearTimeouts {
  maxWaitMs: number;
  /** The maximum wait at a rate limit while a person waits for the result. */
  quickWaitMs: number;
  retryDelayMs: number;
}

const defaultLinearTimeouts: LinearTimeouts = { maxWaitMs: 60_000, quickWaitMs: 3000, retryDelayMs: 500 };

/** Issues, projects and documents of chosen teams. */
export function linearConnector(timeouts: Partial<LinearTimeouts> = {}): Connector {
  const { maxWaitMs, quickWaitMs, retryDelayMs } = { ...defaultLinearTimeouts, ...timeouts };
  const forSync: LinearApiOptions = { maxWaitMs, retryDelayMs };
  const forPerson: LinearApiOptions = { maxWaitMs: quickWaitMs, retryDelayMs, share: 1 };
  return {
    id: 'linear',
    title: 'Linear',
    about:
      'Issues with comments, projects and documents of chosen teams. Search results respect the permissions in Linear.',
    setUp:
      'Create a personal API key in Linear under Settings, "Security & access", with the permission Read; add "Create issues" and ' +
      '"Create comments", or Write, only if agents should act. The key reads what its owner reads, so use the account of an administrator or of ' +
      'a service user that is a member of each private team to read.',
    fields: [
      {
        name: 'url',
        label: 'API address',
        type: 'url',
        required: false,
        help: `Leave empty for ${defaultLinearAddress}.`,
      },
      {
        name: 'apiKey',
        label: 'API key',
        type: 'secret',
        required: true,
        help: 'Starts with lin_api_.',
      },
      {
        name: 'webhookSecret',
        label: 'Signing secret',
        type: 'secret',
        required: false,
        help: 'Linear shows it for the webhook; starts with lin_wh_. Without it, webhooks are rejected.',
      },
      {
        name: 'containers',
        label: 'Teams',
        type: 'containers',
        required: false,
        help: 'Leave empty for all teams that the owner of the key can see.',
      },
    ],
    offers: ['knowledge', 'tools'],
    pullCadence: '15m',
    rosterCadence: '15m',
    verify: (context) => verifyLinear(context, forPerson),
    documents: (context) => linearDocuments(context, { ...forSync, quota: (status) => context.quota(status) }),
    changes: (context) => linearChanges(context, { ...forSync, quota: (status) => context.quota(status) }),
    roster: (context) => linearRoster(context, forSync),
    containers: (context) => linearContainers(context, forPerson),
    receive: (context, delivery) => Promise.resolve(receiveLinearWebhook(context, delivery)),
    webhook: {
      setUp:
        'In Linear, an administrator opens Settings, API, Webhooks, New webhook, and chooses Issues, Comments, Projects, Project updates, Documents and Users.',
      secretField: 'webhookSecret',
    },
    tools: () => Promise.resolve(linearTools),
    execute: (context, call) => executeLinearTool(context, call, forPerson),
  };
}

async function verifyLinear(context: ConnectionContext, options: LinearApiOptions): Promise<Verification> {
  const api = new LinearApi(context, options);
  try {
    const identity = await api.identity();
    if (identity.viewer.guest)
      return {
        status: 'failed',
        reason:
          'The key belongs to a guest, who sees neither all people nor all teams. Create it with the account of a member.',
      };
    const { lost, selected } = await openLinearWorkspace(api, context.settings, identity);
    if (lost.length)
      return {
        status: 'limited',
        reason: `The owner of the key cannot see the teams ${lost.join(', ')}. Add the owner to them, or remove them from the selection.`,
      };
    if (!selected.size) return { status: 'limited', reason: 'The owner of the key cannot see any team.' };
    return { status: 'connected' };
  } catch (error) {
    if (!(error instanceof SourcePaused)) throw error;
    return { status: 'limited', reason: `Linear’s rate limit is exhausted until ${error.until.toISOString()}.` };
  }
}

async function linearContainers(context: ConnectionContext, options: LinearApiOptions): Promise<SourceContainer[]> {
  const api = new LinearApi(context, options);
  const { teams } = await openLinearWorkspace(api, {});
  const noteOf = ({ visibility }: LinearTeam) => (visibility === 'public' ? undefined : visibility);
  return [...teams.values()]
    .map((team) => ({ id: team.id, title: `${team.name} (${team.key})`, note: noteOf(team) }))
    .sort((a, b) => a.title.localeCompare(b.title));
}
