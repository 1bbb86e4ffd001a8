import type { Connector } from '../../connections/connector-registry.service.js';
import { siteFields } from '../atlassian/atlassian-site.js';
import { ConfluenceCloudClient } from './confluence-cloud-client.js';
import { confluenceSource, spacesField } from './confluence-source.js';

/** Reads pages and blog posts of Confluence Cloud with their permissions. */
export const confluenceConnector: Connector = {
  ...confluenceSource((context, options) => new ConfluenceCloudClient(context, options)),
  id: 'confluence',
  title: 'Confluence Cloud',
  about: 'Pages, blog posts and their comments. Search results respect the permissions in Confluence.',
  setUp:
    'Create an account for this integration and an API token for it. The account needs permission to view each space, and ' +
    'every view restriction must include it: pages that the account cannot see are not read. An API token with scopes needs ' +
    'read:confluence-content.all, read:confluence-content.permission, read:confluence-space.summary, ' +
    'read:confluence-user, read:confluence-groups and search:confluence; for drafts also write:confluence-content.',
  fields: [...siteFields('confluence'), spacesField],
};
