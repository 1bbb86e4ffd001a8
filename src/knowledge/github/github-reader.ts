import { z } from 'zod';
import { UnreadableDocument } from '../../connections/connections.error.js';
import type { DocumentsContext, SourceDocument } from '../../connections/knowledge-source.port.js';
import { BatchLoader } from '../source-kit/batch-loader.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { GithubApi } from './github-api.js';
import { githubDiscussionDocument, readGithubDiscussions, type GithubDiscussionInfo } from './github-discussions.js';
import { githubIssue, githubIssueDocument, type GithubIssueInfo } from './github-issues.js';
import {
  githubSinceOf,
  githubStages,
  settledPush,
  type GithubRepositoryCursor,
  type GithubStage,
} from './github-progress.js';
import type { GithubRepositoryInfo } from './github-repositories.js';
import { isUnreadableWiki } from './github-wikis.js';
import {
  githubDiscussionText,
  githubIssueText,
  loadGithubDiscussions,
  loadGithubIssueThreads,
  type GithubDiscussionThread,
  type GithubIssueThread,
} from './github-threads.js';

/** Limits the threads of a query. Pull requests cost more, because GitHub counts the nodes that a query could return. */
const threadsPerQuery = {
  size: 40,
  bytesOf: ({ pull_request: pull, comments }: GithubIssueInfo) =>
    (pull ? 25_000 : 3000) + 1500 * Math.min(100, comments),
  maxBytes: 500_000,
};
const discussionsPerQuery = { size: 20 };

/** Creates documents from GitHub's lists. Their content is loaded on demand, in batches. */
export class GithubReader {
  readonly api: GithubApi;
  /** Unreadable parts. */
  readonly closed: { id: string; reason: string }[] = [];
  private readonly issueThreads: BatchLoader<GithubIssueInfo, GithubIssueThread | undefined>;
  private readonly discussions: BatchLoader<string, GithubDiscussionThread | undefined>;

  constructor(readonly context: DocumentsContext) {
    const api = new GithubApi(context, { quota: (status) => context.quota(status) });
    this.api = api;
    const nodesOf = (issues: GithubIssueInfo[]) => issues.map(({ node_id }) => node_id);
    this.issueThreads = new BatchLoader((issues) => loadGithubIssueThreads(api, nodesOf(issues)), threadsPerQuery);
    this.discussions = new BatchLoader((ids) => loadGithubDiscussions(api, ids), discussionsPerQuery);
  }

  get stages(): readonly GithubStage[] {
    const { content } = this.context.settings;
    if (content === 'threads') return ['issues', 'discussions'];
    return content === 'code' ? ['code', 'wiki'] : githubStages;
  }

  issueDocuments(
    repository: GithubRepositoryInfo,
    issues: readonly GithubIssueInfo[],
    editedAt?: ReadonlyMap<number, string>,
  ): SourceDocument[] {
    const hasThread = ({ comments, pull_request: pull }: GithubIssueInfo) => comments > 0 || Boolean(pull);
    const threads = this.issueThreads.page(issues.filter(hasThread));
    let at = 0;
    return issues.map((issue) => {
      const load = hasThread(issue) ? threads[at++] : null;
      const content = async () => githubIssueText(this.api, repository, issue, load && present(await load()));
      return githubIssueDocument(this.api.site, repository, issue, content, editedAt?.get(issue.number));
    });
  }

  discussionDocuments(
    repository: GithubRepositoryInfo,
    discussions: readonly GithubDiscussionInfo[],
  ): SourceDocument[] {
    const threads = this.discussions.page(discussions.map(({ id }) => id));
    return discussions.map((one, at) => {
      const content = async () => {
        const facts = [
          ['Discussion', `${repository.full_name}#${one.number}`],
          ['Category', one.category.name],
          ['Author', one.author?.login],
        ] as const;
        return githubDiscussionText(this.api, present(await threads[at]()), { title: one.title, facts });
      };
      return githubDiscussionDocument(this.api.site, repository, one, content);
    });
  }

  /** The cursor from which `changes` continues after a complete pass that starts now. */
  async cursorOfNow(repository: GithubRepositoryInfo): Promise<GithubRepositoryCursor> {
    const since = githubSinceOf(this.stages.includes('issues') ? await this.latestIssueChange(repository) : null);
    const hasDiscussions = this.stages.includes('discussions') && repository.has_discussions;
    const latest = hasDiscussions ? await this.latestDiscussionChange(repository) : null;
    const list = { since };
    const lists = { issues: list, issueComments: list, reviewComments: list };
    const { default_branch: branch, pushed_at } = repository;
    const code = { head: null, branch, pushedAt: settledPush(pushed_at) };
    return { ...lists, discussionsSince: githubSinceOf(latest), ...code, wiki: null, wikiCheckedAt: null };
  }

  /**
   * Reads a part of a repository. If the credential was never allowed to read it, the part is reported as skipped and its
   * documents stay. All other errors end the pass.
   */
  async *readable<T>(repository: GithubRepositoryInfo, stage: GithubStage, part: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* part;
    } catch (error) {
      const reason = missingRight(error);
      if (reason === null) throw error;
      const part = { id: `repositories/${repository.id}/${stage}/`, reason: `${repository.full_name}: ${reason}` };
      this.closed.push(part);
      this.context.skipped(part.id, part.reason);
    }
  }

  private async latestIssueChange({ id }: GithubRepositoryInfo): Promise<string | null> {
    const query = { state: 'all', sort: 'updated', direction: 'desc', per_page: 1 };
    try {
      const [latest] = await this.api.rest.get(`/repositories/${id}/issues`, z.array(githubIssue), query);
      return latest?.updated_at ?? null;
    } catch (error) {
      if (missingRight(error) === null) throw error;
      return null; // reported when the issues are read
    }
  }

  private async latestDiscussionChange(repository: GithubRepositoryInfo): Promise<string | null> {
    try {
      const { items } = await readGithubDiscussions(this.api, repository, 'UPDATED_AT', null);
      return items[0]?.updatedAt ?? null;
    } catch (error) {
      if (missingRight(error) === null) throw error;
      return null;
    }
  }
}

/** The reason if the credential lacks a permission or the feature is disabled. Null for all other errors. */
function missingRight(error: unknown): string | null {
  if (isUnreadableWiki(error)) return `wiki: ${error.message}`;
  if (isSourceFault(error, 'missing') && error.status === 410) return `GitHub: ${error.quote ?? 'disabled'}`;
  if (!isSourceFault(error, 'forbidden') || !/not accessible by/i.test(error.quote ?? '')) return null;
  return 'The credential lacks the permission to read this.';
}

function present<T>(thread: T | undefined): T {
  if (thread === undefined) throw new UnreadableDocument('was deleted while it was read');
  return thread;
}
