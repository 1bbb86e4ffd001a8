import { z } from 'zod';
import { CursorExpired } from '../../connections/connections.error.js';
import type { ChangesContext, RemovedDocument, SourceDocument } from '../../connections/knowledge-source.port.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { changedFiles } from '../source-kit/repository-files.js';
import { assertSameContainers, jsonOf } from '../source-kit/staged-progress.js';
import {
  findGitlabCommit,
  findGitlabFiles,
  gitlabFileDocumentId,
  GitlabFiles,
  listGitlabFiles,
} from './gitlab-code.js';
import { gitlabGroupCursorsIn, gitlabGroupWikiChanges } from './gitlab-group-wikis.js';
import {
  gitlabFormat,
  gitlabSinceOf,
  type GitlabProjectCursor,
  type GitlabStage,
  type GitlabThreadStage,
} from './gitlab-progress.js';
import { chosenGitlabProjects, type GitlabProject } from './gitlab-projects.js';
import { GitlabReader } from './gitlab-reader.js';
import { findGitlabThread, gitlabThreadDocumentId, gitlabThreadsSince } from './gitlab-threads.js';
import {
  changesOfGitlabWiki,
  gitlabProjectWiki,
  gitlabWikiCursorOf,
  isGitlabWikiDue,
  readGitlabWiki,
} from './gitlab-wikis.js';

type Change = SourceDocument | RemovedDocument;

/** The thread or wiki that a webhook names. The sync loads its current state, so the order of webhooks does not matter. */
const gitlabHint = z.union([
  z.object({
    project: z.number(),
    stage: z.enum(['issues', 'merge_requests']),
    iid: z.number().int().positive(),
    id: z.number().int().positive(),
  }),
  z.object({ project: z.number(), stage: z.literal('wiki') }),
]);
export type GitlabHint = z.output<typeof gitlabHint>;

/** Documents that changed since the last pass, with a short overlap. */
export async function* gitlabChanges(context: ChangesContext): AsyncGenerator<Change> {
  const reader = new GitlabReader(context);
  const cursor = gitlabFormat.openCursor(context.cursor, reader.stages);
  const projects = await chosenGitlabProjects(reader.api, context.settings);
  assertSameContainers(cursor, projects);
  for (const project of projects) {
    const changes = new ProjectChanges(reader, project, cursor.containers[project.id]);
    yield* changes.read(hintsOf(context.hints, project.id));
  }
  const groupWikis = gitlabGroupCursorsIn(context.cursor);
  if (reader.stages.includes('wiki')) yield* gitlabGroupWikiChanges(reader.api, context, groupWikis);
  context.setCursor({ ...jsonOf(cursor), groupWikis });
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
    if (stage === 'wiki') return this.wiki(hints.some((hint) => hint.stage === 'wiki'));
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
      if (hint.stage === 'wiki' || hint.stage !== stage || yielded.has(hint.iid)) continue;
      yielded.add(hint.iid);
      const thread = await findGitlabThread(reader.api, project.id, stage, hint.iid);
      if (thread) yield* reader.threadDocuments(project, stage, [thread]);
      else yield { removed: gitlabThreadDocumentId(project.id, stage, hint.id) };
    }
  }

  private async *wiki(isNamed: boolean): AsyncGenerator<Change> {
    const { project, cursor } = this;
    if (!isNamed && !isGitlabWikiDue(cursor.wiki)) return;
    const owner = gitlabProjectWiki(this.reader.api, project);
    const wiki = await readGitlabWiki(this.reader.api, owner);
    yield* changesOfGitlabWiki(owner, wiki, cursor.wiki);
    cursor.wiki = gitlabWikiCursorOf(wiki);
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
    const { changed, removed } = changedFiles(before, after);
    if (commit !== null && changed.length)
      yield* new GitlabFiles(api, project, commit).documents(changed, context.skipped);
    for (const path of removed) yield { removed: gitlabFileDocumentId(project.id, path) };
    cursor.commit = commit;
  }
}
