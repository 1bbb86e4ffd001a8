import type { ConnectionContext, Connector, Verification } from '../../connections/connector-registry.service.js';
import type { SourceContainer } from '../../connections/knowledge-source.port.js';
import { siteFields } from '../atlassian/atlassian-site.js';
import { invalidContainers, missingContainers } from '../atlassian/chosen-containers.js';
import { executeJiraTool, jiraTools } from './jira-actions.js';
import { JiraClient } from './jira-client.js';
import { jiraChanges, jiraDocuments } from './jira-documents.js';
import { projectKind } from './jira-projects.js';
import { jiraRoster } from './jira-roster.js';
import { readJiraWebhook } from './jira-webhook.js';

/** Reads issues of Jira Cloud with their permissions. */
export const jiraConnector: Connector = {
  id: 'jira',
  title: 'Jira Cloud',
  about: 'Issues with their comments. Search results respect the permissions in Jira.',
  setUp:
    'Create an account for this integration and an API token for it. The account needs Browse Projects and membership in ' +
    'the security levels to read issues, Browse users and groups to read group members, and Administer Jira to read ' +
    'permission schemes and security levels. Without the last two, issues are read but no one can find them. An API token ' +
    'with scopes needs read:jira-work, read:jira-user and manage:jira-configuration; for actions also write:jira-work.',
  fields: [
    ...siteFields('jira'),
    {
      name: 'containers',
      label: 'Projects',
      type: 'containers',
      required: false,
      help: 'Leave empty for all projects that the account can browse.',
    },
    {
      name: 'webhookSecret',
      label: 'Webhook secret',
      type: 'secret',
      required: false,
      help: 'The secret of a webhook in Jira settings, System, WebHooks. With a webhook, changes arrive within seconds.',
    },
  ],
  offers: ['knowledge', 'tools'],
  pullCadence: '10m',
  rosterCadence: '15m',
  check: (settings) => invalidContainers(settings, projectKind),
  verify,
  documents: jiraDocuments,
  changes: jiraChanges,
  roster: jiraRoster,
  containers,
  receive: (context, delivery) => Promise.resolve(readJiraWebhook(context, delivery)),
  tools: () => Promise.resolve(jiraTools),
  execute: executeJiraTool,
};

async function verify(context: ConnectionContext): Promise<Verification> {
  const jira = new JiraClient(context, { isInteractive: true });
  await jira.account();
  const projects = await jira.projects();
  if (!projects.length) return { status: 'limited', reason: projectKind.noneVisible };
  const missing = missingContainers(projects, context.settings);
  if (missing.length)
    return {
      status: 'limited',
      reason: `The account cannot browse the chosen projects ${missing.slice(0, 10).join(', ')}.`,
    };
  const permissions = await jira.permissions('ADMINISTER', 'USER_PICKER');
  if (!permissions.has('ADMINISTER'))
    return {
      status: 'limited',
      reason:
        'The account cannot read permission schemes, so no one can find the issues of most projects. Give it the global permission “Administer Jira”.',
    };
  if (!permissions.has('USER_PICKER'))
    return {
      status: 'limited',
      reason:
        'The account cannot read groups, so no one can find the issues. Give it the global permission “Browse users and groups”.',
    };
  return { status: 'connected' };
}

async function containers(context: ConnectionContext): Promise<SourceContainer[]> {
  const projects = await new JiraClient(context, { isInteractive: true }).projects();
  return projects.map(({ id, key, name, style }) => ({
    id,
    title: `${name} (${key})`,
    ...(style === 'next-gen' && { note: 'team-managed' }),
  }));
}
