import { z } from 'zod';
import { CursorExpired } from '../../connections/connections.error.js';
import type { ChangesContext, RemovedDocument, SourceDocument } from '../../connections/knowledge-source.port.js';
import { newId } from '../../platform/crypto/ids.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { GitStorage } from '../git/repository-pass.js';
import { changedFiles } from '../source-kit/repository-files.js';
import { assertSameContainers, jsonOf } from '../source-kit/staged-progress.js';
import {
  findGithubFiles,
  findGithubHead,
  githubFileDocumentId,
  GithubFiles,
  listGithubFiles,
  type GithubHead,
} from './github-code.js';
import {
  findGithubDiscussion,
  githubDiscussionDocumentId,
  readGithubDiscussions,
  type GithubDiscussionInfo,
} from './github-discussions.js';
import {
  findGithubIssue,
  githubCommentsSince,
  githubIssueDocumentId,
  githubIssuesSince,
  type GithubIssueInfo,
} from './github-issues.js';
import { githubFormat, githubSinceOf, laterOf, settledPush, type GithubRepositoryCursor } from './github-progress.js';
import { GithubReader } from './github-reader.js';
import { chosenGithubRepositories, type GithubRepositoryInfo } from './github-repositories.js';
import { GithubWikis } from './github-wikis.js';

type Change = SourceDocument | RemovedDocument;

/** The object that a webhook names. The sync loads its current state, so the order of webhooks does not matter. */
export const githubHint = z.object({
  repository: z.number(),
  issue: z.object({ number: z.number(), id: z.number().optional() }).optional(),
  discussion: z.object({ node: z.string(), id: z.number() }).optional(),
  isWiki: z.boolean().optional(),
  /** An entry was edited or deleted, so the thread has to be read again, even if its time and counts are the same. */
  isReread: z.boolean().optional(),
});
export type GithubHint = z.output<typeof githubHint>;

/** Documents that changed since the last pass, with a short overlap. */
export async function* githubChanges(context: ChangesContext, storage: GitStorage): AsyncGenerator<Change> {
  const reader = new GithubReader(context);
  const wikis = new GithubWikis(reader.api, context, storage);
  const cursor = githubFormat.openCursor(context.cursor, reader.stages);
  const repositories = await chosenGithubRepositories(reader.api, context.settings);
  assertSameContainers(cursor, repositories);
  for (const repository of repositories) {
    const changes = new RepositoryChanges(reader, wikis, repository, cursor.containers[repository.id]);
    yield* changes.read(hintsOf(context.hints, repository.id));
  }
  context.setCursor(jsonOf(cursor));
}

const hintsOf = (hints: readonly JsonObject[], repositoryId: number): GithubHint[] =>
  hints.flatMap((one) => {
    const hint = githubHint.safeParse(one).data;
    return hint?.repository === repositoryId ? [hint] : [];
  });

class RepositoryChanges {
  /** The numbers of yielded issues. A pass yields each issue once. */
  private readonly yielded = new Set<number>();
  /** The threads with edited or deleted entries: the numbers of issues, and the ids of discussions. */
  private readonly reread = { issues: new Set<number>(), discussions: new Set<number>() };

  constructor(
    private readonly reader: GithubReader,
    private readonly wikis: GithubWikis,
    private readonly repository: GithubRepositoryInfo,
    /** Updated during the pass. */
    private readonly cursor: GithubRepositoryCursor,
  ) {}

  async *read(hints: readonly GithubHint[]): AsyncGenerator<Change> {
    const { reader, repository } = this;
    const { stages } = reader;
    for (const { issue, discussion, isReread } of hints) {
      if (issue && isReread) this.reread.issues.add(issue.number);
      if (discussion && isReread) this.reread.discussions.add(discussion.id);
    }
    if (stages.includes('issues')) yield* reader.readable(repository, 'issues', this.issues(hints));
    if (stages.includes('discussions') && repository.has_discussions)
      yield* reader.readable(repository, 'discussions', this.discussions(hints));
    if (stages.includes('code')) yield* reader.readable(repository, 'code', this.code());
    const isNamed = hints.some(({ isWiki }) => isWiki);
    if (stages.includes('wiki'))
      yield* reader.readable(repository, 'wiki', this.wikis.changes(repository, this.cursor, isNamed));
  }

  private async *issues(hints: readonly GithubHint[]): AsyncGenerator<Change> {
    const { reader, repository, cursor } = this;
    const edited = await this.editedThreads();
    let latest: string | null = null;
    let { etag } = cursor.issues;
    const pages = githubIssuesSince(reader.api, repository.id, cursor.issues, (value) => (etag = value));
    for await (const { items: issues, reached } of pages) {
      // an issue that changes during the pass is listed again, and the next pass reads it
      const fresh = issues.filter(({ number }) => !this.yielded.has(number));
      latest = fresh.length === issues.length ? reached : (latest ?? cursor.issues.since);
      for (const { number } of fresh) this.yielded.add(number);
      yield* this.issueDocuments(fresh, edited);
      if (fresh.length < issues.length) break;
    }
    cursor.issues = advanced(cursor.issues, latest, etag);
    for (const [number, at] of edited) if (!this.yielded.has(number)) yield* this.issue(number, undefined, at);
    for (const { issue } of hints)
      if (issue && !this.yielded.has(issue.number)) yield* this.issue(issue.number, issue.id);
  }

  /** The numbers of issues with changed comments. Editing a comment does not always update the time of its issue. */
  private async editedThreads(): Promise<Map<number, string>> {
    const { reader, repository, cursor } = this;
    const edited = new Map<number, string>();
    for (const [name, path] of [
      ['issueComments', 'issues/comments'],
      ['reviewComments', 'pulls/comments'],
    ] as const) {
      const list = cursor[name];
      let { etag } = list;
      const found = await githubCommentsSince(reader.api, repository.id, path, list, (value) => (etag = value));
      let latest: string | null = null;
      for (const [number, at] of found) {
        edited.set(number, laterOf(edited.get(number) ?? null, at)!);
        latest = laterOf(latest, at);
      }
      cursor[name] = advanced(list, latest, etag);
    }
    return edited;
  }

  private async *issue(number: number, id: number | undefined, editedAt?: string): AsyncGenerator<Change> {
    const { reader, repository } = this;
    const issue = await findGithubIssue(reader.api, repository.id, number);
    if (!issue) {
      if (id !== undefined) yield { removed: githubIssueDocumentId(repository.id, id) };
      return;
    }
    this.yielded.add(number);
    yield* this.issueDocuments([issue], editedAt ? new Map([[number, editedAt]]) : undefined);
  }

  private issueDocuments(issues: readonly GithubIssueInfo[], editedAt?: ReadonlyMap<number, string>): SourceDocument[] {
    const documents = this.reader.issueDocuments(this.repository, issues, editedAt);
    return documents.map((one, at) => (this.reread.issues.has(issues[at].number) ? withNewFingerprint(one) : one));
  }

  private discussionDocuments(discussions: readonly GithubDiscussionInfo[]): SourceDocument[] {
    const documents = this.reader.discussionDocuments(this.repository, discussions);
    const { reread } = this;
    return documents.map((one, at) =>
      reread.discussions.has(discussions[at].databaseId) ? withNewFingerprint(one) : one,
    );
  }

  private async *discussions(hints: readonly GithubHint[]): AsyncGenerator<Change> {
    const { reader, repository, cursor } = this;
    const since = Date.parse(cursor.discussionsSince ?? '1970-01-01T00:00:00Z');
    const yielded = new Set<number>();
    let latest: string | null = null;
    for (let after: string | null = null; ;) {
      const { items, next } = await readGithubDiscussions(reader.api, repository, 'UPDATED_AT', after);
      const changed = items.filter(({ updatedAt }) => Date.parse(updatedAt) >= since);
      for (const { updatedAt, databaseId } of changed) {
        latest = laterOf(latest, updatedAt);
        yielded.add(databaseId);
      }
      yield* this.discussionDocuments(changed);
      if (next === null || changed.length < items.length) break;
      after = next;
    }
    cursor.discussionsSince = laterOf(cursor.discussionsSince, githubSinceOf(latest));
    for (const { discussion } of hints) {
      if (!discussion || yielded.has(discussion.id)) continue;
      yielded.add(discussion.id);
      const found = await findGithubDiscussion(reader.api, repository, discussion.node);
      if (found) yield* this.discussionDocuments([found]);
      else yield { removed: githubDiscussionDocumentId(repository.id, discussion.id) };
    }
  }

  private async *code(): AsyncGenerator<Change> {
    const { reader, repository, cursor } = this;
    const { default_branch: branch, pushed_at } = repository;
    if (pushed_at && pushed_at === cursor.pushedAt && branch === cursor.branch) return;
    const head = await findGithubHead(reader.api, repository);
    if (head?.tree !== cursor.head?.tree) yield* this.files(cursor.head, head);
    Object.assign(cursor, { head, branch, pushedAt: settledPush(pushed_at) });
  }

  private async *files(from: GithubHead | null, to: GithubHead | null): AsyncGenerator<Change> {
    const { api, context } = this.reader;
    const { id } = this.repository;
    const before = from ? await findGithubFiles(api, id, from.tree) : [];
    if (!before)
      throw new CursorExpired(`GitHub no longer has the tree of ${this.repository.full_name} that was read last.`);
    const after = to ? await listGithubFiles(api, id, to.tree) : [];
    const { changed, removed } = changedFiles(before, after);
    if (to && changed.length) yield* new GithubFiles(api, this.repository, to).documents(changed, context.skipped);
    for (const path of removed) yield { removed: githubFileDocumentId(id, path) };
  }
}

/** Its content is read, although all fields that the fingerprint contains may be the same. */
const withNewFingerprint = (document: SourceDocument): SourceDocument => ({
  ...document,
  fingerprint: `${document.fingerprint} ${newId()}`,
});

/**
 * Advances the cursor to the latest change. Without changes, the time and the ETag stay the same, because a conditional
 * request must repeat the same URL to cost no quota.
 */
function advanced(list: GithubRepositoryCursor['issues'], latest: string | null, etag: string | undefined) {
  const since = laterOf(list.since, githubSinceOf(latest));
  if (since !== list.since) return { since };
  return { since, ...(etag && { etag }) };
}
