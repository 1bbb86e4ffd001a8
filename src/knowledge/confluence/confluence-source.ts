import type {
  ConnectionContext,
  Connector,
  ConnectorField,
  Verification,
} from '../../connections/connector-registry.service.js';
import type { SourceContainer } from '../../connections/knowledge-source.port.js';
import { chosenContainers, invalidContainers, missingContainers } from '../atlassian/chosen-containers.js';
import { confluenceTools, executeConfluenceTool } from './confluence-actions.js';
import type { ConnectConfluence } from './confluence-client.js';
import { confluenceDocuments } from './confluence-documents.js';
import { confluenceRoster } from './confluence-roster.js';
import { spaceKind, visibleSpaces } from './confluence-spaces.js';

export const spacesField: ConnectorField = {
  name: 'containers',
  label: 'Spaces',
  type: 'containers',
  required: false,
  help: 'Leave empty for all spaces that the account can view.',
};

/** What the connectors of Confluence Cloud and Confluence Data Center have in common. */
export const confluenceSource = (connect: ConnectConfluence) =>
  ({
    offers: ['knowledge', 'tools'],
    pullCadence: '15m',
    rosterCadence: '15m',
    check: (settings) => invalidContainers(settings, spaceKind),
    verify: (context) => verify(context, connect),
    documents: (context) => confluenceDocuments(context, connect),
    roster: (context) => confluenceRoster(context, connect),
    containers: (context) => containers(context, connect),
    tools: () => Promise.resolve(confluenceTools),
    execute: (context, call) => executeConfluenceTool(context, call, connect),
  }) satisfies Partial<Connector>;

async function verify(context: ConnectionContext, connect: ConnectConfluence): Promise<Verification> {
  const confluence = connect(context, { isInteractive: true });
  await confluence.assertSignedIn();
  const spaces = await visibleSpaces(confluence);
  if (!spaces.length) return { status: 'limited', reason: spaceKind.noneVisible };
  const missing = missingContainers(spaces, context.settings);
  if (missing.length)
    return {
      status: 'limited',
      reason: `The account cannot view the chosen spaces ${missing.slice(0, 10).join(', ')}.`,
    };
  const chosen = chosenContainers(context.settings);
  const [space] = spaces.filter(({ id }) => !chosen || chosen.has(id));
  const reason = await confluence.permissionsProblem(space);
  return reason === null ? { status: 'connected' } : { status: 'limited', reason };
}

async function containers(context: ConnectionContext, connect: ConnectConfluence): Promise<SourceContainer[]> {
  const spaces = await visibleSpaces(connect(context, { isInteractive: true }));
  return spaces.map(({ id, key, name, type }) => ({
    id,
    title: `${name || key} (${key})`,
    ...(type === 'personal' && { note: 'personal' }),
  }));
}
