import { isolatedJob, type IsolatedJob } from '../../platform/isolation/isolated-job.js';
import type { IndexTerms } from './index-terms.js';
import type { TermBatchInput } from './document-terms.isolated.js';
import type { DocumentReadResult, DocumentReadInput } from './read-document.isolated.js';

const limits = { cpuMs: 30_000, residentMb: 512 };

export const readDocumentJob: IsolatedJob<DocumentReadInput, DocumentReadResult> = isolatedJob(
  'document',
  new URL('./read-document.isolated.js', import.meta.url),
  limits,
);

export const documentTermsJob: IsolatedJob<TermBatchInput, IndexTerms[]> = isolatedJob(
  'document-terms',
  new URL('./document-terms.isolated.js', import.meta.url),
  limits,
);
