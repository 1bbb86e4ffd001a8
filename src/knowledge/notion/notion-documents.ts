import { z } from 'zod';
import { CursorExpired } from '../../connections/connections.error.js';
import type {
  ChangesContext,
  DocumentsContext,
  RemovedDocument,
  SourceDocument,
} from '../../connections/knowledge-source.port.js';
import { newId } from '../../platform/crypto/ids.js';
import { isSourceFault, SourceRequestError } from '../source-kit/source-request.error.js';
import { NotionApi, type NotionApiOptions, type NotionListPage, type NotionListRequest } from './notion-api.js';
import { isTrashed, notionDocumentId, NotionReader } from './notion-reader.js';
import { notionHint, type NotionHint } from './notion-webhooks.js';
import { notionItem, type NotionItem } from './notion-wire.js';

/** Search shows changes late, and times have no seconds, so changes overlap. */
const overlapMs = 30 * 60_000;
const maxCursorAgeMs = 30 * 24 * 60 * 60_000;

const passSchema = z.object({
  startedAt: z.number(),
  step: z.enum(['data_source', 'page']),
  /** The cursor of the page of the search. */
  after: z.string().nullable(),
  /** The data source of this page whose rows are being read, with the cursor of its next rows. */
  rows: z.object({ of: z.string(), after: z.string() }).nullable(),
  /** Notion ended a list early, so documents that were not listed must stay. */
  isCutOff: z.boolean(),
});
type Pass = z.infer<typeof passSchema>;
const cursorSchema = z.object({ since: z.number() });

const searchFor = (value: Pass['step']): NotionListRequest => ({
  path: '/v1/search',
  body: {
    filter: { property: 'object', value },
    // pages that are edited during the pass move to its end, where they are still found
    sort: { direction: 'ascending', timestamp: 'last_edited_time' },
  },
});

/** All data sources with their rows, then all pages. Each with its parents, which search may leave out. */
export async function* notionDocuments(
  context: DocumentsContext,
  options: NotionApiOptions,
): AsyncGenerator<SourceDocument> {
  const stored = passSchema.safeParse(context.progress);
  const start: Pass = { startedAt: Date.now(), step: 'data_source', after: null, rows: null, isCutOff: false };
  const walk = new NotionWalk(context, new NotionApi(context, options), stored.success ? stored.data : start);
  yield* walk.documents();
  context.setCursor({ since: walk.pass.startedAt });
}

class NotionWalk {
  private readonly reader: NotionReader;
  private readonly seen = new Set<string>();

  constructor(
    private readonly context: DocumentsContext,
    private readonly api: NotionApi,
    public pass: Pass,
  ) {
    this.reader = new NotionReader(api);
  }

  async *documents(): AsyncGenerator<SourceDocument> {
    if (this.pass.step === 'data_source') {
      yield* this.dataSources();
      await this.reached({ step: 'page', after: null, rows: null });
    }
    for await (const page of this.listed(searchFor('page'), this.pass.after)) {
      yield* this.new(page.items);
      if (page.next !== null) await this.reached({ after: page.next });
    }
    if (!this.pass.isCutOff) return;
    const reason = 'Notion ended a list early, so nothing is removed until it lists everything again';
    for (const folder of ['page/', 'data_source/']) this.context.skipped(folder, reason);
  }

  private async *dataSources(): AsyncGenerator<SourceDocument> {
    for await (const { items, next } of this.listed(searchFor('data_source'), this.pass.after)) {
      yield* this.new(items);
      const from = this.pass.rows;
      const at = items.findIndex(({ id }) => id === from?.of);
      for (const source of items.slice(Math.max(at, 0))) {
        if (source.object !== 'data_source' || isTrashed(source)) continue;
        yield* this.rows(source.id, source.id === from?.of ? from.after : null);
      }
      if (next !== null) await this.reached({ after: next, rows: null });
    }
  }

  private async *rows(of: string, from: string | null): AsyncGenerator<SourceDocument> {
    const query = { path: `/v1/data_sources/${of}/query`, body: {} };
    try {
      for await (const { items, next } of this.listed(query, from)) {
        yield* this.new(items);
        if (next !== null) await this.reached({ rows: { of, after: next } });
      }
    } catch (error) {
      // it was removed or is no longer shared since it was listed
      if (!isSourceFault(error, 'missing')) throw error;
    }
  }

  private async *listed(request: NotionListRequest, from: string | null): AsyncGenerator<NotionListPage<NotionItem>> {
    let isRead = false;
    try {
      for await (const page of this.api.pages(request, notionItem, from)) {
        isRead = true;
        if (page.isCutOff) this.pass = { ...this.pass, isCutOff: true };
        yield page;
      }
    } catch (error) {
      if (from !== null && !isRead && isRejectedCursor(error))
        throw new CursorExpired('Notion no longer accepts the position of the interrupted sync.');
      throw error;
    }
  }

  /** These items and their parents, which search may leave out. A resumed pass does not find these parents again. */
  private async *new(items: readonly NotionItem[]): AsyncGenerator<SourceDocument> {
    for (let found = items; found.length; found = this.reader.takeParents()) {
      const unseen = found.filter((item) => !isTrashed(item) && !this.seen.has(notionDocumentId(item)));
      for (const item of unseen) this.reader.remember(item);
      for (const item of unseen) {
        this.seen.add(notionDocumentId(item));
        yield await this.reader.document(item);
      }
    }
  }

  private async reached(progress: Partial<Pass>): Promise<void> {
    this.pass = { ...this.pass, ...progress };
    await this.context.checkpoint(this.pass);
  }
}

/** Notion rejects an unknown cursor as an invalid request. */
const isRejectedCursor = (error: unknown): boolean =>
  error instanceof SourceRequestError && error.fault === 'refused' && error.status === 400;

/** Everything that was edited since the cursor, latest first. */
export async function* notionChanges(
  context: ChangesContext,
  options: NotionApiOptions,
): AsyncGenerator<SourceDocument | RemovedDocument> {
  const cursor = cursorSchema.safeParse(context.cursor);
  const now = Date.now();
  if (!cursor.success || now - cursor.data.since > maxCursorAgeMs)
    throw new CursorExpired('The last sync is too long ago to list the changes since then.');
  const api = new NotionApi(context, options);
  const reader = new NotionReader(api);
  const since = cursor.data.since - overlapMs;
  const named = new Set<string>();
  for await (const change of namedByWebhooks(context, api, reader)) {
    named.add('removed' in change ? change.removed : change.externalId);
    yield change;
  }
  const latestFirst = { sort: { direction: 'descending', timestamp: 'last_edited_time' } };
  for await (const { items, isCutOff } of api.pages({ path: '/v1/search', body: latestFirst }, notionItem)) {
    const recent = items.filter((item) => Date.parse(item.last_edited_time) >= since);
    for (const item of recent.filter((one) => !named.has(notionDocumentId(one))))
      yield isTrashed(item) ? { removed: notionDocumentId(item) } : await reader.document(item);
    if (recent.length < items.length) break;
    if (isCutOff) throw new CursorExpired('Notion ended the list of changes early.');
  }
  context.setCursor({ since: now });
}

/** Search shows changes late and no comments, so webhooks name the changed pages. */
async function* namedByWebhooks(
  { hints }: ChangesContext,
  api: NotionApi,
  reader: NotionReader,
): AsyncGenerator<SourceDocument | RemovedDocument> {
  const named = hints.flatMap((hint) => notionHint.safeParse(hint).data ?? []);
  for (const hint of new Map(named.map((one) => [notionDocumentId(one), one])).values()) {
    const item = await findItem(api, hint);
    if (!item || isTrashed(item)) yield { removed: notionDocumentId(hint) };
    else yield withNewFingerprint(await reader.document(item));
  }
}

/** Null if it was deleted or is no longer shared. */
async function findItem(api: NotionApi, { object, id }: NotionHint): Promise<NotionItem | null> {
  try {
    return await api.get(object === 'page' ? `/v1/pages/${id}` : `/v1/data_sources/${id}`, notionItem);
  } catch (error) {
    if (isSourceFault(error, 'missing')) return null;
    throw error;
  }
}

/** Its content is read, because its time has no seconds and comments do not change it. */
const withNewFingerprint = (document: SourceDocument): SourceDocument => ({
  ...document,
  fingerprint: `${document.fingerprint} ${newId()}`,
});
