import { z } from 'zod';
import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { ConditionalSince, UpdatedPage } from '../source-kit/updated-since.js';
import type { GithubApi } from './github-api.js';
import { githubUpdatedSince } from './github-listing.js';
import type { GithubRepositoryInfo } from './github-repositories.js';
import { githubAudienceId, type GithubSite } from './github-site.js';

const person = z.object({ login: z.string() }).nullish();
export const githubIssue = z.object({
  id: z.number().int(),
  node_id: z.string(),
  number: z.number().int(),
  title: z.string(),
  body: z.string().nullish(),
  user: person,
  state: z.string(),
  state_reason: z.string().nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).catch([]),
  comments: z.number().int(),
  updated_at: z.iso.datetime({ offset: true }),
  repository_url: z.string().optional(),
  pull_request: z.object({ merged_at: z.string().nullish() }).nullish(),
});
export type GithubIssueInfo = z.output<typeof githubIssue>;

/** Issues and pull requests. */
export const githubIssuesSince = (
  api: GithubApi,
  repositoryId: number,
  since: ConditionalSince,
  onEtag?: (etag: string | undefined) => void,
): AsyncGenerator<UpdatedPage<GithubIssueInfo>> =>
  githubUpdatedSince(
    api,
    { path: `/repositories/${repositoryId}/issues`, query: { state: 'all' }, item: githubIssue },
    since,
    onEtag,
  );

const editedComment = z.object({
  id: z.number(),
  updated_at: z.iso.datetime({ offset: true }),
  issue_url: z.string().optional(),
  pull_request_url: z.string().optional(),
});

/** The numbers of issues with changed comments, and the time of the latest change. */
export async function githubCommentsSince(
  api: GithubApi,
  repositoryId: number,
  list: 'issues/comments' | 'pulls/comments',
  since: ConditionalSince,
  onEtag: (etag: string | undefined) => void,
): Promise<Map<number, string>> {
  const latest = new Map<number, string>();
  const path = `/repositories/${repositoryId}/${list}`;
  for await (const { items } of githubUpdatedSince(api, { path, item: editedComment }, since, onEtag))
    for (const { updated_at, issue_url, pull_request_url } of items) {
      const number = Number(/\/(\d+)$/.exec(issue_url ?? pull_request_url ?? '')?.[1]);
      if (number) latest.set(number, updated_at);
    }
  return latest;
}

/** Null if the issue was deleted or transferred to another repository. */
export async function findGithubIssue(
  api: GithubApi,
  repositoryId: number,
  number: number,
): Promise<GithubIssueInfo | null> {
  try {
    const path = `/repositories/${repositoryId}/issues/${number}`;
    const { body, isMoved } = await api.rest.request({ path, schema: githubIssue });
    return isMoved ? null : body;
  } catch (error) {
    if (isSourceFault(error, 'missing')) return null;
    throw error;
  }
}

export const githubIssueDocumentId = (repositoryId: number, issueId: number): string =>
  `repositories/${repositoryId}/issues/${issueId}`;

/** Part of the fingerprint. Increase it when the format of the composed text changes. */
const textVersion = 1;

export function githubIssueDocument(
  site: GithubSite,
  repository: GithubRepositoryInfo,
  issue: GithubIssueInfo,
  content: SourceDocument['content'],
  /** The time of the latest edit of a comment. */
  editedAt?: string,
): SourceDocument {
  const { id, number, title, user, pull_request: pull, updated_at: updatedAt, comments } = issue;
  const late = editedAt && Date.parse(editedAt) > Date.parse(updatedAt) ? editedAt : null;
  return {
    externalId: githubIssueDocumentId(repository.id, id),
    kind: 'ticket',
    title: `${title.trim() || 'Untitled'} (#${number})`,
    author: user?.login,
    url: `${site.webUrl}/${repository.full_name}/${pull ? 'pull' : 'issues'}/${number}`,
    container: repository.full_name,
    updatedAt: new Date(late ?? updatedAt),
    mediaType: 'text/markdown',
    content,
    audience: githubAudienceId(site, repository.id),
    fingerprint: JSON.stringify([textVersion, updatedAt, comments, repository.full_name, ...(late ? [late] : [])]),
  };
}
