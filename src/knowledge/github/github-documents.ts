import { z } from 'zod';
import type { DocumentsContext, SourceDocument } from '../../connections/knowledge-source.port.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { GitStorage } from '../git/repository-pass.js';
import { pagesByCursor } from '../source-kit/source-pages.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { StagedPass } from '../source-kit/staged-pass.js';
import type { StagedProgress } from '../source-kit/staged-progress.js';
import { findGithubFiles, findGithubHead, GithubFiles, listGithubFiles } from './github-code.js';
import { readGithubDiscussions } from './github-discussions.js';
import { githubIssuesSince } from './github-issues.js';
import { githubFormat, type GithubRepositoryCursor, type GithubStage } from './github-progress.js';
import { GithubReader } from './github-reader.js';
import { chosenGithubRepositories, type GithubRepositoryInfo } from './github-repositories.js';
import { GithubWikis } from './github-wikis.js';

const repositoriesPerCount = 50;

/** A complete pass. */
export async function* githubDocuments(context: DocumentsContext, storage: GitStorage): AsyncGenerator<SourceDocument> {
  const reader = new GithubReader(context);
  const wikis = new GithubWikis(reader.api, context, storage);
  const repositories = await chosenGithubRepositories(reader.api, context.settings);
  const pass = new GithubPass(reader, wikis, githubFormat.openProgress(context.progress));
  await pass.countThreads(repositories);
  yield* pass.documents(repositories);
  await wikis.forgetOthers(reader.stages.includes('wiki') ? repositories : []);
}

class GithubPass extends StagedPass<GithubRepositoryInfo, GithubStage, GithubRepositoryCursor> {
  constructor(
    private readonly reader: GithubReader,
    private readonly wikis: GithubWikis,
    progress: StagedProgress<GithubStage, GithubRepositoryCursor>,
  ) {
    super(reader, progress);
  }

  protected stage(repository: GithubRepositoryInfo, stage: GithubStage): AsyncGenerator<SourceDocument> {
    if (stage === 'issues') return this.issues(repository);
    if (stage === 'discussions') return this.discussions(repository);
    return stage === 'code' ? this.code(repository) : this.wiki(repository);
  }

  private async *issues(repository: GithubRepositoryInfo): AsyncGenerator<SourceDocument> {
    const since = this.current.at;
    for await (const { items: issues, reached } of githubIssuesSince(this.reader.api, repository.id, { since })) {
      yield* this.reader.issueDocuments(repository, issues);
      await this.reach(reached);
    }
  }

  private async *discussions(repository: GithubRepositoryInfo): AsyncGenerator<SourceDocument> {
    if (!repository.has_discussions) return;
    const read = (after: string | null) => readGithubDiscussions(this.reader.api, repository, 'CREATED_AT', after);
    let from = this.current.at;
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
    const { current } = this;
    // a resumed pass continues with the commit of its start, so that it skips no file
    let { head } = current.cursor;
    let files = head && (await findGithubFiles(api, repository.id, head.tree));
    if (!head || !files) {
      current.at = null;
      current.cursor.head = head = await findGithubHead(api, repository);
      if (!head) return;
      files = await listGithubFiles(api, repository.id, head.tree);
    }
    const reader = new GithubFiles(api, repository, head);
    yield* this.files(files, (page) => reader.documents(page, context.skipped));
  }

  private wiki(repository: GithubRepositoryInfo): AsyncGenerator<SourceDocument> {
    const { current } = this;
    return this.wikis.pages(repository, current.cursor, {
      progress: current.at === null ? null : (JSON.parse(current.at) as JsonObject),
      checkpoint: (progress) => this.reach(JSON.stringify(progress)),
      expects: (count) => this.expect(count),
    });
  }

  /** Only estimates the progress, so the pass continues if the credential cannot read the counts. */
  async countThreads(repositories: readonly GithubRepositoryInfo[]): Promise<void> {
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
          if (one) this.expect(one.issues.totalCount + one.pullRequests.totalCount + one.discussions.totalCount);
      }
    } catch (error) {
      if (!isSourceFault(error, 'forbidden', 'refused')) throw error;
    }
  }
}
