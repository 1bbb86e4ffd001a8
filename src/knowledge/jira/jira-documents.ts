import { z } from 'zod';
import { CursorExpired, UnreadableDocument } from '../../connections/connections.error.js';
import type {
  ChangesContext,
  DocumentsContext,
  RemovedDocument,
  SourceDocument,
} from '../../connections/knowledge-source.port.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { siteOf } from '../atlassian/atlassian-site.js';
import { compareNumericIds } from '../atlassian/numeric-ids.js';
import { BatchLoader } from '../source-kit/batch-loader.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { JiraAccess } from './jira-access.js';
import { JiraClient, mostPerBulkFetch } from './jira-client.js';
import { issueText } from './issue-text.js';
import { chosenProjects } from './jira-projects.js';
import type { JiraIssue, JiraProject } from './jira-schemas.js';

/** The search lags behind the database, and clocks differ. */
const overlapMs = 15 * 60_000;
/** Jira forgets the token of a page after seven days. */
const maxTokenAgeMs = 6 * 24 * 3_600_000;
const projectsPerQuery = 100;

const jiraProgress = z.object({
  /** When the pass began, by the clock of the site. */
  startedAt: z.number(),
  /** Projects before it are complete. */
  project: z.string(),
  /** Null: it is complete, too. */
  nextPageToken: z.string().nullable(),
});
const jiraCursor = z.object({ since: z.number(), shape: z.string() });
const issueHint = z.object({ issue: z.string() });

/** All issues of the chosen projects, project by project. */
export async function* jiraDocuments(context: DocumentsContext): AsyncGenerator<SourceDocument> {
  const source = new IssueSource(context);
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
    for await (const { issues, next } of pagesFrom(jira, `project = ${project.id} ORDER BY created ASC`, token)) {
      yield* source.page(issues.filter(({ fields }) => fields.project.id === project.id));
      await context.checkpoint({ startedAt, project: project.id, nextPageToken: next });
    }
  }
  // with a revoked credential, some answers are those for an anonymous visitor: shorter, but no errors
  await jira.account();
  context.keepCursor({ since: startedAt, shape });
}

/** Issues that changed since the cursor, and those that webhooks named. */
export async function* jiraChanges(context: ChangesContext): AsyncGenerator<SourceDocument | RemovedDocument> {
  const source = new IssueSource(context);
  const { jira, access } = source;
  const cursor = jiraCursor.safeParse(context.cursor);
  if (!cursor.success) throw new CursorExpired('The cursor is not one of Jira.');
  const now = await jira.serverTime();
  const projects = await chosenProjects(jira, context.settings);
  const shape = await access.shapeOf(projects);
  if (shape !== cursor.data.shape)
    throw new CursorExpired('Projects or their permissions changed, so that all issues are read again.');
  const named = new Set(idsIn(context.hints));
  yield* source.named([...named], new Set(projects.map(({ id }) => id)));
  // milliseconds since 1970: other literals have the resolution of a minute and the time zone of the account
  const since = Math.max(0, Math.min(cursor.data.since, now) - overlapMs);
  for (let at = 0; at < projects.length; at += projectsPerQuery) {
    const ids = projects.slice(at, at + projectsPerQuery).map(({ id }) => id);
    const jql = `project in (${ids.join(', ')}) AND updated >= ${since} ORDER BY created ASC`;
    // what was read by its id is newer than what the search says
    for await (const { issues } of jira.search(jql)) yield* source.page(issues.filter(({ id }) => !named.has(id)));
  }
  context.keepCursor({ since: now, shape });
}

const issueDocumentId = (id: string): string => `issue/${id}`;

class IssueSource {
  readonly jira: JiraClient;
  readonly access: JiraAccess;
  private readonly site: string;
  private readonly contents: BatchLoader<string, JiraIssue | undefined>;

  constructor(context: DocumentsContext) {
    this.site = siteOf(context);
    this.jira = new JiraClient(context, { quota: (status) => context.quota(status) });
    this.access = new JiraAccess(this.jira, this.site);
    const load = async (ids: string[]) => {
      const issues = await this.jira.issues(ids);
      return ids.map((id) => issues.get(id));
    };
    this.contents = new BatchLoader(load, { size: mostPerBulkFetch });
  }

  async *page(issues: readonly JiraIssue[]): AsyncGenerator<SourceDocument> {
    const reads = this.contents.page(issues.map(({ id }) => id));
    for (const [at, issue] of issues.entries()) yield await this.document(issue, reads[at]);
  }

  /** Reads the current state of issues, in whatever order they were reported. */
  async *named(
    ids: readonly string[],
    projects: ReadonlySet<string>,
  ): AsyncGenerator<SourceDocument | RemovedDocument> {
    for (let at = 0; at < ids.length; at += mostPerBulkFetch) {
      const batch = ids.slice(at, at + mostPerBulkFetch);
      const issues = await this.jira.issues(batch);
      // an anonymous visitor would see none of them
      if (issues.size < batch.length) await this.jira.account();
      for (const id of batch) {
        const issue = issues.get(id);
        if (issue && projects.has(issue.fields.project.id)) yield await this.document(issue, async () => issue);
        else yield { removed: issueDocumentId(id) };
      }
    }
  }

  private async document(listed: JiraIssue, read: () => Promise<JiraIssue | undefined>): Promise<SourceDocument> {
    const { id, key, fields } = listed;
    const audience = await this.access.audienceOf(fields);
    return {
      externalId: issueDocumentId(id),
      kind: 'ticket',
      title: `${key}: ${fields.summary}`,
      author: fields.reporter?.displayName || undefined,
      url: `${this.site}/browse/${encodeURIComponent(key)}`,
      container: fields.project.name,
      updatedAt: new Date(fields.updated),
      mediaType: 'text/markdown',
      audience,
      // the text has the time zone of the account, which changes with summer time
      fingerprint: String(Date.parse(fields.updated)),
      content: async () => {
        const issue = await read();
        if (!issue) throw new UnreadableDocument('was deleted, or hidden from the account, while it was read');
        // the search lags: text that was restricted in the meantime must not get the earlier readers
        if ((await this.access.audienceOf(issue.fields)) !== audience)
          throw new UnreadableDocument('has other readers since it was listed; the next sync reads it');
        return issueText(issue, (from) => this.jira.comments(id, from));
      },
    };
  }
}

/** Reads on from a page, or from the beginning if Jira no longer knows the page. */
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
  for (let at = 0; at < projects.length; at += projectsPerQuery) {
    const ids = projects.slice(at, at + projectsPerQuery).map(({ id }) => id);
    total += await jira.approximateCount(`project in (${ids.join(', ')})`);
  }
  return total;
}

function idsIn(hints: readonly JsonObject[]): string[] {
  const ids = hints.flatMap((hint) => {
    const read = issueHint.safeParse(hint);
    return read.success ? [read.data.issue] : [];
  });
  return ids;
}
