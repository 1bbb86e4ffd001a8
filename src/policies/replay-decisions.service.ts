import { Injectable } from '@nestjs/common';
import { isolatedJob } from '../platform/isolation/isolated-job.js';
import type { Principal } from '../principal/principal.js';
import { isOutOfScope } from './credential-scopes.js';
import type { PolicyReplay, ReplayedChange } from './policy-replay.js';
import { runPolicyJob } from './run-policy-job.js';
import type { EvaluatedTool } from './tool-plan.js';

export type { PolicyReplay, ReplayedCall, ReplayedChange } from './policy-replay.js';
export { type EvaluatedTool, toEvaluatedTool } from './tool-plan.js';
export { PolicyOutcome } from './verdict-change.object.js';

const job = isolatedJob<PolicyReplay, ReplayedChange[]>(
  'policy-replay',
  new URL('./replay-calls.isolated.js', import.meta.url),
  { cpuMs: 30_000, residentMb: 400 },
);

/** Calls that one worker process decides in one run. */
const batchSize = 500;

/** Decides recorded calls by two policy texts, in worker processes. */
@Injectable()
export class ReplayDecisionsService {
  /** Decides batches of calls at the same time. `index` of a change counts all calls. */
  async findChanges(tenantId: string, { calls, ...replay }: PolicyReplay): Promise<ReplayedChange[]> {
    const starts = Array.from({ length: Math.ceil(calls.length / batchSize) }, (_, nth) => nth * batchSize);
    const batches = starts.map(async (start) => {
      const batch = { ...replay, calls: calls.slice(start, start + batchSize) };
      const changes = await runPolicyJob(job, batch, tenantId);
      return changes.map(({ index, ...change }) => ({ index: start + index, ...change }));
    });
    return (await Promise.all(batches)).flat();
  }

  /** Whether the credential of the caller can never run the tool, whatever the policies say. */
  isOutOfScope(caller: Pick<Principal, 'surface' | 'scopes'>, { effect }: EvaluatedTool): boolean {
    return isOutOfScope(caller, effect);
  }
}
