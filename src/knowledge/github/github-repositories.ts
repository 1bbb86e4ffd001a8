import { z } from 'zod';
import type { SourceContainer } from '../../connections/knowledge-source.port.js';
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
  default_branch: z.string().catch('main'),
  pushed_at: z.string().nullish(),
  owner: z.object({ login: z.string(), id: z.number(), type: z.string() }),
  permissions: z.object({ pull: z.boolean().optional(), push: z.boolean().optional() }).optional(),
});
export type GithubRepositoryInfo = z.output<typeof githubRepository>;

export const githubVisibility = ({ visibility, private: isPrivate }: GithubRepositoryInfo) =>
  visibility ?? (isPrivate ? 'private' : 'public');

/** Up to this number, chosen repositories are requested one by one. */
const maxSingle = 10;

export const chosenGithubIds = (settings: Record<string, unknown>): number[] | null => {
  const { containers } = settings;
  if (!Array.isArray(containers) || !containers.length) return null;
  return containers.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
};

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
  const found = new Map<number, GithubRepositoryInfo>();
  for await (const repositories of isApp ? installedPages(api) : personalPages(api))
    for (const one of repositories) found.set(one.id, one);
  return [...found.values()].sort((a, b) => a.id - b.id);
}

async function* personalPages(api: GithubApi): AsyncGenerator<GithubRepositoryInfo[]> {
  const query = { per_page: 100, sort: 'created', direction: 'asc' };
  for await (const { items } of pagesByLink(api.rest, { path: '/user/repos', item: githubRepository, query }))
    yield items;
}

/** Throws if the list has fewer repositories than its total, because missing repositories would look deleted. */
async function* installedPages(api: GithubApi): AsyncGenerator<GithubRepositoryInfo[]> {
  const schema = z.object({ total_count: z.number(), repositories: z.array(githubRepository) });
  let read = 0;
  for (let page = 1; ; page++) {
    const query = { per_page: 100, page };
    const { total_count: total, repositories } = await api.rest.get('/installation/repositories', schema, query);
    read += repositories.length;
    yield repositories;
    if (read >= total) return;
    if (!repositories.length) throw new Error(`GitHub listed only ${read} of ${total} repositories.`);
  }
}

/**
 * The repositories of the connection. Throws if a chosen one is missing, because its documents must not be removed if
 * only the credential lost access.
 */
export async function chosenGithubRepositories(
  api: GithubApi,
  settings: Record<string, unknown>,
): Promise<GithubRepositoryInfo[]> {
  const isApp = settings.access === 'app';
  const ids = chosenGithubIds(settings);
  if (!ids) {
    const all = await listGithubRepositories(api, isApp);
    if (all.length) return all;
    throw new Error(
      'GitHub shows no repository to this credential. Grant it repositories, or approve it in the organization.',
    );
  }
  if (!ids.length) throw new Error('The selection contains no repository.');
  const listed = ids.length > maxSingle ? await listGithubRepositories(api, isApp) : [];
  const byId = new Map(listed.map((one) => [one.id, one]));
  const chosen: GithubRepositoryInfo[] = [];
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    const repository = byId.get(id) ?? (await findGithubRepository(api, id));
    if (!repository)
      throw new Error(
        `GitHub no longer shows the repository with the id ${id}: it was deleted, or the credential lost access. ` +
          'Restore the access, or remove the repository from the selection.',
      );
    chosen.push(repository);
  }
  return chosen;
}

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
