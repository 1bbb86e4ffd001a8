import { z } from 'zod';
import { UnreadableDocument } from '../../connections/connections.error.js';
import { composeThread, type ThreadEntry, type ThreadText } from '../source-kit/thread-text.js';
import type { GithubApi } from './github-api.js';
import type { GithubIssueInfo } from './github-issues.js';
import type { GithubRepositoryInfo } from './github-repositories.js';

const author = z.object({ login: z.string() }).nullish();
const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });
const listOf = <T extends z.ZodType>(node: T) => z.object({ pageInfo, nodes: z.array(node.nullish()).nullish() });
const hideable = {
  author,
  body: z.string(),
  isMinimized: z.boolean().catch(false),
  minimizedReason: z.string().nullish(),
};
const comment = z.object({ ...hideable, createdAt: z.string() });
const review = z.object({ ...hideable, state: z.string(), submittedAt: z.string().nullish() });
const reviewThread = z.object({
  id: z.string(),
  path: z.string(),
  line: z.number().nullish(),
  comments: listOf(comment),
});
const issueThread = z.object({
  id: z.string(),
  comments: listOf(comment),
  reviews: listOf(review).nullish(),
  reviewThreads: listOf(reviewThread).optional(),
});
const discussionReply = listOf(comment);
const discussionComment = comment.extend({ id: z.string(), replies: discussionReply });
const discussionThread = z.object({ id: z.string(), body: z.string(), comments: listOf(discussionComment) });

export type GithubIssueThread = z.output<typeof issueThread>;
export type GithubDiscussionThread = z.output<typeof discussionThread>;
type Comment = z.output<typeof comment>;
type Review = z.output<typeof review>;

const fields = {
  page: 'pageInfo { hasNextPage endCursor }',
  hideable: 'author { login } body isMinimized minimizedReason',
};
const commentFields = `${fields.hideable} createdAt`;
const comments = `comments(first: 100) { ${fields.page} nodes { ${commentFields} } }`;
const issueThreads = `query($ids: [ID!]!) { nodes(ids: $ids) {
  ... on Issue { id ${comments} }
  ... on PullRequest { id ${comments}
    reviews(first: 50) { ${fields.page} nodes { ${fields.hideable} state submittedAt } }
    reviewThreads(first: 10) { ${fields.page} nodes { id path line
      comments(first: 20) { ${fields.page} nodes { ${commentFields} } } } } } } }`;
const discussionThreads = `query($ids: [ID!]!) { nodes(ids: $ids) {
  ... on Discussion { id body comments(first: 50) { ${fields.page} nodes { id ${commentFields}
    replies(first: 30) { ${fields.page} nodes { ${commentFields} } } } } } } }`;

/** The query for further pages of a list. */
const rest = (type: string, field: string, nodes: string) =>
  `query($id: ID!, $after: String) { node(id: $id) { ... on ${type} { ${field}(first: 100, after: $after) { ${fields.page} nodes { ${nodes} } } } } }`;

/** The maximum length of a thread, below the limit of a document. */
const maxThreadLength = 3_000_000;
/** Comments that moderators hid for these reasons are left out. */
const hiddenReasons = new Set(['spam', 'abuse']);

/** The threads of issues and pull requests. Undefined for a deleted one. */
export const loadGithubIssueThreads = async (
  api: GithubApi,
  ids: string[],
): Promise<(GithubIssueThread | undefined)[]> =>
  (await loadNodes(api, issueThreads, ids, issueThread)) as (GithubIssueThread | undefined)[];

export const loadGithubDiscussions = async (
  api: GithubApi,
  ids: string[],
): Promise<(GithubDiscussionThread | undefined)[]> => loadNodes(api, discussionThreads, ids, discussionThread);

async function loadNodes<T extends { id: string }>(api: GithubApi, query: string, ids: string[], node: z.ZodType<T>) {
  const data = z.object({ nodes: z.array(node.nullable()) });
  const { nodes } = await api.query(query, { ids }, data, true);
  const byId = new Map(nodes.flatMap((one) => (one ? [[one.id, one] as const] : [])));
  return ids.map((id) => byId.get(id));
}

interface Connection<T> {
  pageInfo: z.output<typeof pageInfo>;
  nodes?: (T | null | undefined)[] | null;
}

/** All nodes of a list. Stops when the thread is too long. */
async function* everyNode<T>(
  api: GithubApi,
  connection: Connection<T>,
  more: { id: string; query: string; field: string; node: z.ZodType<T> },
  isFull: () => boolean,
): AsyncGenerator<T> {
  let current = connection;
  for (;;) {
    for (const one of current.nodes ?? []) if (one) yield one;
    const { hasNextPage, endCursor } = current.pageInfo;
    if (!hasNextPage || isFull()) return;
    const data = z.object({ node: z.object({ [more.field]: listOf(more.node) }).nullable() });
    const { node } = await api.query(more.query, { id: more.id, after: endCursor }, data);
    if (!node) throw new UnreadableDocument('was deleted while it was read');
    const page = node[more.field] as Connection<T>;
    if (page.pageInfo.hasNextPage && page.pageInfo.endCursor === endCursor) throw new Error('GitHub repeats a page.');
    current = page;
  }
}

/** Collects the entries of a thread up to the maximum length. */
class Entries {
  readonly list: ThreadEntry[] = [];
  private length = 0;
  isFull = false;

  add(label: string, one: Comment | Review, note?: string): void {
    if (this.isFull || (one.isMinimized && hiddenReasons.has(one.minimizedReason?.toLowerCase() ?? ''))) return;
    this.length += one.body.length + 100;
    this.isFull = this.length > maxThreadLength;
    const time = 'createdAt' in one ? one.createdAt : one.submittedAt;
    const text = this.isFull ? 'The rest of this thread is too long to be read.' : one.body;
    this.list.push({ label, author: one.author?.login, at: time ? new Date(time) : undefined, text, note });
  }
}

const reviewStates: Record<string, string> = { APPROVED: 'Approved', CHANGES_REQUESTED: 'Requested changes' };

export async function githubIssueText(
  api: GithubApi,
  repository: GithubRepositoryInfo,
  issue: GithubIssueInfo,
  thread: GithubIssueThread | null,
): Promise<string> {
  const { number, title, body, state, state_reason: reason, pull_request: pull, labels } = issue;
  const names = labels.map((label) => (typeof label === 'string' ? label : label.name)).filter(Boolean);
  const entries = thread ? await issueEntries(api, thread, Boolean(pull)) : [];
  return composeThread({
    title,
    facts: [
      [pull ? 'Pull request' : 'Issue', `${repository.full_name}#${number}`],
      ['State', pull?.merged_at ? 'merged' : reason ? `${state} (${reason.replaceAll('_', ' ')})` : state],
      ['Labels', names.join(', ')],
      ['Author', issue.user?.login],
    ],
    body: body && body.length > maxThreadLength ? body.slice(0, maxThreadLength) : body,
    entries,
  });
}

async function issueEntries(api: GithubApi, thread: GithubIssueThread, isPull: boolean): Promise<ThreadEntry[]> {
  const { id } = thread;
  const type = isPull ? 'PullRequest' : 'Issue';
  const entries = new Entries();
  const isFull = () => entries.isFull;
  const moreComments = { id, query: rest(type, 'comments', commentFields), field: 'comments', node: comment };
  for await (const one of everyNode(api, thread.comments, moreComments, isFull)) entries.add('Comment', one);
  if (thread.reviews) {
    const query = rest(type, 'reviews', `${fields.hideable} state submittedAt`);
    for await (const one of everyNode(api, thread.reviews, { id, query, field: 'reviews', node: review }, isFull))
      if (one.state !== 'PENDING' && (one.body || reviewStates[one.state]))
        entries.add('Review', one, reviewStates[one.state]);
  }
  entries.list.sort((a, b) => (a.at?.getTime() ?? 0) - (b.at?.getTime() ?? 0));
  if (thread.reviewThreads) {
    const inner = `id path line comments(first: 30) { ${fields.page} nodes { ${commentFields} } }`;
    const more = { id, query: rest(type, 'reviewThreads', inner), field: 'reviewThreads', node: reviewThread };
    for await (const one of everyNode(api, thread.reviewThreads, more, isFull)) {
      const place = one.line ? `${one.path}:${one.line}` : one.path;
      const query = rest('PullRequestReviewThread', 'comments', commentFields);
      for await (const reply of everyNode(
        api,
        one.comments,
        { id: one.id, query, field: 'comments', node: comment },
        isFull,
      ))
        entries.add('Review comment', reply, place);
    }
  }
  return entries.list;
}

export async function githubDiscussionText(
  api: GithubApi,
  thread: GithubDiscussionThread,
  head: Pick<ThreadText, 'title' | 'facts'>,
): Promise<string> {
  const entries = new Entries();
  const isFull = () => entries.isFull;
  const replies = (first: number) => `replies(first: ${first}) { ${fields.page} nodes { ${commentFields} } }`;
  const query = rest('Discussion', 'comments', `id ${commentFields} ${replies(30)}`);
  const more = { id: thread.id, query, field: 'comments', node: discussionComment };
  for await (const one of everyNode(api, thread.comments, more, isFull)) {
    entries.add('Comment', one);
    const inner = {
      id: one.id,
      query: rest('DiscussionComment', 'replies', commentFields),
      field: 'replies',
      node: comment,
    };
    for await (const reply of everyNode(api, one.replies, inner, isFull)) entries.add('Reply', reply);
  }
  return composeThread({ ...head, body: thread.body, entries: entries.list });
}
