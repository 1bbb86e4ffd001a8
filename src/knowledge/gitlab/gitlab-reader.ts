import { UnreadableDocument } from '../../connections/connections.error.js';
import type { DocumentsContext, SourceDocument } from '../../connections/knowledge-source.port.js';
import { BatchLoader } from '../source-kit/batch-loader.js';
import { mapConcurrently } from '../source-kit/map-concurrently.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { z } from 'zod';
import { GitlabApi } from './gitlab-api.js';
import {
  gitlabSinceOf,
  gitlabStages,
  type GitlabProjectCursor,
  type GitlabStage,
  type GitlabThreadStage,
} from './gitlab-progress.js';
import { canReadGitlabProject, gitlabFeatureLevelOf, type GitlabProject } from './gitlab-projects.js';
import {
  gitlabThread,
  gitlabThreadDocument,
  gitlabThreadText,
  loadGitlabDiscussions,
  type GitlabDiscussion,
  type GitlabThread,
} from './gitlab-threads.js';

const concurrentThreads = 4;

interface ThreadToLoad {
  project: GitlabProject;
  stage: GitlabThreadStage;
  iid: number;
}

/** Creates documents from GitLab's lists. Their comments are loaded on demand. */
export class GitlabReader {
  readonly api: GitlabApi;
  /** Unreadable parts. */
  readonly closed: { id: string; reason: string }[] = [];
  private readonly discussions: BatchLoader<ThreadToLoad, GitlabDiscussion[] | undefined>;

  constructor(readonly context: DocumentsContext) {
    const api = new GitlabApi(context, { quota: (status) => context.quota(status) });
    this.api = api;
    const load = ({ project, stage, iid }: ThreadToLoad) => loadGitlabDiscussions(api, project.id, stage, iid);
    this.discussions = new BatchLoader((all) => Array.fromAsync(mapConcurrently(all, concurrentThreads, load)), {
      size: concurrentThreads,
    });
  }

  get stages(): readonly GitlabStage[] {
    const { content } = this.context.settings;
    if (content === 'threads') return ['issues', 'merge_requests'];
    return content === 'code' ? ['code', 'wiki'] : gitlabStages;
  }

  threadDocuments(
    project: GitlabProject,
    stage: GitlabThreadStage,
    threads: readonly GitlabThread[],
  ): SourceDocument[] {
    const commented = threads.filter(({ user_notes_count: notes }) => notes > 0);
    const loads = this.discussions.page(commented.map(({ iid }) => ({ project, stage, iid })));
    let at = 0;
    return threads.map((thread) => {
      const load = thread.user_notes_count > 0 ? loads[at++] : null;
      const content = async () => {
        const discussions = load ? await load() : [];
        if (!discussions) throw new UnreadableDocument('was deleted while it was read');
        return gitlabThreadText(project, stage, thread, discussions);
      };
      return gitlabThreadDocument(this.api.site, project, stage, thread, content);
    });
  }

  /** The cursor from which `changes` continues after a complete pass that starts now. */
  async cursorOfNow(project: GitlabProject): Promise<GitlabProjectCursor> {
    const since = async (stage: GitlabThreadStage) =>
      this.stages.includes(stage) ? gitlabSinceOf(await this.latestChange(project, stage)) : null;
    return { issues: await since('issues'), merge_requests: await since('merge_requests'), commit: null, wiki: null };
  }

  /**
   * Reads a part of a project. A disabled part has no documents. If the token may not read it, the part is reported as
   * skipped and its documents stay; the roster opens them to no one. All other errors end the pass.
   */
  async *readable<T>(project: GitlabProject, stage: GitlabStage, part: AsyncIterable<T>): AsyncGenerator<T> {
    if (gitlabFeatureLevelOf(project, stage) === 'disabled') return;
    if (!(await canReadGitlabProject(this.api, project)))
      return this.skip(project, stage, 'The token needs the role Reporter to read it.');
    if (stage === 'code' && !project.default_branch && !project.empty_repo)
      return this.skip(project, stage, 'The token may not read the repository.');
    try {
      yield* part;
    } catch (error) {
      if (stage === 'wiki' && isSourceFault(error, 'too-large'))
        return this.skip(project, stage, 'The wiki is too large to be read.');
      if (!isSourceFault(error, 'forbidden')) throw error;
      this.skip(project, stage, 'The token lacks the scope or the role to read it.');
    }
  }

  private skip(project: GitlabProject, stage: GitlabStage, why: string): void {
    const part = { id: `projects/${project.id}/${stage}/`, reason: `${project.path_with_namespace}: ${why}` };
    this.closed.push(part);
    this.context.skipped(part.id, part.reason);
  }

  private async latestChange(project: GitlabProject, stage: GitlabThreadStage): Promise<string | null> {
    if (gitlabFeatureLevelOf(project, stage) === 'disabled') return null;
    const query = { scope: 'all', state: 'all', order_by: 'updated_at', sort: 'desc', per_page: 1 };
    try {
      const [latest] = await this.api.rest.get(`/projects/${project.id}/${stage}`, z.array(gitlabThread), query);
      return latest?.updated_at ?? null;
    } catch (error) {
      if (!isSourceFault(error, 'forbidden')) throw error;
      return null; // reported when the part is read
    }
  }
}
