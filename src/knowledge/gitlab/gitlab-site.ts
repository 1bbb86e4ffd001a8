import { trimTrailing } from '../../platform/text/trim-trailing.js';

export interface GitlabSite {
  /** The website, for example "https://gitlab.com". A self-managed server may be below a path. */
  webUrl: string;
  /** Part of the ids of audiences and accounts. */
  host: string;
  apiUrl: string;
}

export function gitlabSiteOf(address: unknown): GitlabSite {
  const { origin, host, pathname } = new URL(typeof address === 'string' && address ? address : 'https://gitlab.com');
  const path = trimTrailing(pathname, '/');
  return { webUrl: origin + path, host: host + path, apiUrl: `${origin}${path}/api/v4` };
}

/** The parts of a project, each with its own readers. */
export type GitlabPart = 'issues' | 'merge_requests' | 'code' | 'wiki';

export const gitlabAudienceId = ({ host }: GitlabSite, projectId: number, part: GitlabPart): string =>
  `${host}/projects/${projectId}/${part}`;

export const gitlabGroupWikiAudienceId = ({ host }: GitlabSite, groupId: number): string =>
  `${host}/groups/${groupId}/wiki`;

const maxNamedPeople = 20;

/**
 * A confidential issue is open to the role Reporter, its author and its assignees, so issues of the same people share an
 * audience. With too many people for an id, only Reporters can find it.
 */
export function gitlabConfidentialAudienceId(
  { host }: GitlabSite,
  projectId: number,
  people: readonly number[],
): string {
  const ids = [...new Set(people)].sort((a, b) => a - b);
  const named = ids.length <= maxNamedPeople ? ids : [];
  return `${host}/projects/${projectId}/${['confidential', ...named].join('+')}`;
}

export const gitlabAccountId = ({ host }: GitlabSite, userId: number): string => `${host}/users/${userId}`;
