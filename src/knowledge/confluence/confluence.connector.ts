import type { ConnectionContext, Connector, Verification } from '../../connections/connector-registry.service.js';
import type { SourceContainer } from '../../connections/knowledge-source.port.js';
import { chosenContainers, invalidContainers, siteFields } from '../atlassian/atlassian-site.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { confluenceTools, executeConfluenceTool } from './confluence-actions.js';
import { ConfluenceClient } from './confluence-client.js';
import { confluenceDocuments } from './confluence-documents.js';
import { confluenceRoster } from './confluence-roster.js';
import { visibleSpaces } from './confluence-spaces.js';

/** Pages and blog posts of Confluence Cloud with the permissions that they have there. */
export const confluenceConnector: Connector = {
  id: 'confluence',
  title: 'Confluence Cloud',
  about: 'Pages, blog posts and their comments, for those who can read them in Confluence.',
  setUp:
    'Create an account for this integration and an API token for it. The account needs permission to view each space, and ' +
    'every restricted page has to name it: what the account cannot see is not read. An API token with scopes needs ' +
    'read:confluence-content.all, read:confluence-content.permission, read:confluence-space.summary, ' +
    'read:confluence-user, read:confluence-groups and search:confluence; for its drafts also write:confluence-content.',
  fields: [
    ...siteFields('confluence'),
    {
      name: 'containers',
      label: 'Spaces',
      type: 'containers',
      required: false,
      help: 'Choose none for all spaces that the account can view.',
    },
  ],
  offers: ['knowledge', 'tools'],
  pullCadence: '15m',
  rosterCadence: '15m',
  check: (settings) => invalidContainers(settings, 'spaces'),
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
  if (!spaces.length)
    return { status: 'limited', reason: 'The account sees no space. Give it the permission to view one.' };
  const chosen = chosenContainers(context.settings);
  const missing = [...(chosen ?? [])].filter((id) => !spaces.some((space) => space.id === id));
  if (missing.length)
    return {
      status: 'limited',
      reason: `The account cannot view the chosen spaces ${missing.slice(0, 10).join(', ')}.`,
    };
  const [space] = spaces.filter(({ id }) => !chosen || chosen.has(id));
  try {
    await confluence.spacePermissions(space.id).next();
  } catch (error) {
    if (!isSourceFault(error, 'forbidden', 'missing')) throw error;
    const reason = `The account may not read the permissions of the space ${space.key}, so that nobody finds its pages.`;
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
