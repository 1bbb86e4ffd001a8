import type { Connector } from '../../connections/connector-registry.service.js';
import { GitlabApi } from './gitlab-api.js';
import { gitlabChanges } from './gitlab-changes.js';
import { gitlabDocuments } from './gitlab-documents.js';
import { gitlabContainers } from './gitlab-projects.js';
import { gitlabRoster } from './gitlab-roster.js';
import { executeGitlab, gitlabTools } from './gitlab-tools.js';
import { verifyGitlab } from './gitlab-verification.js';
import { receiveGitlab } from './gitlab-webhooks.js';

/** Issues, merge requests, code and wikis of GitLab, with the permissions of its projects. */
export const gitlabConnector: Connector = {
  id: 'gitlab',
  title: 'GitLab',
  about: 'Issues, merge requests, code and wikis. Search results respect the permissions in GitLab.',
  setUp:
    'Recommended: an access token of a group or project (in the group or project: Settings, Access tokens) with the role Reporter and the scope read_api. ' +
    'Reporter is needed to read code, merge requests and confidential issues, and to list members. ' +
    'Or a personal access token (Preferences, Access tokens) of an account with this role. ' +
    'The scope api is needed only for the tools that create, comment, close and reopen. ' +
    'On a self-managed server, the token of an administrator (with the scope admin_mode, if Admin Mode is enabled) also matches people by confirmed address, and opens internal projects to all users.',
  fields: [
    {
      name: 'url',
      label: 'Server',
      type: 'url',
      required: false,
      help: 'Only for a self-managed server, for example https://gitlab.example.com. Default: https://gitlab.com.',
    },
    { name: 'token', label: 'Access token', type: 'secret', required: true, help: 'Begins with glpat-.' },
    {
      name: 'content',
      label: 'Content',
      type: 'choice',
      required: false,
      options: ['everything', 'threads', 'code'],
      optionLabels: ['Everything', 'Issues and merge requests', 'Code, documents and wikis of projects'],
      help: 'Default: everything.',
    },
    {
      name: 'containers',
      label: 'Projects',
      type: 'containers',
      required: false,
      help: 'Leave empty for all projects in which the token has a role.',
    },
    {
      name: 'webhookSecret',
      label: 'Webhook secret',
      type: 'secret',
      required: false,
      help: 'The signing token of the webhook in GitLab (begins with whsec_), or a long random text that you also enter there as secret token. Without it, webhooks are rejected.',
    },
  ],
  offers: ['knowledge', 'tools'],
  pullCadence: '15m',
  rosterCadence: '15m',
  check: ({ containers }) =>
    Array.isArray(containers) && !containers.every((id) => /^[1-9]\d{0,14}$/.test(String(id)))
      ? [{ pointer: '/settings/containers', detail: 'must be ids of projects' }]
      : [],
  verify: verifyGitlab,
  documents: gitlabDocuments,
  changes: gitlabChanges,
  roster: gitlabRoster,
  containers: (context) => gitlabContainers(new GitlabApi(context, { isInteractive: true })),
  receive: async (context, delivery) => receiveGitlab(context, delivery),
  webhook: {
    setUp:
      'In the group or project in GitLab, under Settings, Webhooks, choose the events Push, Comments, Confidential comments, Issues, Confidential issues, ' +
      'Merge request and Wiki page, and for a group also Member and Subgroup.',
    secretField: 'webhookSecret',
  },
  tools: async () => gitlabTools,
  execute: executeGitlab,
};
