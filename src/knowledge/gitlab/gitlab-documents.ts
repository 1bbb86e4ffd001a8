import { z } from 'zod';
import type { DocumentsContext, SourceDocument } from '../../connections/knowledge-source.port.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { StagedPass } from '../source-kit/staged-pass.js';
import type { StagedProgress } from '../source-kit/staged-progress.js';
import { findGitlabCommit, findGitlabFiles, GitlabFiles, listGitlabFiles } from './gitlab-code.js';
import { type GitlabGroupCursors, gitlabGroupWikiChanges } from './gitlab-group-wikis.js';
import { gitlabFormat, type GitlabProjectCursor, type GitlabStage, type GitlabThreadStage } from './gitlab-progress.js';
import { chosenGitlabProjects, type GitlabProject } from './gitlab-projects.js';
import { GitlabReader } from './gitlab-reader.js';
import { gitlabThreadsSince } from './gitlab-threads.js';
import { gitlabProjectWiki, gitlabWikiCursorOf, readGitlabWiki } from './gitlab-wikis.js';

/** A complete pass. */
export async function* gitlabDocuments(context: DocumentsContext): AsyncGenerator<SourceDocument> {
  let cursor: JsonObject = {};
  const reader = new GitlabReader({ ...context, setCursor: (value) => void (cursor = value) });
  const projects = await chosenGitlabProjects(reader.api, context.settings);
  yield* new GitlabPass(reader, gitlabFormat.openProgress(context.progress)).documents(projects);
  const groupWikis: GitlabGroupCursors = {};
  if (reader.stages.includes('wiki'))
    for await (const page of gitlabGroupWikiChanges(reader.api, context, groupWikis))
      if (!('removed' in page)) yield page;
  context.setCursor({ ...cursor, groupWikis });
}

class GitlabPass extends StagedPass<GitlabProject, GitlabStage, GitlabProjectCursor> {
  constructor(
    private readonly reader: GitlabReader,
    progress: StagedProgress<GitlabStage, GitlabProjectCursor>,
  ) {
    super(reader, progress);
  }

  protected stage(project: GitlabProject, stage: GitlabStage): AsyncGenerator<SourceDocument> {
    if (stage === 'wiki') return this.wiki(project);
    return stage === 'code' ? this.code(project) : this.threads(project, stage);
  }

  private async *threads(project: GitlabProject, stage: GitlabThreadStage): AsyncGenerator<SourceDocument> {
    const since = this.current.at;
    if (since === null) await this.count(project, stage);
    for await (const { items, reached } of gitlabThreadsSince(this.reader.api, project.id, stage, since)) {
      yield* this.reader.threadDocuments(project, stage, items);
      await this.reach(reached);
    }
  }

  private async *code(project: GitlabProject): AsyncGenerator<SourceDocument> {
    const { api, context } = this.reader;
    const { current } = this;
    // a resumed pass continues with the commit of its start, so that it skips no file
    let { commit } = current.cursor;
    let files = commit === null ? null : await findGitlabFiles(api, project.id, commit);
    if (commit === null || !files) {
      current.at = null;
      current.cursor.commit = commit = await findGitlabCommit(api, project);
      if (commit === null) return;
      files = await listGitlabFiles(api, project.id, commit);
    }
    const reader = new GitlabFiles(api, project, commit);
    yield* this.files(files, (page) => reader.documents(page, context.skipped));
  }

  private async *wiki(project: GitlabProject): AsyncGenerator<SourceDocument> {
    const { api } = this.reader;
    const wiki = await readGitlabWiki(api, gitlabProjectWiki(api, project));
    this.expect(wiki.pages.size);
    yield* wiki.pages.values();
    this.current.cursor.wiki = gitlabWikiCursorOf(wiki);
  }

  /** Only estimates the progress. GitLab omits the total of long lists. */
  private async count(project: GitlabProject, stage: GitlabThreadStage): Promise<void> {
    const query = { scope: 'all', state: 'all', per_page: 1 };
    try {
      const path = `/projects/${project.id}/${stage}`;
      const { headers } = await this.reader.api.rest.request({ path, query, schema: z.array(z.unknown()) });
      const total = Number(headers.get('x-total') ?? NaN);
      if (Number.isSafeInteger(total)) this.expect(total);
    } catch (error) {
      if (!isSourceFault(error, 'forbidden')) throw error;
    }
  }
}
