import path from 'node:path';
import { indexTerms, type IndexTerms } from './index-terms.js';
import { chunkBlocks, type Chunk } from './chunk.js';
import { languageOf } from './detect-language.js';
import { formatOfMediaType } from './document-format.js';
import { defaultLanguage, type Language } from './languages.js';
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
  language: Language;
  chunks: Chunk[];
  /** Terms of the first chunks. */
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
    throw new UnreadableText(`is too long: it has ${chunks.length} passages; the limit is ${maxDocumentChunks}`);
  // a title in the text is better than a file name
  const title = ((named === path.posix.basename(externalId) && ownTitle) || named || ownTitle || externalId)
    .replaceAll('\0', '')
    .slice(0, maxTitleLength)
    .toWellFormed();
  const language = formatOfMediaType(mediaType) === 'code' ? defaultLanguage : languageOf(title, chunks);
  const terms = chunks.slice(0, chunksPerTermBatch).map((one) => indexTerms({ title, externalId, language }, one));
  return { title, language, chunks, terms };
}
