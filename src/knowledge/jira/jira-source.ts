import type {
  ConnectionContext,
  Connector,
  ConnectorField,
  ConnectorWebhook,
  Verification,
} from '../../connections/connector-registry.service.js';
import type { SourceContainer } from '../../connections/knowledge-source.port.js';
import { invalidContainers, missingContainers } from '../atlassian/chosen-containers.js';
import { executeJiraTool, jiraTools } from './jira-actions.js';
import type { ConnectJira } from './jira-client.js';
import { jiraChanges, jiraDocuments } from './jira-documents.js';
import { projectKind } from './jira-projects.js';
import { jiraRoster } from './jira-roster.js';
import { readJiraWebhook } from './jira-webhook.js';

export const projectsField: ConnectorField = {
  name: 'containers',
  label: 'Projects',
  type: 'containers',
  required: false,
  help: 'Leave empty for all projects that the account can browse.',
};

export const webhookSecretField: ConnectorField = {
  name: 'webhookSecret',
  label: 'Webhook secret',
  type: 'secret',
  required: false,
  help: 'A long random text. Enter the same text in Jira as secret of the webhook. Without it, webhooks are rejected.',
};

export const jiraWebhook = (menu: string): ConnectorWebhook => ({
  setUp: `In Jira, under ${menu}, System, WebHooks, choose the events created, updated and deleted of Issue, Comment, Project and User.`,
  secretField: webhookSecretField.name,
});

/** What the connectors of Jira Cloud and Jira Data Center have in common. */
export const jiraSource = (connect: ConnectJira) =>
  ({
    offers: ['knowledge', 'tools'],
    pullCadence: '10m',
    rosterCadence: '15m',
    check: (settings) => invalidContainers(settings, projectKind),
    verify: (context) => verify(context, connect),
    documents: (context) => jiraDocuments(context, connect),
    changes: (context) => jiraChanges(context, connect),
    roster: (context) => jiraRoster(context, connect),
    containers: (context) => containers(context, connect),
    receive: (context, delivery) => Promise.resolve(readJiraWebhook(context, delivery)),
    tools: () => Promise.resolve(jiraTools),
    execute: (context, call) => executeJiraTool(context, call, connect),
  }) satisfies Partial<Connector>;

async function verify(context: ConnectionContext, connect: ConnectJira): Promise<Verification> {
  const jira = connect(context, { isInteractive: true });
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
      reason: `The account cannot read permission schemes, so no one can find the issues of most projects. Give it the global permission “${jira.permissionNames.administer}”.`,
    };
  if (!permissions.has('USER_PICKER'))
    return {
      status: 'limited',
      reason: `The account cannot read people and groups, so no one can find the issues. Give it the global permission “${jira.permissionNames.browseUsers}”.`,
    };
  return { status: 'connected' };
}

async function containers(context: ConnectionContext, connect: ConnectJira): Promise<SourceContainer[]> {
  const projects = await connect(context, { isInteractive: true }).projects();
  return projects.map(({ id, key, name, style }) => ({
    id,
    title: `${name} (${key})`,
    ...(style === 'next-gen' && { note: 'team-managed' }),
  }));
}
