import path from 'node:path';
import { indexTerms, type IndexTerms } from '../index-terms.js';
import { chunkBlocks, type Chunk } from './chunk.js';
import { chunksPerTermBatch } from './term-batch.js';
import { extractText } from './extract.js';
import { UnreadableText } from './unreadable-text.js';

const maxDocumentChunks = 10_000;
const maxTitleLength = 300;

export interface DocumentReadInput {
  externalId: string;
  title: string;
  mediaType: string;
  content: string | Uint8Array;
}

export interface DocumentReadResult {
  title: string;
  chunks: Chunk[];
  /** Of the first chunks. */
  terms: IndexTerms[];
}

export async function run({
  externalId,
  title: named,
  mediaType,
  content,
}: DocumentReadInput): Promise<DocumentReadResult> {
  const { title: ownTitle, blocks } = await extractText(mediaType, content);
  const chunks = chunkBlocks(blocks);
  if (chunks.length > maxDocumentChunks)
    throw new UnreadableText(`is too long: ${chunks.length} passages, ${maxDocumentChunks} are taken in`);
  // a file is called by its name; where the text has a title of its own, people know it by that
  const title = ((named === path.posix.basename(externalId) && ownTitle) || named || ownTitle || externalId)
    .replaceAll('\0', '')
    .slice(0, maxTitleLength)
    .toWellFormed();
  const terms = chunks.slice(0, chunksPerTermBatch).map((one) => indexTerms({ title, externalId }, one));
  return { title, chunks, terms };
}
