import { indexTerms, type IndexTerms } from './index-terms.js';
import type { Chunk } from './chunk.js';

export interface TermBatchInput {
  title: string;
  externalId: string;
  chunks: Chunk[];
}

export const run = ({ chunks, ...document }: TermBatchInput): IndexTerms[] =>
  chunks.map((one) => indexTerms(document, one));
