import type { Connector } from '../../connections/connector-registry.service.js';
import { dataCenterFields } from '../atlassian/data-center-site.js';
import { ConfluenceDataCenterClient } from './confluence-data-center-client.js';
import { confluenceSource, spacesField } from './confluence-source.js';
import { readConfluenceWebhook } from './confluence-webhook.js';

/** Reads pages and blog posts of Confluence Data Center with their permissions. */
export const confluenceDataCenterConnector: Connector = {
  ...confluenceSource((context, options) => new ConfluenceDataCenterClient(context, options)),
  id: 'confluence-data-center',
  title: 'Confluence Data Center',
  about:
    'Pages, blog posts and their comments, from your own Confluence. Search results respect the permissions in Confluence.',
  setUp:
    'Create an account for this integration and a personal access token for it (Confluence 7.18 or later). The account ' +
    'needs permission to view each space, and every view restriction must include it: pages that the account cannot see ' +
    'are not read. It also needs the global permission Confluence Administrator to read permissions and members of groups. ' +
    'Without it, pages are read but no one can find them.',
  receive: (context, delivery) => Promise.resolve(readConfluenceWebhook(context, delivery)),
  webhook: {
    setUp:
      'In Confluence, under General configuration, Webhooks, choose the events of pages, blog posts, comments, spaces, users and groups, with “permissions updated”.',
    secretField: 'webhookSecret',
  },
  fields: [
    ...dataCenterFields('https://wiki.acme.example', 'Settings'),
    spacesField,
    {
      name: 'groupsWithAccess',
      label: 'Groups that can use Confluence',
      type: 'list',
      required: false,
      help: 'Only before Confluence 9.1, which does not return them: the groups with the global permission “Can use”. Without them, no one can find the pages.',
    },
    {
      name: 'webhookSecret',
      label: 'Webhook secret',
      type: 'secret',
      required: false,
      help: 'A long random text. Enter the same text in Confluence as secret of the webhook. Without it, webhooks are rejected.',
    },
  ],
};
