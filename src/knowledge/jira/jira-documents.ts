import { z } from 'zod';
import { CursorExpired, UnreadableDocument } from '../../connections/connections.error.js';
import type {
  ChangesContext,
  DocumentsContext,
  RemovedDocument,
  SourceDocument,
} from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { compareNumericIds } from '../atlassian/numeric-ids.js';
import { slices } from '../atlassian/slices.js';
import { BatchLoader } from '../source-kit/batch-loader.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { JiraAccess } from './jira-access.js';
import type { ConnectJira, JiraClient } from './jira-client.js';
import { JiraParents, type ParentName } from './jira-parents.js';
import { issueText } from './issue-text.js';
import { chosenProjects } from './jira-projects.js';
import type { JiraIssue, JiraProject } from './jira-schemas.js';

/** The search index lags behind the database, and clocks differ. */
const overlapMs = 15 * 60_000;
/** A page token expires after seven days. */
const maxTokenAgeMs = 6 * 24 * 3_600_000;
const projectsPerQuery = 100;

const jiraProgress = z.object({
  /** The start of the pass by the clock of the site. */
  startedAt: z.number(),
  /** The project that is being read. Projects with smaller ids are complete. */
  project: z.string(),
  /** Null: the project is complete, too. */
  nextPageToken: z.string().nullable(),
});
const jiraCursor = z.object({ since: z.number(), shape: z.string() });
const issueHint = z.object({ issue: z.string() });

/** Reads all issues of the chosen projects, in the order of the projects' ids. */
export async function* jiraDocuments(context: DocumentsContext, connect: ConnectJira): AsyncGenerator<SourceDocument> {
  const source = new IssueSource(context, connect);
  const { jira, access } = source;
  await jira.account();
  const now = await jira.serverTime();
  const progress = recentProgress(context.progress, now);
  const startedAt = progress?.startedAt ?? now;
  const projects = await chosenProjects(jira, context.settings);
  context.expects(await count(jira, projects));
  const shape = await access.shapeOf(projects);
  for (const project of projects) {
    if (progress && isComplete(project, progress)) continue;
    const token = progress?.project === project.id ? progress.nextPageToken : null;
    for await (const { issues, next } of pagesFrom(jira, `project = ${project.id}`, token)) {
      yield* source.page(issues.filter(({ fields }) => fields.project.id === project.id));
      await context.checkpoint({ startedAt, project: project.id, nextPageToken: next });
    }
  }
  // with a revoked credential, some responses are shorter lists for anonymous visitors instead of errors
  await jira.account();
  context.setCursor({ since: startedAt, shape });
}

/** Reads issues that changed since the cursor, and the issues in webhook events. */
export async function* jiraChanges(
  context: ChangesContext,
  connect: ConnectJira,
): AsyncGenerator<SourceDocument | RemovedDocument> {
  const source = new IssueSource(context, connect);
  const { jira, access } = source;
  const cursor = jiraCursor.safeParse(context.cursor);
  if (!cursor.success) throw new CursorExpired('The stored cursor is invalid.');
  const now = await jira.serverTime();
  const projects = await chosenProjects(jira, context.settings);
  const shape = await access.shapeOf(projects);
  if (shape !== cursor.data.shape)
    throw new CursorExpired('Projects or their permissions changed, so all issues are read again.');
  const chosen = new Set(projects.map(({ id }) => id));
  const read = new Set(idsIn(context.hints));
  yield* source.named([...read], chosen);
  const since = Math.max(0, Math.min(cursor.data.since, now) - overlapMs);
  for (const part of slices(projects, projectsPerQuery))
    for await (const { issues } of jira.updatedSince(inProjects(part), since)) {
      // the issues in webhook events were read from the database, which is newer than the search index
      yield* source.unread(issues, read, chosen);
      if (!issues.length) continue;
      // an issue shows the name of its parent, and is not updated when this changes
      for await (const children of jira.children(issues)) yield* source.unread(children.issues, read, chosen);
    }
  context.setCursor({ since: now, shape });
}

const issueDocumentId = (id: string): string => `issue/${id}`;

class IssueSource {
  readonly jira: JiraClient;
  readonly access: JiraAccess;
  private readonly parents: JiraParents;
  private readonly contents: BatchLoader<string, JiraIssue | undefined>;

  constructor(
    private readonly context: DocumentsContext,
    connect: ConnectJira,
  ) {
    this.jira = connect(context, { quota: (status) => context.quota(status) });
    this.access = new JiraAccess(this.jira);
    this.parents = new JiraParents(this.jira, this.access);
    const load = async (ids: string[]) => {
      const issues = await this.jira.issues(ids);
      // an anonymous visitor would see none of them
      if (issues.size < ids.length) await this.jira.account();
      return ids.map((id) => issues.get(id));
    };
    this.contents = new BatchLoader(load, { size: this.jira.issuesPerRead });
  }

  async *page(issues: readonly JiraIssue[]): AsyncGenerator<SourceDocument> {
    const reads = this.contents.page(issues.map(({ id }) => id));
    await this.parents.load(issues);
    for (const [at, issue] of issues.entries()) yield await this.document(issue, reads[at]);
  }

  /** The issues of the chosen projects that are not in `read`, which then contains them. */
  async *unread(
    issues: readonly JiraIssue[],
    read: Set<string>,
    projects: ReadonlySet<string>,
  ): AsyncGenerator<SourceDocument> {
    const rest = issues.filter(({ id, fields }) => !read.has(id) && projects.has(fields.project.id));
    for (const { id } of rest) read.add(id);
    yield* this.page(rest);
  }

  /** Yields the current state of the issues in webhook events. */
  async *named(
    ids: readonly string[],
    projects: ReadonlySet<string>,
  ): AsyncGenerator<SourceDocument | RemovedDocument> {
    const reads = this.contents.page(ids);
    for (const [at, id] of ids.entries()) {
      const issue = await this.readable(id, reads[at]);
      if (issue) await this.parents.load([issue]);
      if (issue && projects.has(issue.fields.project.id)) yield await this.document(issue, async () => issue);
      else yield { removed: issueDocumentId(id) };
    }
  }

  /** Undefined: the issue was deleted, or cannot be read. Its stored version may have outdated readers. */
  private async readable(id: string, read: () => Promise<JiraIssue | undefined>): Promise<JiraIssue | undefined> {
    return read().catch((error: unknown) => {
      if (!(error instanceof UnreadableDocument)) throw error;
      this.context.skipped(issueDocumentId(id), error.message);
      return undefined;
    });
  }

  private async document(listed: JiraIssue, read: () => Promise<JiraIssue | undefined>): Promise<SourceDocument> {
    const { id, key, fields } = listed;
    const audience = await this.access.audienceOf(fields);
    const parent = await this.parents.nameOf(listed, audience);
    return {
      externalId: issueDocumentId(id),
      kind: 'ticket',
      title: `${key}: ${fields.summary}`,
      author: fields.reporter?.displayName || undefined,
      url: `${this.jira.site}/browse/${encodeURIComponent(key)}`,
      container: fields.project.name,
      updatedAt: new Date(fields.updated),
      mediaType: 'text/markdown',
      audience,
      // the timestamp, because its text depends on the time zone of the account
      fingerprint: [Date.parse(fields.updated), parent && digestOf(parent)].filter(Boolean).join('-'),
      content: async () => {
        const issue = await this.requireAudience((await read()) ?? null, audience);
        let hasMoreComments = false;
        const isSameParent = issue.fields.parent?.key === fields.parent?.key;
        const text = await issueText(this.jira, issue, isSameParent ? parent : null, () => {
          hasMoreComments = true;
          return this.jira.comments(id);
        });
        if (hasMoreComments) {
          const [current = null] = await this.jira.currentIssues([id]);
          await this.requireAudience(current, audience);
        }
        return text;
      },
    };
  }

  /**
   * The search index lags, and comments can be written while an issue is read: text that is now restricted must not be
   * visible to the earlier readers.
   */
  private async requireAudience(issue: JiraIssue | null, audience: string): Promise<JiraIssue> {
    if (!issue) throw new UnreadableDocument('was deleted, or hidden from the account, while it was read');
    if ((await this.access.audienceOf(issue.fields)) === audience) return issue;
    throw new UnreadableDocument('has other readers since it was listed; the next sync reads it');
  }
}

const digestOf = ({ label, text }: ParentName): string => sha256(`${label} ${text}`).toString('base64url').slice(0, 16);

/** Continues at a page, or starts at the first page if the token is no longer valid. */
async function* pagesFrom(jira: JiraClient, jql: string, token: string | null): ReturnType<JiraClient['search']> {
  if (token !== null) {
    const pages = jira.search(jql, token);
    const first = await pages.next().catch((error: unknown) => {
      if (isSourceFault(error, 'refused')) return null;
      throw error;
    });
    if (first) {
      if (!first.done) yield first.value;
      yield* pages;
      return;
    }
  }
  yield* jira.search(jql);
}

function isComplete({ id }: JiraProject, { project, nextPageToken }: z.infer<typeof jiraProgress>): boolean {
  const order = compareNumericIds(id, project);
  return order < 0 || (order === 0 && nextPageToken === null);
}

function recentProgress(stored: JsonObject | null, now: number): z.infer<typeof jiraProgress> | null {
  const progress = jiraProgress.safeParse(stored);
  return progress.success && now - progress.data.startedAt < maxTokenAgeMs ? progress.data : null;
}

async function count(jira: JiraClient, projects: readonly JiraProject[]): Promise<number> {
  let total = 0;
  for (const part of slices(projects, projectsPerQuery)) total += await jira.count(inProjects(part));
  return total;
}

const inProjects = (projects: readonly JiraProject[]): string =>
  `project in (${projects.map(({ id }) => id).join(', ')})`;

const idsIn = (hints: readonly JsonObject[]): string[] =>
  hints.flatMap((hint) => {
    const read = issueHint.safeParse(hint);
    return read.success ? [read.data.issue] : [];
  });
