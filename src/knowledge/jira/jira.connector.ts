import type { Connector } from '../../connections/connector-registry.service.js';
import { siteFields } from '../atlassian/atlassian-site.js';
import { JiraCloudClient } from './jira-cloud-client.js';
import { jiraSource, jiraWebhook, projectsField, webhookSecretField } from './jira-source.js';

/** Reads issues of Jira Cloud with their permissions. */
export const jiraConnector: Connector = {
  ...jiraSource((context, options) => new JiraCloudClient(context, options)),
  id: 'jira',
  title: 'Jira Cloud',
  about: 'Issues with their comments. Search results respect the permissions in Jira.',
  setUp:
    'Create an account for this integration and an API token for it. The account needs Browse Projects and membership in ' +
    'the security levels to read issues, Browse users and groups to read group members, and Administer Jira to read ' +
    'permission schemes and security levels. Without the last two, issues are read but no one can find them. An API token ' +
    'with scopes needs read:jira-work, read:jira-user and manage:jira-configuration; for actions also write:jira-work.',
  fields: [...siteFields('jira'), projectsField, webhookSecretField],
  webhook: jiraWebhook('Settings'),
};
