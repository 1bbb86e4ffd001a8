import { z } from 'zod';
import type { ConnectionContext, Verification } from '../../connections/connector-registry.service.js';
import { selectedIds } from '../source-kit/selected-containers.js';
import { GithubApi } from './github-api.js';
import {
  findGithubRepository,
  githubVisibility,
  listGithubRepositories,
  type GithubRepositoryInfo,
} from './github-repositories.js';

/** The permissions of an app, with the names that GitHub shows. */
const appRights = {
  metadata: 'Metadata',
  contents: 'Contents',
  issues: 'Issues',
  pull_requests: 'Pull requests',
  discussions: 'Discussions',
  administration: 'Administration',
  members: 'Members (organization)',
};
/** Verification must finish within 20 s. */
const maxChecked = 20;

export async function verifyGithub(context: ConnectionContext): Promise<Verification> {
  const { settings } = context;
  const api = new GithubApi(context, { isInteractive: true });
  const isApp = settings.access === 'app';
  const problems = isApp ? await appProblems(api) : await tokenProblems(api);
  const ids = selectedIds(settings);
  const missing: number[] = [];
  const repositories: GithubRepositoryInfo[] = [];
  if (ids)
    for (const id of ids.slice(0, maxChecked)) {
      const found = await findGithubRepository(api, id);
      if (found) repositories.push(found);
      else missing.push(id);
    }
  else repositories.push(...(await listGithubRepositories(api, isApp)));
  if (missing.length)
    return {
      status: 'failed',
      reason: `The credential cannot read the repositories with the ids ${missing.join(', ')}, or they were deleted.`,
    };
  if (!repositories.length)
    return {
      status: 'failed',
      reason:
        'The credential cannot read any repository. Grant it access; a fine-grained token may be waiting for approval by the organization.',
    };
  const closed = isApp
    ? []
    : repositories.filter((one) => githubVisibility(one) === 'private' && !one.permissions?.push);
  if (closed.length) {
    const names = closed.slice(0, 5).map(({ full_name }) => full_name);
    problems.push(
      `To list the readers of a private repository, the credential needs write access to it. Until then, no one can find its documents: ${names.join(', ')}${closed.length > 5 ? ' and more' : ''}.`,
    );
  }
  return problems.length ? { status: 'limited', reason: problems.join(' ') } : { status: 'connected' };
}

async function appProblems(api: GithubApi): Promise<string[]> {
  const { permissions = {} } = (await api.installationToken()) ?? {};
  const lacking = Object.entries(appRights).flatMap(([name, label]) => (permissions[name] ? [] : [label]));
  return lacking.length ? [`The GitHub App lacks permissions: ${lacking.join(', ')}.`] : [];
}

async function tokenProblems(api: GithubApi): Promise<string[]> {
  await api.rest.get('/user', z.object({ id: z.number() }));
  const schema = z.array(z.unknown());
  const { headers } = await api.rest.request({ path: '/user/repos', query: { per_page: 1 }, schema });
  return headers.get('x-github-sso')?.startsWith('partial-results')
    ? [
        'The token is not authorized for the single sign-on of an organization. Open it in GitHub and choose "Configure SSO".',
      ]
    : [];
}
