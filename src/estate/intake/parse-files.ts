import { isolatedJob, type IsolatedJob } from '../../platform/isolation/isolated-job.js';
import type { FileParseResult, FileToParse } from './parse-files.isolated.js';

/** The largest file takes a fraction of a second, and a batch contains only a few of them. */
export const parseFilesJob: IsolatedJob<FileToParse[], FileParseResult[]> = isolatedJob(
  'estate-files',
  new URL('./parse-files.isolated.js', import.meta.url),
  { cpuMs: 5_000, residentMb: 400 },
);
