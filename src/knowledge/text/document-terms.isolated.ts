import { indexTerms, type IndexTerms } from './index-terms.js';
import type { Language } from './languages.js';
import type { Chunk } from './chunk.js';

export interface TermBatchInput {
  title: string;
  externalId: string;
  language: Language;
  chunks: Pick<Chunk, 'heading' | 'text'>[];
}

export const run = ({ chunks, ...document }: TermBatchInput): IndexTerms[] =>
  chunks.map((one) => indexTerms(document, one));
