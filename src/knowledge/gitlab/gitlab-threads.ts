import { z } from 'zod';
import type { SourceDocument } from '../../connections/knowledge-source.port.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { pagesByLink } from '../source-kit/source-pages.js';
import { composeThread, type ThreadEntry } from '../source-kit/thread-text.js';
import { updatedSince, type UpdatedPage } from '../source-kit/updated-since.js';
import type { GitlabApi } from './gitlab-api.js';
import type { GitlabThreadStage } from './gitlab-progress.js';
import type { GitlabProject } from './gitlab-projects.js';
import { gitlabAudienceId, gitlabConfidentialAudienceId, type GitlabSite } from './gitlab-site.js';

const person = z.object({ id: z.number().int(), username: z.string() });
/** An issue or a merge request. */
export const gitlabThread = z.object({
  id: z.number().int(),
  iid: z.number().int(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.string(),
  /** Only issues have it. Required for them in `audienceOf`. */
  confidential: z.boolean().optional(),
  author: person.nullish(),
  assignees: z.array(person).nullish(),
  labels: z.array(z.string()).catch([]),
  user_notes_count: z.number().int().catch(1),
  updated_at: z.iso.datetime({ offset: true }),
  draft: z.boolean().nullish(),
  milestone: z.object({ title: z.string() }).nullish(),
});
export type GitlabThread = z.output<typeof gitlabThread>;

/** In the order of changes, the oldest first. */
export function gitlabThreadsSince(
  api: GitlabApi,
  projectId: number,
  stage: GitlabThreadStage,
  since: string | null,
): AsyncGenerator<UpdatedPage<GitlabThread>> {
  const query = { scope: 'all', state: 'all', order_by: 'updated_at', sort: 'asc' };
  const path = `/projects/${projectId}/${stage}`;
  return updatedSince(api.rest, { path, query, sinceParameter: 'updated_after', item: gitlabThread }, { since });
}

/** Null if it was deleted. */
export async function findGitlabThread(
  api: GitlabApi,
  projectId: number,
  stage: GitlabThreadStage,
  iid: number,
): Promise<GitlabThread | null> {
  try {
    return await api.rest.get(`/projects/${projectId}/${stage}/${iid}`, gitlabThread);
  } catch (error) {
    if (isSourceFault(error, 'missing')) return null;
    throw error;
  }
}

export const gitlabThreadDocumentId = (projectId: number, stage: GitlabThreadStage, id: number): string =>
  `projects/${projectId}/${stage}/${id}`;

/** The author and the assignees, who can read a confidential issue with any role. */
export const gitlabPeopleOf = ({ author, assignees }: Pick<GitlabThread, 'author' | 'assignees'>): number[] =>
  [...(author ? [author] : []), ...(assignees ?? [])].map(({ id }) => id);

/** An issue without the field counts as confidential. */
function audienceOf(site: GitlabSite, { id }: GitlabProject, stage: GitlabThreadStage, thread: GitlabThread): string {
  return stage === 'issues' && thread.confidential !== false
    ? gitlabConfidentialAudienceId(site, id, gitlabPeopleOf(thread))
    : gitlabAudienceId(site, id, stage);
}

const reference = (project: GitlabProject, stage: GitlabThreadStage, iid: number): string =>
  `${project.path_with_namespace}${stage === 'issues' ? '#' : '!'}${iid}`;

/** Part of the fingerprint. Increase it when the format of the composed text changes. */
const textVersion = 1;

export function gitlabThreadDocument(
  site: GitlabSite,
  project: GitlabProject,
  stage: GitlabThreadStage,
  thread: GitlabThread,
  content: SourceDocument['content'],
): SourceDocument {
  const { id, iid, title, author, updated_at: updatedAt, user_notes_count: notes } = thread;
  const container = project.path_with_namespace;
  const audience = audienceOf(site, project, stage, thread);
  return {
    externalId: gitlabThreadDocumentId(project.id, stage, id),
    kind: 'ticket',
    title: `${title.trim() || 'Untitled'} (${stage === 'issues' ? '#' : '!'}${iid})`,
    author: author?.username,
    url: `${site.webUrl}/${container}/-/${stage}/${iid}`,
    container,
    updatedAt: new Date(updatedAt),
    mediaType: 'text/markdown',
    content,
    audience,
    fingerprint: JSON.stringify([textVersion, updatedAt, notes, container, audience]),
  };
}

const position = z
  .object({ new_path: z.string().nullish(), old_path: z.string().nullish(), new_line: z.number().nullish() })
  .nullish();
const note = z.object({
  body: z.string().nullish(),
  author: person.nullish(),
  created_at: z.iso.datetime({ offset: true }),
  system: z.boolean(),
  /** Only the role Reporter reads internal notes, also in an issue that everyone reads. */
  internal: z.boolean().optional(),
  confidential: z.boolean().nullish(),
  position: position.catch(null),
});
const discussion = z.object({ notes: z.array(note) });
export type GitlabDiscussion = z.output<typeof discussion>;

const maxTextLength = 3_000_000;

/** The comments of a thread, in the order of its discussions. Undefined if the thread was deleted. */
export async function loadGitlabDiscussions(
  api: GitlabApi,
  projectId: number,
  stage: GitlabThreadStage,
  iid: number,
): Promise<GitlabDiscussion[] | undefined> {
  const path = `/projects/${projectId}/${stage}/${iid}/discussions`;
  const found: GitlabDiscussion[] = [];
  let length = 0;
  try {
    for await (const { items } of pagesByLink(api.rest, { path, item: discussion, query: { per_page: 100 } })) {
      found.push(...items);
      for (const { notes } of items) for (const { body } of notes) length += body?.length ?? 0;
      if (length > maxTextLength) break;
    }
    return found;
  } catch (error) {
    if (isSourceFault(error, 'missing')) return undefined;
    throw error;
  }
}

export function gitlabThreadText(
  project: GitlabProject,
  stage: GitlabThreadStage,
  thread: GitlabThread,
  discussions: readonly GitlabDiscussion[],
): string {
  const { title, iid, state, draft, labels, milestone, author, assignees, confidential, description: body } = thread;
  const isIssue = stage === 'issues';
  return composeThread({
    title,
    facts: [
      [isIssue ? 'Issue' : 'Merge request', reference(project, stage, iid)],
      ['State', (state === 'opened' ? 'open' : state) + (draft ? ', draft' : '')],
      ['Confidential', isIssue && confidential ? 'yes' : null],
      ['Labels', labels.join(', ')],
      ['Milestone', milestone?.title],
      ['Author', author?.username],
      ['Assignees', assignees?.map(({ username }) => username).join(', ')],
    ],
    body,
    entries: entriesOf(discussions),
  });
}

/** Comments that everyone who reads the thread can read. */
function entriesOf(discussions: readonly GitlabDiscussion[]): ThreadEntry[] {
  const entries: ThreadEntry[] = [];
  let length = 0;
  for (const { notes } of discussions) {
    const shown = notes.filter(({ system, internal, confidential }) => !system && !internal && !confidential);
    for (const [at, one] of shown.entries()) {
      length += one.body?.length ?? 0;
      if (length > maxTextLength) return entries;
      const file = at === 0 ? (one.position?.new_path ?? one.position?.old_path) : undefined;
      const line = one.position?.new_line;
      entries.push({
        label: at > 0 ? 'Reply' : file ? 'Review comment' : 'Comment',
        author: one.author?.username,
        at: new Date(one.created_at),
        text: one.body,
        note: file ? (line ? `${file}:${line}` : file) : undefined,
      });
    }
  }
  return entries;
}
