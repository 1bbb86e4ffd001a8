import { z } from 'zod';
import type { DocumentsContext, SourceDocument } from '../../connections/knowledge-source.port.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { findGitlabCommit, findGitlabFiles, GitlabFiles, listGitlabFiles } from './gitlab-code.js';
import {
  gitlabJson,
  gitlabProgressIn,
  type GitlabProgress,
  type GitlabStage,
  type GitlabThreadStage,
} from './gitlab-progress.js';
import { chosenGitlabProjects, type GitlabProject } from './gitlab-projects.js';
import { GitlabReader } from './gitlab-reader.js';
import { gitlabThreadsSince } from './gitlab-threads.js';

const filesPerCheckpoint = 200;

/** A complete pass: project by project, resumable after each page. */
export async function* gitlabDocuments(context: DocumentsContext): AsyncGenerator<SourceDocument> {
  const walk = new GitlabWalk(new GitlabReader(context), gitlabProgressIn(context.progress));
  yield* walk.documents();
}

class GitlabWalk {
  private expected = 0;

  constructor(
    private readonly reader: GitlabReader,
    private readonly progress: GitlabProgress,
  ) {}

  async *documents(): AsyncGenerator<SourceDocument> {
    const { reader, progress } = this;
    const { context, api, closed } = reader;
    for (const part of progress.closed) context.skipped(part.id, part.reason);
    closed.push(...progress.closed);
    const projects = await chosenGitlabProjects(api, context.settings);
    for (const project of projects) {
      if (String(project.id) in progress.done) continue;
      if (progress.current?.project !== project.id) {
        const [stage] = reader.stages;
        progress.current = { project: project.id, cursor: await reader.cursorOfNow(project), stage, at: null };
      }
      yield* this.project(project);
      progress.done[project.id] = progress.current.cursor;
      progress.current = null;
      await this.checkpoint();
    }
    const read = projects.map(({ id }) => [String(id), progress.done[id]] as const);
    context.setCursor(gitlabJson({ version: 1, stages: [...reader.stages], projects: Object.fromEntries(read) }));
  }

  private async *project(project: GitlabProject): AsyncGenerator<SourceDocument> {
    const { stages } = this.reader;
    const current = this.progress.current!;
    for (const stage of stages.slice(Math.max(0, stages.indexOf(current.stage)))) {
      if (stage !== current.stage) Object.assign(current, { stage, at: null });
      yield* this.reader.readable(project, stage, this.stage(project, stage));
    }
  }

  private stage(project: GitlabProject, stage: GitlabStage): AsyncGenerator<SourceDocument> {
    return stage === 'code' ? this.code(project) : this.threads(project, stage);
  }

  private async *threads(project: GitlabProject, stage: GitlabThreadStage): AsyncGenerator<SourceDocument> {
    const since = this.progress.current!.at;
    if (since === null) await this.count(project, stage);
    for await (const { items, reached } of gitlabThreadsSince(this.reader.api, project.id, stage, since)) {
      yield* this.reader.threadDocuments(project, stage, items);
      await this.reach(reached);
    }
  }

  private async *code(project: GitlabProject): AsyncGenerator<SourceDocument> {
    const { api, context } = this.reader;
    const current = this.progress.current!;
    // a resumed pass continues with the commit of its start, so that it skips no file
    let { commit } = current.cursor;
    let files = commit === null ? null : await findGitlabFiles(api, project.id, commit);
    if (commit === null || !files) {
      current.at = null;
      current.cursor.commit = commit = await findGitlabCommit(api, project);
      if (commit === null) return;
      files = await listGitlabFiles(api, project.id, commit);
    }
    context.expects((this.expected += files.length));
    const reader = new GitlabFiles(api, project, commit);
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
    return this.reader.context.checkpoint(gitlabJson({ ...this.progress, closed: this.reader.closed }));
  }

  /** Only estimates the progress. GitLab omits the total of long lists. */
  private async count(project: GitlabProject, stage: GitlabThreadStage): Promise<void> {
    const query = { scope: 'all', state: 'all', per_page: 1 };
    try {
      const path = `/projects/${project.id}/${stage}`;
      const { headers } = await this.reader.api.rest.request({ path, query, schema: z.array(z.unknown()) });
      const total = Number(headers.get('x-total') ?? NaN);
      if (Number.isSafeInteger(total)) this.reader.context.expects((this.expected += total));
    } catch (error) {
      if (!isSourceFault(error, 'forbidden')) throw error;
    }
  }
}
