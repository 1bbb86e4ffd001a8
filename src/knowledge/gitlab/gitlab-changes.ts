import { z } from 'zod';
import { CursorExpired } from '../../connections/connections.error.js';
import type { ChangesContext, RemovedDocument, SourceDocument } from '../../connections/knowledge-source.port.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import {
  findGitlabCommit,
  findGitlabFiles,
  gitlabFileDocumentId,
  GitlabFiles,
  listGitlabFiles,
} from './gitlab-code.js';
import {
  gitlabCursorIn,
  gitlabJson,
  gitlabSinceOf,
  type GitlabProjectCursor,
  type GitlabStage,
  type GitlabThreadStage,
} from './gitlab-progress.js';
import { chosenGitlabProjects, type GitlabProject } from './gitlab-projects.js';
import { GitlabReader } from './gitlab-reader.js';
import { findGitlabThread, gitlabThreadDocumentId, gitlabThreadsSince } from './gitlab-threads.js';

type Change = SourceDocument | RemovedDocument;

/** The thread that a webhook names. The sync loads its current state, so the order of webhooks does not matter. */
const gitlabHint = z.object({
  project: z.number(),
  stage: z.enum(['issues', 'merge_requests']),
  iid: z.number().int().positive(),
  id: z.number().int().positive(),
});
export type GitlabHint = z.output<typeof gitlabHint>;

/** Documents that changed since the last pass, with a short overlap. */
export async function* gitlabChanges(context: ChangesContext): AsyncGenerator<Change> {
  const cursor = gitlabCursorIn(context.cursor);
  if (!cursor) throw new CursorExpired('The cursor is of another version.');
  const reader = new GitlabReader(context);
  const projects = await chosenGitlabProjects(reader.api, context.settings);
  if (cursor.stages.join() !== reader.stages.join()) throw new CursorExpired('The content of the connection changed.');
  const known = new Set(Object.keys(cursor.projects));
  if (known.size !== projects.length || !projects.every(({ id }) => known.has(String(id))))
    throw new CursorExpired('The projects of the connection changed.');
  for (const project of projects) {
    const changes = new ProjectChanges(reader, project, cursor.projects[project.id]);
    yield* changes.read(hintsOf(context.hints, project.id));
  }
  context.setCursor(gitlabJson(cursor));
}

const hintsOf = (hints: readonly JsonObject[], projectId: number): GitlabHint[] =>
  hints.flatMap((one) => {
    const hint = gitlabHint.safeParse(one).data;
    return hint?.project === projectId ? [hint] : [];
  });

class ProjectChanges {
  constructor(
    private readonly reader: GitlabReader,
    private readonly project: GitlabProject,
    /** Updated during the pass. */
    private readonly cursor: GitlabProjectCursor,
  ) {}

  async *read(hints: readonly GitlabHint[]): AsyncGenerator<Change> {
    const { reader, project } = this;
    for (const stage of reader.stages) yield* reader.readable(project, stage, this.stage(stage, hints));
  }

  private stage(stage: GitlabStage, hints: readonly GitlabHint[]): AsyncGenerator<Change> {
    return stage === 'code' ? this.code() : this.threads(stage, hints);
  }

  private async *threads(stage: GitlabThreadStage, hints: readonly GitlabHint[]): AsyncGenerator<Change> {
    const { reader, project, cursor } = this;
    const yielded = new Set<number>();
    let latest: string | null = null;
    for await (const { items, reached } of gitlabThreadsSince(reader.api, project.id, stage, cursor[stage])) {
      // a thread that changes during the pass is listed again, and the next pass reads it
      const fresh = items.filter(({ iid }) => !yielded.has(iid));
      latest = fresh.length === items.length ? reached : (latest ?? cursor[stage]);
      for (const { iid } of fresh) yielded.add(iid);
      yield* reader.threadDocuments(project, stage, fresh);
      if (fresh.length < items.length) break;
    }
    const since = gitlabSinceOf(latest);
    if (since !== null && (cursor[stage] === null || since > cursor[stage])) cursor[stage] = since;
    for (const hint of hints) {
      if (hint.stage !== stage || yielded.has(hint.iid)) continue;
      yielded.add(hint.iid);
      const thread = await findGitlabThread(reader.api, project.id, stage, hint.iid);
      if (thread) yield* reader.threadDocuments(project, stage, [thread]);
      else yield { removed: gitlabThreadDocumentId(project.id, stage, hint.id) };
    }
  }

  private async *code(): AsyncGenerator<Change> {
    const { api, context } = this.reader;
    const { project, cursor } = this;
    const commit = await findGitlabCommit(api, project);
    if (commit === cursor.commit) return;
    const before = cursor.commit === null ? [] : await findGitlabFiles(api, project.id, cursor.commit);
    if (!before)
      throw new CursorExpired(`GitLab no longer has the commit of ${project.path_with_namespace} that was read last.`);
    const after = commit === null ? [] : await listGitlabFiles(api, project.id, commit);
    const blobByPath = new Map(before.map(({ path, blob }) => [path, blob]));
    const changed = after.filter(({ path, blob }) => blobByPath.get(path) !== blob);
    if (commit !== null && changed.length)
      yield* new GitlabFiles(api, project, commit).documents(changed, context.skipped);
    const present = new Set(after.map(({ path }) => path));
    for (const { path } of before) if (!present.has(path)) yield { removed: gitlabFileDocumentId(project.id, path) };
    cursor.commit = commit;
  }
}
