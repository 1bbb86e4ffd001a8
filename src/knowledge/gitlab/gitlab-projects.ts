import { z } from 'zod';
import type { SourceContainer } from '../../connections/knowledge-source.port.js';
import { selectedContainers } from '../source-kit/selected-containers.js';
import { pagesByLink } from '../source-kit/source-pages.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { GitlabApi } from './gitlab-api.js';
import type { GitlabPart } from './gitlab-site.js';

/** An unknown level has no readers. */
export const gitlabFeatureLevel = z.enum(['disabled', 'private', 'enabled', 'public']).catch('disabled');
export type GitlabFeatureLevel = z.output<typeof gitlabFeatureLevel>;
const access = z.object({ access_level: z.number() }).nullish();

export const gitlabProject = z.object({
  id: z.number().int(),
  path_with_namespace: z.string(),
  web_url: z.string(),
  visibility: z.enum(['public', 'internal', 'private']).catch('private'),
  archived: z.boolean().catch(false),
  marked_for_deletion_on: z.string().nullish(),
  default_branch: z.string().nullish(),
  empty_repo: z.boolean().catch(false),
  issues_access_level: gitlabFeatureLevel,
  merge_requests_access_level: gitlabFeatureLevel,
  repository_access_level: gitlabFeatureLevel,
  wiki_access_level: gitlabFeatureLevel,
  permissions: z.object({ project_access: access, group_access: access }).nullish(),
});
export type GitlabProject = z.output<typeof gitlabProject>;

/** https://docs.gitlab.com/user/permissions/ */
export const gitlabRoles = { guest: 10, reporter: 20 };

/** Merge requests show code, so they are as restricted as the repository. */
export function gitlabFeatureLevelOf(project: GitlabProject, part: GitlabPart): GitlabFeatureLevel {
  const { issues_access_level: issues, merge_requests_access_level: merges, repository_access_level: code } = project;
  if (part === 'issues') return issues;
  if (part === 'code') return code;
  if (part === 'wiki') return project.wiki_access_level;
  if (merges === 'disabled' || code === 'disabled') return 'disabled';
  return merges === 'private' || code === 'private' ? 'private' : merges;
}

/**
 * Whether the token has at least the role Reporter. Below it, an issue that becomes confidential disappears from the
 * lists, and its earlier text would stay open to others.
 */
export async function canReadGitlabProject(api: GitlabApi, { id, permissions }: GitlabProject): Promise<boolean> {
  const { project_access: own, group_access: group } = permissions ?? {};
  if (Math.max(own?.access_level ?? 0, group?.access_level ?? 0) >= gitlabRoles.reporter) return true;
  const { id: userId, isAdmin } = await api.whoAmI();
  if (isAdmin) return true;
  // the permissions above do not include groups that were invited to the project
  try {
    const schema = z.object({ access_level: z.number() });
    const { access_level: level } = await api.rest.get(`/projects/${id}/members/all/${userId}`, schema);
    return level >= gitlabRoles.reporter;
  } catch (error) {
    if (isSourceFault(error, 'missing', 'forbidden')) return false;
    throw error;
  }
}

export async function findGitlabProject(api: GitlabApi, id: number): Promise<GitlabProject | null> {
  try {
    return await api.rest.get(`/projects/${id}`, gitlabProject);
  } catch (error) {
    if (isSourceFault(error, 'missing')) return null;
    throw error;
  }
}

/** All projects in which the token has a role; with the token of an administrator, all of the server. Sorted by id. */
export async function listGitlabProjects(api: GitlabApi): Promise<GitlabProject[]> {
  const { isAdmin } = await api.whoAmI();
  const query = {
    pagination: 'keyset',
    order_by: 'id',
    sort: 'asc',
    per_page: 100,
    ...(!isAdmin && { membership: true }),
  };
  const found = new Map<number, GitlabProject>();
  for await (const { items } of pagesByLink(api.rest, { path: '/projects', item: gitlabProject, query }))
    for (const one of items) found.set(one.id, one);
  return [...found.values()].sort((a, b) => a.id - b.id);
}

export const chosenGitlabProjects = (api: GitlabApi, settings: Record<string, unknown>): Promise<GitlabProject[]> =>
  selectedContainers(settings, {
    system: 'GitLab',
    noun: 'project',
    remedy: 'Add its owner to a project or group as a Reporter.',
    list: () => listGitlabProjects(api),
    find: (id) => findGitlabProject(api, id),
  });

export async function gitlabContainers(api: GitlabApi): Promise<SourceContainer[]> {
  const projects = await listGitlabProjects(api);
  return projects
    .map(({ id, path_with_namespace: title, visibility, archived, marked_for_deletion_on: deletion }) => ({
      id: String(id),
      title,
      note: [visibility, archived ? 'archived' : '', deletion ? 'scheduled for deletion' : '']
        .filter(Boolean)
        .join(', '),
    }))
    .sort((a, b) => a.title.localeCompare(b.title));
}
