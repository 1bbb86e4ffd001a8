import { Injectable } from '@nestjs/common';
import { isolatedJob } from '../platform/isolation/isolated-job.js';
import { type DecideInput, DecisionsService } from './decisions.service.js';
import type { ExplainedVerdict, TextExplanation } from './explain-text.js';
import { runPolicyJob } from './run-policy-job.js';

export type { DecidingPolicy } from './deciding-policy.js';

const job = isolatedJob<TextExplanation, ExplainedVerdict>(
  'policy-explanation',
  new URL('./explain-text.isolated.js', import.meta.url),
  { cpuMs: 15_000, residentMb: 400 },
);

/** Explains the verdict on a single call: which policies determine it, and why. */
@Injectable()
export class PolicyExplanationService {
  constructor(private readonly decisions: DecisionsService) {}

  explainPublished(input: DecideInput): ExplainedVerdict & { revision: number } {
    const { verdict, steps, policyIds, reason, revision } = this.decisions.decide(input);
    const policies = this.decisions.describe(input.policies, policyIds);
    return { verdict, steps, reason, policies, isHidden: this.decisions.couldAllow(input) === 'deny', revision };
  }

  /** In a worker process: a text that is not published may be slow to evaluate. */
  explainText(tenantId: string, explanation: TextExplanation): Promise<ExplainedVerdict> {
    return runPolicyJob(job, explanation, tenantId);
  }
}
