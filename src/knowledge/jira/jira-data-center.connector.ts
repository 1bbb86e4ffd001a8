import type { Connector } from '../../connections/connector-registry.service.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { dataCenterFields } from '../atlassian/data-center-site.js';
import { JiraDataCenterClient } from './jira-data-center-client.js';
import { jiraSource, jiraWebhook, projectsField, webhookSecretField } from './jira-source.js';
import { readJiraWebhook } from './jira-webhook.js';

/** Reads issues of Jira Data Center with their permissions. */
export const jiraDataCenterConnector: Connector = {
  ...jiraSource((context, options) => new JiraDataCenterClient(context, options)),
  id: 'jira-data-center',
  title: 'Jira Data Center',
  about: 'Issues with their comments, from your own Jira. Search results respect the permissions in Jira.',
  setUp:
    'Create an account for this integration and a personal access token for it (Jira 8.14 or later). The account needs ' +
    'Browse Projects to read issues, and the global permission Jira Administrators to read permission schemes, application ' +
    'access and members of groups. Without it, issues are read but no one can find them. Jira Data Center does not return ' +
    'the members of issue security levels, so no one can find issues with a security level. Addresses of people must be ' +
    'visible: Jira administration, System, General configuration, User email visibility.',
  // deliveries of Jira Data Center have no documented identifier, and repetitions have the same body
  receive: (context, delivery) =>
    Promise.resolve(readJiraWebhook(context, delivery, sha256(delivery.body).toString('hex'))),
  webhook: jiraWebhook('Administration'),
  fields: [...dataCenterFields('https://jira.acme.example', 'Profile'), projectsField, webhookSecretField],
};
