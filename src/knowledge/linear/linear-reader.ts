import type { DocumentsContext, RemovedDocument, SourceDocument } from '../../connections/knowledge-source.port.js';
import type { CursorPage } from '../source-kit/source-pages.js';
import type { LinearApi } from './linear-api.js';
import { documentOfDocument, documentOfIssue, documentOfProject, linearIdOf } from './linear-mapping.js';
import { linearQueries } from './linear-queries.js';
import type { LinearWorkspace } from './linear-teams.js';
import {
  changedComment,
  changedUpdate,
  linearDocument,
  linearEntry,
  type LinearDocument,
  type LinearEntry,
  linearIssue,
  type LinearIssue,
  linearProject,
  type LinearProject,
} from './linear-wire.js';

export const linearKinds = ['issue', 'project', 'document'] as const;
export type LinearKind = (typeof linearKinds)[number];

/** Queries with these page sizes cost less than half of the maximum points. */
const pageSizes: Record<LinearKind, number> = { issue: 100, project: 50, document: 50 };
const idsPerQuery = 50;
const entriesPerQuery = 100;

type Found = SourceDocument | RemovedDocument;
interface ListOptions {
  orderBy: 'createdAt' | 'updatedAt';
  filter?: Record<string, unknown>;
  from?: string | null;
}

/** Reads issues with comments, projects with updates, and documents. */
export class LinearReader {
  constructor(
    private readonly api: LinearApi,
    private readonly workspace: LinearWorkspace,
    private readonly skipped: DocumentsContext['skipped'],
  ) {}

  /** Trashed and unselected objects are returned as removed. The order by `createdAt` is stable during a pass. */
  async *pages(kind: LinearKind, { orderBy, filter = {}, from }: ListOptions): AsyncGenerator<CursorPage<Found>> {
    // changes include all teams, to find issues that moved out of a selected one
    const isNarrow = kind === 'issue' && orderBy === 'createdAt' && !this.workspace.isEverything;
    const team = isNarrow ? { team: { id: { in: [...this.workspace.selected] } } } : {};
    const variables = { first: pageSizes[kind], orderBy, filter: { ...filter, ...team } };
    for await (const { items, next } of this.lists[kind](variables, from)) yield { items, next };
  }

  /** Documents by id. Missing ones are returned as removed. */
  async *byIds(kind: LinearKind, ids: readonly string[]): AsyncGenerator<Found> {
    for (let at = 0; at < ids.length; at += idsPerQuery) {
      const some = ids.slice(at, at + idsPerQuery);
      const missing = new Set(some.map((id) => linearIdOf(kind, id)));
      for await (const { items } of this.pages(kind, { orderBy: 'updatedAt', filter: { id: { in: some } } }))
        for (const item of items) {
          missing.delete('externalId' in item ? item.externalId : item.removed);
          yield item;
        }
      // while the key cannot see a chosen team, missing documents may only be hidden
      if (!this.workspace.lost.length) for (const removed of missing) yield { removed };
    }
  }

  /** The ids of issues with changed comments, or of projects with changed updates. */
  async changedBelow(kind: LinearKind, since: string): Promise<string[]> {
    const variables = { first: entriesPerQuery, orderBy: 'updatedAt', filter: { updatedAt: { gte: since } } };
    if (kind === 'issue') {
      const comments = await this.api.all(linearQueries.changedComments, changedComment, variables);
      return comments.flatMap(({ issue }) => issue?.id ?? []);
    }
    if (kind === 'document') return [];
    const updates = await this.api.all(linearQueries.changedUpdates, changedUpdate, variables);
    return updates.map(({ project }) => project.id);
  }

  private readonly lists = {
    issue: (variables: Variables, from?: string | null) =>
      mapped(this.api.pages(linearQueries.issues, linearIssue, variables, { from }), (issue) => this.issue(issue)),
    project: (variables: Variables, from?: string | null) =>
      mapped(this.api.pages(linearQueries.projects, linearProject, variables, { from }), (project) =>
        this.project(project),
      ),
    document: (variables: Variables, from?: string | null) =>
      mapped(this.api.pages(linearQueries.documents, linearDocument, variables, { from }), (document) =>
        this.document(document),
      ),
  };

  private async issue(issue: LinearIssue): Promise<Found> {
    const removed = linearIdOf('issue', issue.id);
    if (issue.trashed || !this.workspace.selected.has(issue.team.id)) return { removed };
    const comments = await this.rest(issue.comments, linearQueries.comments, 'issue', issue.id);
    return documentOfIssue(this.workspace, issue, comments) ?? { removed };
  }

  private async project(project: LinearProject): Promise<Found> {
    const removed = linearIdOf('project', project.id);
    if (project.trashed) return { removed };
    const updates = await this.rest(project.projectUpdates, linearQueries.updates, 'project', project.id);
    return documentOfProject(this.workspace, project, updates) ?? { removed };
  }

  private document(document: LinearDocument): Found {
    const removed = linearIdOf('document', document.id);
    const found = document.trashed ? null : documentOfDocument(this.workspace, document);
    if (found === undefined) this.skipped(removed, 'belongs to no team, project or issue, so its readers are unknown');
    return found ?? { removed };
  }

  /** All comments or updates. Loads those that exceed the first page in the list. */
  private async rest(
    { nodes, pageInfo }: LinearIssue['comments'],
    query: string,
    inside: string,
    id: string,
  ): Promise<LinearEntry[]> {
    if (!pageInfo.hasNextPage) return nodes;
    const options = { from: pageInfo.endCursor, inside };
    return [...nodes, ...(await this.api.all(query, linearEntry, { id, first: entriesPerQuery }, options))];
  }
}

type Variables = Record<string, unknown> & { first: number };

async function* mapped<T>(
  pages: AsyncIterable<CursorPage<T>>,
  read: (item: T) => Found | Promise<Found>,
): AsyncGenerator<CursorPage<Found>> {
  for await (const { items, next } of pages) {
    const found: Found[] = [];
    for (const item of items) found.push(await read(item));
    yield { items: found, next };
  }
}
