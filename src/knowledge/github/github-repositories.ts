import { z } from 'zod';
import type { SourceContainer } from '../../connections/knowledge-source.port.js';
import { selectedContainers } from '../source-kit/selected-containers.js';
import { pagesByLink } from '../source-kit/source-pages.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { GithubApi } from './github-api.js';

const githubRepository = z.object({
  id: z.number().int(),
  node_id: z.string(),
  full_name: z.string(),
  private: z.boolean(),
  visibility: z.enum(['public', 'internal', 'private']).optional(),
  archived: z.boolean().catch(false),
  has_discussions: z.boolean().catch(false),
  has_wiki: z.boolean().catch(false),
  default_branch: z.string().catch('main'),
  pushed_at: z.string().nullish(),
  owner: z.object({ login: z.string(), id: z.number(), type: z.string() }),
  permissions: z.object({ pull: z.boolean().optional(), push: z.boolean().optional() }).optional(),
});
export type GithubRepositoryInfo = z.output<typeof githubRepository>;

export const githubVisibility = ({ visibility, private: isPrivate }: GithubRepositoryInfo) =>
  visibility ?? (isPrivate ? 'private' : 'public');

const maxReadings = 3;

export async function findGithubRepository(api: GithubApi, id: number): Promise<GithubRepositoryInfo | null> {
  try {
    return await api.rest.get(`/repositories/${id}`, githubRepository);
  } catch (error) {
    if (isSourceFault(error, 'missing')) return null;
    throw error;
  }
}

/** All repositories that the credential can read, sorted by id. */
export async function listGithubRepositories(api: GithubApi, isApp: boolean): Promise<GithubRepositoryInfo[]> {
  const listed = await (isApp ? listInstalledRepositories(api) : listPersonalRepositories(api));
  return listed.sort((a, b) => a.id - b.id);
}

async function listPersonalRepositories(api: GithubApi): Promise<GithubRepositoryInfo[]> {
  const found = new Map<number, GithubRepositoryInfo>();
  const query = { per_page: 100, sort: 'created', direction: 'asc' };
  for await (const { items } of pagesByLink(api.rest, { path: '/user/repos', item: githubRepository, query }))
    for (const one of items) found.set(one.id, one);
  return [...found.values()];
}

/**
 * Throws if the list is not complete, because missing repositories would look deleted. A repository that disappears
 * while the pages are read shifts them, so that another one is on none of them. Then the list is read again.
 */
async function listInstalledRepositories(api: GithubApi): Promise<GithubRepositoryInfo[]> {
  for (let reading = 1; ; reading++) {
    const { total, repositories } = await readInstalledRepositories(api);
    if (repositories.length === total) return repositories;
    if (reading === maxReadings)
      throw new Error(`GitHub listed ${repositories.length} of ${total} repositories. The list may have changed.`);
  }
}

/** The repositories, and their largest number according to the pages. */
async function readInstalledRepositories(api: GithubApi) {
  const schema = z.object({ total_count: z.number(), repositories: z.array(githubRepository) });
  const found = new Map<number, GithubRepositoryInfo>();
  let total = 0;
  for (let page = 1; ; page++) {
    const query = { per_page: 100, page };
    const { total_count: count, repositories } = await api.rest.get('/installation/repositories', schema, query);
    for (const one of repositories) found.set(one.id, one);
    total = Math.max(total, count);
    if (found.size >= count || !repositories.length) return { total, repositories: [...found.values()] };
  }
}

export const chosenGithubRepositories = (
  api: GithubApi,
  settings: Record<string, unknown>,
): Promise<GithubRepositoryInfo[]> =>
  selectedContainers(settings, {
    system: 'GitHub',
    noun: 'repository',
    remedy: 'Grant it repositories, or approve it in the organization.',
    list: () => listGithubRepositories(api, settings.access === 'app'),
    find: (id) => findGithubRepository(api, id),
  });

export async function githubContainers(api: GithubApi, isApp: boolean): Promise<SourceContainer[]> {
  const repositories = await listGithubRepositories(api, isApp);
  return repositories
    .map((one) => ({
      id: String(one.id),
      title: one.full_name,
      note: [githubVisibility(one), one.archived ? 'archived' : ''].filter(Boolean).join(', '),
    }))
    .sort((a, b) => a.title.localeCompare(b.title));
}
