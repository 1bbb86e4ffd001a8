import { isolatedJob, type IsolatedJob } from '../../platform/isolation/isolated-job.js';
import type { IndexTerms } from '../index-terms.js';
import type { ChunksOfDocument } from './document-terms.isolated.js';
import type { DocumentRead, DocumentToRead } from './read-document.isolated.js';

const limits = { cpuMs: 30_000, residentMb: 512 };

export const readDocumentJob: IsolatedJob<DocumentToRead, DocumentRead> = isolatedJob(
  'document',
  new URL('./read-document.isolated.js', import.meta.url),
  limits,
);

export const documentTermsJob: IsolatedJob<ChunksOfDocument, IndexTerms[]> = isolatedJob(
  'document-terms',
  new URL('./document-terms.isolated.js', import.meta.url),
  limits,
);
