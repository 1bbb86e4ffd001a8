import path from 'node:path';
import { indexTerms, type IndexTerms } from '../index-terms.js';
import { chunk, type Chunk } from './chunk.js';
import { chunksWithTerms } from './chunks-with-terms.js';
import { extract } from './extract.js';
import { UnreadableText } from './unreadable.js';

const mostChunks = 10_000;
const longestTitle = 300;

export interface DocumentToRead {
  externalId: string;
  title: string;
  mediaType: string;
  content: string | Uint8Array;
}

export interface DocumentRead {
  title: string;
  chunks: Chunk[];
  /** Of the first chunks. */
  terms: IndexTerms[];
}

export async function run({ externalId, title: named, mediaType, content }: DocumentToRead): Promise<DocumentRead> {
  const { title: ownTitle, blocks } = await extract(mediaType, content);
  const chunks = chunk(blocks);
  if (chunks.length > mostChunks)
    throw new UnreadableText(`is too long: ${chunks.length} passages, ${mostChunks} are taken in`);
  // a file is called by its name; where the text has a title of its own, people know it by that
  const title = ((named === path.posix.basename(externalId) && ownTitle) || named || ownTitle || externalId)
    .replaceAll('\0', '')
    .slice(0, longestTitle)
    .toWellFormed();
  const terms = chunks.slice(0, chunksWithTerms).map((one) => indexTerms({ title, externalId }, one));
  return { title, chunks, terms };
}
