import { z } from 'zod';
import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import type { SourceAnswer } from '../source-kit/source-client.js';
import { nextLink } from '../source-kit/source-pages.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { GithubApi } from './github-api.js';
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

export interface GithubIssuePage {
  issues: GithubIssueInfo[];
  /** Every issue that changed before this time was yielded. */
  reached: string | null;
}

/** A listing with the answer "nothing changed" costs no quota. */
export interface ConditionalSince {
  since: string | null;
  etag?: string;
}

/**
 * Issues and pull requests, the least recently changed first. It moves on by time and not by page number: an issue that
 * changes or is deleted during the pass would shift the pages, and others would be left out.
 */
export async function* githubIssuesSince(
  api: GithubApi,
  repositoryId: number,
  { since, etag }: ConditionalSince,
  onEtag: (etag: string | undefined) => void = () => undefined,
): AsyncGenerator<GithubIssuePage> {
  const schema = z.array(githubIssue);
  const path = `/repositories/${repositoryId}/issues`;
  const query = { state: 'all', sort: 'updated', direction: 'asc', per_page: 100 };
  let reached = since;
  let link: string | null = null;
  /** Issues at the time `reached`, which the next page repeats. */
  let repeated = new Set<number>();
  for (let isFirst = true; ; isFirst = false) {
    const request = link ? { path: link } : { path, query: { ...query, since: reached ?? undefined } };
    const answer = await api.rest.request({ ...request, schema, etag: isFirst ? etag : undefined });
    if (isFirst) onEtag(answer.headers.get('etag') ?? undefined);
    if (answer.isUnchanged) return;
    const issues = answer.body.filter(({ id }) => !repeated.has(id));
    const next = nextLink(answer.headers.get('link'), answer.url);
    const last = answer.body.at(-1)?.updated_at ?? reached;
    if (last !== reached) {
      reached = last;
      link = null;
      repeated = new Set();
    } else link = next;
    for (const { id, updated_at } of answer.body) if (updated_at === reached) repeated.add(id);
    yield { issues, reached };
    if (next === null) return;
  }
}

const edited = z.object({
  updated_at: z.iso.datetime({ offset: true }),
  issue_url: z.string().optional(),
  pull_request_url: z.string().optional(),
});

/** The numbers of issues whose comments changed, with the latest time. An edited comment may leave the issue as it was. */
export async function githubCommentsSince(
  api: GithubApi,
  repositoryId: number,
  list: 'issues/comments' | 'pulls/comments',
  { since, etag }: ConditionalSince,
  onEtag: (etag: string | undefined) => void,
): Promise<Map<number, string>> {
  const schema = z.array(edited);
  const latest = new Map<number, string>();
  let reached = since;
  let link: string | null = null;
  for (let isFirst = true; ; isFirst = false) {
    const query = { sort: 'updated', direction: 'asc', per_page: 100, since: reached ?? undefined };
    const request: { path: string; query?: typeof query } = link
      ? { path: link }
      : { path: `/repositories/${repositoryId}/${list}`, query };
    const answer: SourceAnswer<z.output<typeof schema>> = await api.rest.request({
      ...request,
      schema,
      etag: isFirst ? etag : undefined,
    });
    if (isFirst) onEtag(answer.headers.get('etag') ?? undefined);
    if (answer.isUnchanged) return latest;
    for (const { updated_at, issue_url, pull_request_url } of answer.body) {
      const number = Number(/\/(\d+)$/.exec(issue_url ?? pull_request_url ?? '')?.[1]);
      if (number) latest.set(number, updated_at);
    }
    const next = nextLink(answer.headers.get('link'), answer.url);
    if (next === null) return latest;
    const last: string | null = answer.body.at(-1)?.updated_at ?? reached;
    link = last === reached ? next : null;
    reached = last;
  }
}

/** Null if the repository has no such issue any more: it was deleted, or moved to another repository. */
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

/** Increased when the composed text changes. */
const textVersion = 1;

export function githubIssueDocument(
  site: GithubSite,
  repository: GithubRepositoryInfo,
  issue: GithubIssueInfo,
  content: SourceDocument['content'],
  /** When a comment was edited later than the issue. */
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
