import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { SourceDocument } from '../connections/connection-kinds.service.js';
import { newId } from '../platform/crypto/ids.js';
import { sha256 } from '../platform/crypto/digest.js';
import { documentKinds } from './document.entity.js';
import { indexTerms, type IndexTerms } from './index-terms.js';
import { chunk, type Chunk } from './text/chunk.js';
import { extract } from './text/extract.js';
import { readerOfMediaType } from './text/media-type.js';
import { UnreadableDocument } from '../connections/connections.error.js';
import { sortedGroups, type Groups } from './shelf.js';

export type PreparedChunk = Chunk & IndexTerms & { id: string };

/** A document as it is going to be stored: everything that costs time, done before the transaction. */
export interface PreparedDocument {
  externalId: string;
  kind: SourceDocument['kind'];
  title: string;
  author: string | null;
  url: string | null;
  mediaType: string;
  updatedAt: Date | null;
  groups: Groups;
  fingerprint: string;
  chunks: PreparedChunk[];
}

const mostChunks = 10_000;
const mostText = 4 * 2 ** 20;
const mostBytes = 20 * 2 ** 20;
const longest = { title: 300, author: 300, url: 2000, externalId: 1000 };
/** Rises when texts are read, cut or tokenized in another way: every document is then taken over once more. */
const revision = 1;

/** Same source, same readers, same way of reading: nothing to do. */
export const fingerprintOf = (document: SourceDocument, groups: Groups): string =>
  sha256(
    JSON.stringify([
      revision,
      document.fingerprint,
      sortedGroups(groups),
      document.title,
      document.url,
      document.author,
      document.kind,
    ]),
  ).toString('base64url');

/** Throws UnreadableDocument. `groups` are ids; what the document itself says of groups are names. */
export async function prepare(document: SourceDocument, groups: Groups): Promise<PreparedDocument> {
  const { externalId, kind, mediaType } = document;
  if (!externalId || /\p{Cc}/u.test(externalId) || !externalId.isWellFormed())
    throw new UnreadableDocument('has a name with characters that no name has');
  if (!documentKinds.includes(kind))
    throw new UnreadableDocument(`is of the kind "${String(kind)}", which there is not`);
  if (externalId.length > longest.externalId)
    throw new UnreadableDocument(`has a name of more than ${longest.externalId} characters`);
  const content = typeof document.content === 'function' ? await document.content() : document.content;
  const most = typeof content === 'string' || readerOfMediaType(mediaType) !== 'pdf' ? mostText : mostBytes;
  if (content.length > most) throw new UnreadableDocument(`is larger than the ${most / 2 ** 20} MiB that are read`);
  const { title: ownTitle, blocks } = await extract(mediaType, content);
  const chunks = chunk(blocks);
  if (chunks.length > mostChunks)
    throw new UnreadableDocument(`is too long: ${chunks.length} passages, ${mostChunks} are taken in`);
  // a file is called by its name; where the text has a title of its own, people know it by that
  const title = storable(
    (document.title === path.posix.basename(externalId) && ownTitle) || document.title || ownTitle || externalId,
    longest.title,
  )!;
  return {
    externalId,
    kind,
    title,
    author: storable(document.author, longest.author),
    url: storable(document.url, longest.url),
    mediaType,
    updatedAt: document.updatedAt && !Number.isNaN(document.updatedAt.getTime()) ? document.updatedAt : null,
    groups,
    fingerprint: fingerprintOf(document, groups),
    chunks: await withTerms({ title, externalId }, chunks),
  };
}

/** A long text takes a while; requests are let through in between. */
async function withTerms(document: { title: string; externalId: string }, chunks: Chunk[]): Promise<PreparedChunk[]> {
  const prepared: PreparedChunk[] = [];
  for (const piece of chunks) {
    prepared.push({ ...piece, id: newId(), ...indexTerms(document, piece) });
    if (prepared.length % 25 === 0) await setImmediate();
  }
  return prepared;
}

const storable = (text: string | undefined, most: number): string | null =>
  text === undefined ? null : text.replaceAll('\0', '').slice(0, most).toWellFormed();
