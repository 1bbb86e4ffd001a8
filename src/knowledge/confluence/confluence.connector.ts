import type { ConnectionContext, Connector, Verification } from '../../connections/connector-registry.service.js';
import type { SourceContainer } from '../../connections/knowledge-source.port.js';
import { siteFields } from '../atlassian/atlassian-site.js';
import { chosenContainers, invalidContainers, missingContainers } from '../atlassian/chosen-containers.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { confluenceTools, executeConfluenceTool } from './confluence-actions.js';
import { ConfluenceClient } from './confluence-client.js';
import { confluenceDocuments } from './confluence-documents.js';
import { confluenceRoster } from './confluence-roster.js';
import { spaceKind, visibleSpaces } from './confluence-spaces.js';

/** Reads pages and blog posts of Confluence Cloud with their permissions. */
export const confluenceConnector: Connector = {
  id: 'confluence',
  title: 'Confluence Cloud',
  about: 'Pages, blog posts and their comments. Search results respect the permissions in Confluence.',
  setUp:
    'Create an account for this integration and an API token for it. The account needs permission to view each space, and ' +
    'every view restriction must include it: pages that the account cannot see are not read. An API token with scopes needs ' +
    'read:confluence-content.all, read:confluence-content.permission, read:confluence-space.summary, ' +
    'read:confluence-user, read:confluence-groups and search:confluence; for drafts also write:confluence-content.',
  fields: [
    ...siteFields('confluence'),
    {
      name: 'containers',
      label: 'Spaces',
      type: 'containers',
      required: false,
      help: 'Leave empty for all spaces that the account can view.',
    },
  ],
  offers: ['knowledge', 'tools'],
  pullCadence: '15m',
  rosterCadence: '15m',
  check: (settings) => invalidContainers(settings, spaceKind),
  verify,
  documents: confluenceDocuments,
  roster: confluenceRoster,
  containers,
  tools: () => Promise.resolve(confluenceTools),
  execute: executeConfluenceTool,
};

async function verify(context: ConnectionContext): Promise<Verification> {
  const confluence = new ConfluenceClient(context, { isInteractive: true });
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
  try {
    await confluence.spacePermissions(space.id).next();
  } catch (error) {
    if (!isSourceFault(error, 'forbidden', 'missing')) throw error;
    const reason = `The account cannot read the permissions of the space ${space.key}, so no one can find its pages.`;
    return { status: 'limited', reason };
  }
  return { status: 'connected' };
}

async function containers(context: ConnectionContext): Promise<SourceContainer[]> {
  const spaces = await visibleSpaces(new ConfluenceClient(context, { isInteractive: true }));
  return spaces.map(({ id, key, name, type }) => ({
    id,
    title: `${name || key} (${key})`,
    ...(type === 'personal' && { note: 'personal' }),
  }));
}
