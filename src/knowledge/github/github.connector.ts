import type { Connector } from '../../connections/connector-registry.service.js';
import type { GitStorage } from '../git/repository-pass.js';
import { GithubApi } from './github-api.js';
import { githubChanges } from './github-changes.js';
import { githubDocuments } from './github-documents.js';
import { githubContainers } from './github-repositories.js';
import { githubRoster } from './github-roster.js';
import { executeGithub, githubTools } from './github-tools.js';
import { verifyGithub } from './github-verification.js';
import { receiveGithub } from './github-webhooks.js';

/** Issues, pull requests, discussions, code and wikis of GitHub, with the permissions of its repositories. */
export const githubConnector = (storage: GitStorage): Connector => ({
  id: 'github',
  title: 'GitHub',
  about: 'Issues, pull requests, discussions, code and wikis. Search results respect the permissions in GitHub.',
  setUp:
    'Recommended: a GitHub App of your organization (Settings, Developer settings, GitHub Apps, New GitHub App). ' +
    'Repository permissions, read-only: Metadata, Contents, Issues, Pull requests, Discussions, Administration (to list the readers of a repository). ' +
    'Organization permission, read-only: Members (verified e-mail addresses, internal repositories). Install it and generate a private key. ' +
    'Or a fine-grained personal access token (Settings, Developer settings, Personal access tokens) with the same permissions; ' +
    'its owner needs write access to private repositories to list their readers. ' +
    'Issues: write is needed only for the tools that create, comment, close and reopen.',
  fields: [
    {
      name: 'access',
      label: 'Credential',
      type: 'choice',
      required: true,
      options: ['app', 'token'],
      optionLabels: ['GitHub App', 'Personal access token'],
      help: 'An app does not depend on a person and has its own rate limit.',
    },
    {
      name: 'url',
      label: 'Server',
      type: 'url',
      required: false,
      help: 'Only for GitHub Enterprise Server or ghe.com, for example https://github.example.com.',
    },
    {
      name: 'token',
      label: 'Personal access token',
      type: 'secret',
      required: false,
      help: 'Begins with github_pat_.',
    },
    {
      name: 'appId',
      label: 'App ID',
      type: 'text',
      required: false,
      isTarget: true,
      help: 'On the page of the app, under About.',
    },
    {
      name: 'privateKey',
      label: 'Private key of the app',
      type: 'secret',
      required: false,
      help: 'The content of the .pem file. Line breaks may be missing.',
    },
    {
      name: 'installationId',
      label: 'Installation ID',
      type: 'text',
      required: false,
      isTarget: true,
      help: 'Only if the app has several installations. It is the number at the end of the URL of the installation.',
    },
    {
      name: 'content',
      label: 'Content',
      type: 'choice',
      required: false,
      options: ['everything', 'threads', 'code'],
      optionLabels: [
        'Everything',
        'Issues, pull requests and discussions',
        'Code, documents and wikis of repositories',
      ],
      help: 'Default: everything.',
    },
    {
      name: 'containers',
      label: 'Repositories',
      type: 'containers',
      required: false,
      help: 'Leave empty for all repositories that the credential can read.',
    },
    {
      name: 'enterprise',
      label: 'Enterprise',
      type: 'text',
      required: false,
      help: 'URL slug of the enterprise, to let all its members find internal repositories. Requires a token of an enterprise owner. Default: members of the organization.',
    },
    {
      name: 'webhookSecret',
      label: 'Webhook secret',
      type: 'secret',
      required: false,
      help: 'A long random text. Enter the same text in GitHub. Without it, webhooks are rejected.',
    },
  ],
  offers: ['knowledge', 'tools'],
  pullCadence: '15m',
  rosterCadence: '15m',
  check: ({ access, appId, installationId, containers }) => [
    ...(access === 'app' && !appId
      ? [{ pointer: '/settings/appId', detail: 'App ID is required for a GitHub App' }]
      : []),
    ...(installationId && !/^\d{1,15}$/.test(String(installationId))
      ? [{ pointer: '/settings/installationId', detail: 'must be a number' }]
      : []),
    ...(Array.isArray(containers) && !containers.every((id) => /^[1-9]\d{0,14}$/.test(String(id)))
      ? [{ pointer: '/settings/containers', detail: 'must be ids of repositories' }]
      : []),
  ],
  verify: verifyGithub,
  documents: (context) => githubDocuments(context, storage),
  changes: (context) => githubChanges(context, storage),
  roster: githubRoster,
  containers: (context) =>
    githubContainers(new GithubApi(context, { isInteractive: true }), context.settings.access === 'app'),
  receive: receiveGithub,
  webhook: {
    setUp:
      'In the GitHub App, under Webhook (with a token: in the settings of the organization, Webhooks), choose the content type application/json and the events ' +
      'Issues, Issue comment, Pull request, Pull request review, Pull request review comment, Discussion, Discussion comment, Push, Gollum (wiki pages), ' +
      'Repository, Member, Membership, Team, Team add, Organization and Public.',
    secretField: 'webhookSecret',
  },
  tools: async () => githubTools,
  execute: executeGithub,
});
