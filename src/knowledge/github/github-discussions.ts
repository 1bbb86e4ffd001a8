import { z } from 'zod';
import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import type { GithubApi } from './github-api.js';
import type { GithubRepositoryInfo } from './github-repositories.js';
import { githubAudienceId, type GithubSite } from './github-site.js';

const discussion = z.object({
  id: z.string(),
  databaseId: z.number().int(),
  number: z.number().int(),
  title: z.string(),
  author: z.object({ login: z.string() }).nullish(),
  updatedAt: z.iso.datetime({ offset: true }),
  category: z.object({ name: z.string() }),
  comments: z.object({ totalCount: z.number() }),
});
export type GithubDiscussionInfo = z.output<typeof discussion>;

const page = z.object({
  node: z
    .object({
      discussions: z.object({
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
        nodes: z.array(discussion.nullable()),
      }),
    })
    .nullable(),
});

const fields = 'id databaseId number title author { login } updatedAt category { name } comments { totalCount }';
const findDiscussion = `query($id: ID!) { node(id: $id) { ... on Discussion { ${fields} repository { id } } } }`;
const listDiscussions = `query($id: ID!, $after: String, $field: DiscussionOrderField!, $direction: OrderDirection!) {
  node(id: $id) { ... on Repository { discussions(first: 50, after: $after, orderBy: { field: $field, direction: $direction }) {
    pageInfo { hasNextPage endCursor }
    nodes { ${fields} } } } } }`;

export type GithubDiscussionOrder = 'CREATED_AT' | 'UPDATED_AT';

/** CREATED_AT sorts the oldest first, an order that is stable during a pass. UPDATED_AT sorts the newest first. */
export async function readGithubDiscussions(
  api: GithubApi,
  repository: GithubRepositoryInfo,
  field: GithubDiscussionOrder,
  after: string | null,
): Promise<{ items: GithubDiscussionInfo[]; next: string | null }> {
  const direction = field === 'CREATED_AT' ? 'ASC' : 'DESC';
  const { node } = await api.query(listDiscussions, { id: repository.node_id, after, field, direction }, page);
  if (!node) throw new Error(`GitHub no longer shows the discussions of ${repository.full_name}.`);
  const { pageInfo, nodes } = node.discussions;
  return { items: nodes.flatMap((one) => one ?? []), next: pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null };
}

/** Null if the discussion was deleted, or belongs to another repository. */
export async function findGithubDiscussion(
  api: GithubApi,
  repository: GithubRepositoryInfo,
  id: string,
): Promise<GithubDiscussionInfo | null> {
  const found = discussion.extend({ repository: z.object({ id: z.string() }) });
  const { node } = await api.query(findDiscussion, { id }, z.object({ node: found.nullable() }), true);
  return node?.repository.id === repository.node_id ? node : null;
}

export const githubDiscussionDocumentId = (repositoryId: number, discussionId: number): string =>
  `repositories/${repositoryId}/discussions/${discussionId}`;

const textVersion = 1;

export const githubDiscussionDocument = (
  site: GithubSite,
  repository: GithubRepositoryInfo,
  { databaseId, number, title, author, updatedAt, comments }: GithubDiscussionInfo,
  content: SourceDocument['content'],
): SourceDocument => ({
  externalId: githubDiscussionDocumentId(repository.id, databaseId),
  kind: 'message',
  title: `${title.trim() || 'Untitled'} (#${number})`,
  author: author?.login,
  url: `${site.webUrl}/${repository.full_name}/discussions/${number}`,
  container: repository.full_name,
  updatedAt: new Date(updatedAt),
  mediaType: 'text/markdown',
  content,
  audience: githubAudienceId(site, repository.id),
  fingerprint: JSON.stringify([textVersion, updatedAt, comments.totalCount, repository.full_name]),
});
