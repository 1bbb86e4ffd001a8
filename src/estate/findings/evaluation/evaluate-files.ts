import { isolatedJob, type IsolatedJob } from '../../../platform/isolation/isolated-job.js';
import type { FileEvaluation, FileEvaluationInput } from './evaluate-files.isolated.js';

export const evaluateFilesJob: IsolatedJob<FileEvaluationInput[], FileEvaluation[]> = isolatedJob(
  'estate-findings',
  new URL('./evaluate-files.isolated.js', import.meta.url),
  { cpuMs: 10_000, residentMb: 400 },
);
