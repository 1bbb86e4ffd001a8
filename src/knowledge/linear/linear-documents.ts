import { z } from 'zod';
import { CursorExpired } from '../../connections/connections.error.js';
import type {
  ChangesContext,
  DocumentsContext,
  RemovedDocument,
  SourceDocument,
} from '../../connections/knowledge-source.port.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import { LinearApi, type LinearApiOptions } from './linear-api.js';
import { type LinearKind, linearKinds, LinearReader } from './linear-reader.js';
import { openLinearWorkspace, type LinearWorkspace } from './linear-teams.js';

/** Changes overlap, because clocks differ and changes become visible shortly after their time. */
const overlapMs = 5 * 60_000;
const maxCursorAgeMs = 30 * 24 * 60 * 60_000;

const passSchema = z.object({
  startedAt: z.number(),
  kind: z.enum(linearKinds),
  /** The cursor after the last page of this kind. */
  after: z.string().nullable(),
});
type Pass = z.infer<typeof passSchema>;
const cursorSchema = z.object({ since: z.number() });
const hintSchema = z.object({ kind: z.enum(linearKinds), id: z.string() });

/** A complete pass over the issues, projects and documents of the selected teams. */
export async function* linearDocuments(
  context: DocumentsContext,
  options: LinearApiOptions,
): AsyncGenerator<SourceDocument> {
  const stored = passSchema.safeParse(context.progress);
  const pass: Pass = stored.success ? stored.data : { startedAt: Date.now(), kind: linearKinds[0], after: null };
  const { reader, workspace } = await open(context, options);
  reportLost(context, workspace);
  for (const kind of linearKinds.slice(linearKinds.indexOf(pass.kind))) {
    const from = kind === pass.kind ? pass.after : null;
    yield* walk(context, reader, { ...pass, kind, after: from });
  }
  context.setCursor({ since: pass.startedAt });
}

async function* walk(context: DocumentsContext, reader: LinearReader, pass: Pass): AsyncGenerator<SourceDocument> {
  let isRead = false;
  try {
    for await (const { items, next } of reader.pages(pass.kind, { orderBy: 'createdAt', from: pass.after })) {
      isRead = true;
      for (const item of items) if ('externalId' in item) yield item;
      if (next !== null) await context.checkpoint({ ...pass, after: next });
    }
  } catch (error) {
    // the cursor of the interrupted pass has expired
    if (pass.after === null || isRead || !isSourceFault(error, 'refused', 'missing')) throw error;
    yield* walk(context, reader, { ...pass, after: null });
  }
}

/** Changes since the cursor, and the objects that webhooks named. */
export async function* linearChanges(
  context: ChangesContext,
  options: LinearApiOptions,
): AsyncGenerator<SourceDocument | RemovedDocument> {
  const cursor = cursorSchema.safeParse(context.cursor);
  const now = Date.now();
  if (!cursor.success || now - cursor.data.since > maxCursorAgeMs)
    throw new CursorExpired('The last sync is too long ago to find what changed since.');
  const { reader, workspace } = await open(context, options);
  reportLost(context, workspace);
  const since = new Date(cursor.data.since - overlapMs).toISOString();
  const seen = new Set<string>();
  for (const kind of linearKinds) {
    const pages = reader.pages(kind, { orderBy: 'updatedAt', filter: { updatedAt: { gte: since } } });
    for await (const { items } of pages)
      for (const item of items) {
        seen.add('externalId' in item ? item.externalId : item.removed);
        yield item;
      }
    // an edited comment does not update its issue
    const named = new Set([...hintedIds(context, kind), ...(await reader.changedBelow(kind, since))]);
    yield* reader.byIds(
      kind,
      [...named].filter((id) => !seen.has(`${kind}/${id}`)),
    );
  }
  context.setCursor({ since: now });
}

const hintedIds = ({ hints }: ChangesContext, kind: LinearKind): string[] =>
  hints.flatMap((hint) => {
    const read = hintSchema.safeParse(hint);
    return read.success && read.data.kind === kind ? [read.data.id] : [];
  });

async function open(context: DocumentsContext, options: LinearApiOptions) {
  const api = new LinearApi(context, options);
  const workspace = await openLinearWorkspace(api, context.settings);
  return { workspace, reader: new LinearReader(api, workspace, context.skipped) };
}

/** While the key cannot see a chosen team, no documents are removed, because they may only be hidden. */
function reportLost({ skipped }: DocumentsContext, { lost }: LinearWorkspace): void {
  if (!lost.length) return;
  const reason = `may belong to a chosen team that the key cannot see (${lost.join(', ')}), so nothing is removed. Give the owner of the key access, or remove the team from the selection`;
  for (const kind of linearKinds) skipped(`${kind}/`, reason);
}
