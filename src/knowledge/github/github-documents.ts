import { z } from 'zod';
import type { DocumentsContext, SourceDocument } from '../../connections/knowledge-source.port.js';
import { pagesByCursor } from '../source-kit/source-pages.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { findGithubFiles, findGithubHead, GithubFiles, listGithubFiles } from './github-code.js';
import { readGithubDiscussions } from './github-discussions.js';
import { githubIssuesSince } from './github-issues.js';
import { asJson, githubProgressIn, type GithubProgress, type GithubStage } from './github-progress.js';
import { GithubReader } from './github-reader.js';
import { chosenGithubRepositories, type GithubRepositoryInfo } from './github-repositories.js';

const filesPerCheckpoint = 200;
const repositoriesPerCount = 50;

/** A complete pass: repository by repository, resumable after each page. */
export async function* githubDocuments(context: DocumentsContext): AsyncGenerator<SourceDocument> {
  const walk = new GithubWalk(new GithubReader(context), githubProgressIn(context.progress));
  yield* walk.documents();
}

class GithubWalk {
  private expected = 0;

  constructor(
    private readonly reader: GithubReader,
    private readonly progress: GithubProgress,
  ) {}

  async *documents(): AsyncGenerator<SourceDocument> {
    const { reader, progress } = this;
    const { context, api, closed } = reader;
    for (const part of progress.closed) context.skipped(part.id, part.reason);
    closed.push(...progress.closed);
    const repositories = await chosenGithubRepositories(api, context.settings);
    await this.countThreads(repositories);
    for (const repository of repositories) {
      if (String(repository.id) in progress.done) continue;
      if (progress.current?.repository !== repository.id) {
        const [stage] = reader.stages;
        progress.current = { repository: repository.id, cursor: await reader.cursorOfNow(repository), stage, at: null };
      }
      yield* this.repository(repository);
      progress.done[repository.id] = progress.current.cursor;
      progress.current = null;
      await this.checkpoint();
    }
    const read = repositories.map(({ id }) => [String(id), progress.done[id]] as const);
    context.setCursor(asJson({ version: 1, stages: [...reader.stages], repositories: Object.fromEntries(read) }));
  }

  private async *repository(repository: GithubRepositoryInfo): AsyncGenerator<SourceDocument> {
    const { stages } = this.reader;
    const current = this.progress.current!;
    for (const stage of stages.slice(Math.max(0, stages.indexOf(current.stage)))) {
      if (stage !== current.stage) Object.assign(current, { stage, at: null });
      yield* this.reader.readable(repository, stage, this.stage(repository, stage));
    }
  }

  private stage(repository: GithubRepositoryInfo, stage: GithubStage): AsyncGenerator<SourceDocument> {
    if (stage === 'issues') return this.issues(repository);
    return stage === 'discussions' ? this.discussions(repository) : this.code(repository);
  }

  private async *issues(repository: GithubRepositoryInfo): AsyncGenerator<SourceDocument> {
    const since = this.progress.current!.at;
    for await (const { items: issues, reached } of githubIssuesSince(this.reader.api, repository.id, { since })) {
      yield* this.reader.issueDocuments(repository, issues);
      await this.reach(reached);
    }
  }

  private async *discussions(repository: GithubRepositoryInfo): AsyncGenerator<SourceDocument> {
    if (!repository.has_discussions) return;
    const read = (after: string | null) => readGithubDiscussions(this.reader.api, repository, 'CREATED_AT', after);
    let from = this.progress.current!.at;
    if (from !== null)
      await read(from).catch((error: unknown) => {
        // the cursor of the interrupted pass expired
        if (!isSourceFault(error, 'refused')) throw error;
        from = null;
      });
    for await (const { items, next } of pagesByCursor(read, from)) {
      yield* this.reader.discussionDocuments(repository, items);
      if (next !== null) await this.reach(next);
    }
  }

  private async *code(repository: GithubRepositoryInfo): AsyncGenerator<SourceDocument> {
    const { api, context } = this.reader;
    const current = this.progress.current!;
    // a resumed pass continues with the commit of its start, so that it skips no file
    let { head } = current.cursor;
    let files = head && (await findGithubFiles(api, repository.id, head.tree));
    if (!head || !files) {
      current.at = null;
      current.cursor.head = head = await findGithubHead(api, repository);
      if (!head) return;
      files = await listGithubFiles(api, repository.id, head.tree);
    }
    context.expects((this.expected += files.length));
    const reader = new GithubFiles(api, repository, head);
    const after = current.at;
    const rest = after === null ? files : files.filter(({ path }) => path > after);
    for (let at = 0; at < rest.length; at += filesPerCheckpoint) {
      const page = rest.slice(at, at + filesPerCheckpoint);
      yield* reader.documents(page, context.skipped);
      await this.reach(page.at(-1)!.path);
    }
  }

  private async reach(at: string | null): Promise<void> {
    this.progress.current!.at = at;
    await this.checkpoint();
  }

  private checkpoint(): Promise<void> {
    return this.reader.context.checkpoint(asJson({ ...this.progress, closed: this.reader.closed }));
  }

  /** Only estimates the progress, so the pass continues if the credential cannot read the counts. */
  private async countThreads(repositories: readonly GithubRepositoryInfo[]): Promise<void> {
    if (!this.reader.stages.includes('issues')) return;
    const total = z.object({ totalCount: z.number() });
    const data = z.object({
      nodes: z.array(z.object({ issues: total, pullRequests: total, discussions: total }).nullable()),
    });
    const query = `query($ids: [ID!]!) { nodes(ids: $ids) { ... on Repository {
      issues { totalCount } pullRequests { totalCount } discussions { totalCount } } } }`;
    try {
      for (let at = 0; at < repositories.length; at += repositoriesPerCount) {
        const ids = repositories.slice(at, at + repositoriesPerCount).map(({ node_id }) => node_id);
        const { nodes } = await this.reader.api.query(query, { ids }, data, true);
        for (const one of nodes)
          if (one) this.expected += one.issues.totalCount + one.pullRequests.totalCount + one.discussions.totalCount;
      }
      this.reader.context.expects(this.expected);
    } catch (error) {
      if (!isSourceFault(error, 'forbidden', 'refused')) throw error;
    }
  }
}
