import type { SourceDocument } from '../connections/knowledge-source.port.js';
import { newId } from '../platform/crypto/ids.js';
import { sha256 } from '../platform/crypto/digest.js';
import { documentKinds } from './document.entity.js';
import type { IsolatedJob } from '../platform/isolation/isolated-job.js';
import type { FatalFailure } from '../platform/isolation/isolation.error.js';
import { runWithRetry } from '../platform/isolation/repeated-runs.js';
import type { IndexTerms } from './text/index-terms.js';
import type { Chunk } from './text/chunk.js';
import type { Language } from './text/languages.js';
import { chunksPerTermBatch } from './text/term-batch.js';
import { documentTermsJob, readDocumentJob } from './text/read-document.js';
import { formatOfMediaType } from './text/document-format.js';
import { UnreadableDocument } from '../connections/connections.error.js';
import { sortedGroups, type ReaderGroups } from './index-partition.js';
import { isSourceId } from './permissions/source-ids.js';

export type PreparedChunk = Chunk & IndexTerms & { id: string };

/** A document ready to be stored. All expensive work is done before the transaction. */
export interface PreparedDocument {
  externalId: string;
  kind: SourceDocument['kind'];
  title: string;
  author: string | null;
  url: string | null;
  container: string | null;
  position: string | null;
  language: Language;
  mediaType: string;
  updatedAt: Date | null;
  groups: ReaderGroups;
  /** Its id in the source. */
  audience: string | null;
  fingerprint: string;
  chunks: PreparedChunk[];
}

const maxTextLength = 4 * 2 ** 20;
const maxPdfBytes = 20 * 2 ** 20;
const maxFieldLengths = { author: 300, url: 2000, externalId: 1000, container: 300, position: 300 };
/** Increase it when extraction, chunking or tokenization changes: the next sync then indexes every document again. */
const revision = 1;

/** An unchanged fingerprint means that the document need not be indexed again. */
export const fingerprintOf = (document: SourceDocument, groups: ReaderGroups): string =>
  sha256(
    JSON.stringify([
      revision,
      document.fingerprint,
      sortedGroups(groups),
      document.title,
      document.isUrlPinned ? null : document.url,
      document.author,
      document.kind,
      ...(document.audience === undefined ? [] : [document.audience]),
      // omitted if unset, so that existing fingerprints stay valid
      ...(document.container || document.position ? [document.container, document.position] : []),
    ]),
  ).toString('base64url');

/** Reading the document crashed two worker processes. */
export class FatalDocument extends UnreadableDocument {
  constructor(
    failure: FatalFailure,
    readonly digest: string,
    readonly size: number,
  ) {
    super(reasons[failure]);
  }
}

const reasons: Record<FatalFailure, string> = {
  'cpu-time': 'is quarantined: it takes too much processor time to read',
  memory: 'is quarantined: it takes too much memory to read',
  crashed: 'is quarantined: reading it ends the process',
};

/** The existing quarantine entry of a document. */
export interface QuarantineRecord {
  digest: string;
  reason: string;
}

/**
 * Reads a document in a worker process. Throws UnreadableDocument, FatalDocument if it must be quarantined, and
 * IsolationError if it must be read later. `owner` is the tenant. `groups` are ids, while the document contains names.
 */
export async function prepareDocument(
  owner: string,
  document: SourceDocument,
  groups: ReaderGroups,
  quarantined?: QuarantineRecord | null,
): Promise<PreparedDocument> {
  const { externalId, kind, mediaType } = document;
  if (!externalId || /\p{Cc}/u.test(externalId) || !externalId.isWellFormed())
    throw new UnreadableDocument('has a name with characters that are not allowed');
  if (!documentKinds.includes(kind)) throw new UnreadableDocument(`has the unknown kind "${String(kind)}"`);
  if (externalId.length > maxFieldLengths.externalId)
    throw new UnreadableDocument(`has a name of more than ${maxFieldLengths.externalId} characters`);
  if (document.audience !== undefined && !isSourceId(document.audience))
    throw new UnreadableDocument('names an audience with an id that is empty, too long or invalid text');
  const content = typeof document.content === 'function' ? await document.content() : document.content;
  const most = typeof content === 'string' || formatOfMediaType(mediaType) !== 'pdf' ? maxTextLength : maxPdfBytes;
  if (content.length > most) throw new UnreadableDocument(`is larger than the limit of ${most / 2 ** 20} MiB`);
  const digest = sha256(content).toString('hex');
  if (quarantined?.digest === digest) throw new UnreadableDocument(quarantined.reason);
  const toRead = { externalId, title: document.title, mediaType, content };
  const { title, language, chunks, terms } = await runOrFail(readDocumentJob, toRead);
  while (terms.length < chunks.length) {
    const next = chunks.slice(terms.length, terms.length + chunksPerTermBatch);
    terms.push(...(await runOrFail(documentTermsJob, { title, externalId, language, chunks: next })));
  }
  return {
    externalId,
    kind,
    title,
    author: storable(document.author, maxFieldLengths.author),
    url: storable(document.url, maxFieldLengths.url),
    container: storable(document.container, maxFieldLengths.container),
    position: storable(document.position, maxFieldLengths.position),
    language,
    mediaType,
    updatedAt: document.updatedAt && !Number.isNaN(document.updatedAt.getTime()) ? document.updatedAt : null,
    groups,
    audience: document.audience ?? null,
    fingerprint: fingerprintOf(document, groups),
    chunks: chunks.map((piece, index) => ({ ...piece, id: newId(), ...terms[index] })),
  };

  async function runOrFail<Input, Output>(job: IsolatedJob<Input, Output>, input: Input): Promise<Output> {
    const outcome = await runWithRetry(job, input, owner).catch((error: unknown) => {
      const { name, message } = error as Error;
      throw name === 'UnreadableText' ? new UnreadableDocument(message) : error;
    });
    if ('failure' in outcome) throw new FatalDocument(outcome.failure, digest, Buffer.byteLength(content));
    return outcome.output;
  }
}

const storable = (text: string | undefined, most: number): string | null =>
  text === undefined ? null : text.replaceAll('\0', '').slice(0, most).toWellFormed();
