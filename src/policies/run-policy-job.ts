import { overloaded } from '../platform/errors/general.error.js';
import type { IsolatedJob } from '../platform/isolation/isolated-job.js';
import { runIsolated } from '../platform/isolation/isolated-workers.js';
import { IsolationError } from '../platform/isolation/isolation.error.js';
import { policyComparisonTooExpensive } from './policies.error.js';

/** Compares policy texts in a worker process, because a text may be slow to evaluate. */
export async function runPolicyJob<Input, Output>(
  job: IsolatedJob<Input, Output>,
  input: Input,
  tenantId: string,
): Promise<Output> {
  try {
    return await runIsolated(job, input, tenantId);
  } catch (error) {
    if (!(error instanceof IsolationError)) throw error;
    if (error.fatal) throw policyComparisonTooExpensive('The policies take too much time or memory to compare.');
    throw overloaded('Too many policy texts are waiting to be checked.', { headers: { 'Retry-After': '5' } });
  }
}
