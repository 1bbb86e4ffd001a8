import { z } from 'zod';
import type { ConnectionContext, Verification } from '../../connections/connector-registry.service.js';
import { GithubApi } from './github-api.js';
import {
  chosenGithubIds,
  findGithubRepository,
  githubVisibility,
  listGithubRepositories,
  type GithubRepositoryInfo,
} from './github-repositories.js';

/** The rights of an app, as GitHub names them. */
const appRights = {
  metadata: 'Metadata',
  contents: 'Contents',
  issues: 'Issues',
  pull_requests: 'Pull requests',
  discussions: 'Discussions',
  administration: 'Administration',
  members: 'Members (organization)',
};
/** Verification has 20 s. */
const maxChecked = 20;

export async function verifyGithub(context: ConnectionContext): Promise<Verification> {
  const { settings } = context;
  const api = new GithubApi(context, { isInteractive: true });
  const isApp = settings.access === 'app';
  const problems = isApp ? await appProblems(api) : await tokenProblems(api);
  const ids = chosenGithubIds(settings);
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
      reason: `GitHub does not show the repositories with the ids ${missing.join(', ')} to this credential.`,
    };
  if (!repositories.length)
    return {
      status: 'failed',
      reason:
        'The credential can read no repository. Grant it repositories; a fine-grained token may await approval by the organization.',
    };
  const closed = isApp
    ? []
    : repositories.filter((one) => githubVisibility(one) === 'private' && !one.permissions?.push);
  if (closed.length) {
    const names = closed.slice(0, 5).map(({ full_name }) => full_name);
    problems.push(
      `GitHub tells who may read a private repository only to people who can write to it. Nobody will find: ${names.join(', ')}${closed.length > 5 ? ' and more' : ''}.`,
    );
  }
  return problems.length ? { status: 'limited', reason: problems.join(' ') } : { status: 'connected' };
}

async function appProblems(api: GithubApi): Promise<string[]> {
  const { permissions = {} } = (await api.installationToken()) ?? {};
  const lacking = Object.entries(appRights).flatMap(([name, label]) => (permissions[name] ? [] : [label]));
  return lacking.length ? [`The GitHub App lacks rights to read: ${lacking.join(', ')}.`] : [];
}

async function tokenProblems(api: GithubApi): Promise<string[]> {
  await api.rest.get('/user', z.object({ id: z.number() }));
  const schema = z.array(z.unknown());
  const { headers } = await api.rest.request({ path: '/user/repos', query: { per_page: 1 }, schema });
  return headers.get('x-github-sso')?.startsWith('partial-results')
    ? [
        'The token is not authorized for the single sign-on of an organization: open it in GitHub and choose "Configure SSO".',
      ]
    : [];
}
