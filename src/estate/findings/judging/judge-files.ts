import { isolatedJob, type IsolatedJob } from '../../../platform/isolation/isolated-job.js';
import type { FileJudged, FileToJudge } from './judge-files.isolated.js';

export const judgeFilesJob: IsolatedJob<FileToJudge[], FileJudged[]> = isolatedJob(
  'estate-findings',
  new URL('./judge-files.isolated.js', import.meta.url),
  { cpuMs: 10_000, residentMb: 400 },
);
