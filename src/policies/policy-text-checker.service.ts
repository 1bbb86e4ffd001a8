import { Injectable } from '@nestjs/common';
import { overloaded } from '../platform/errors/general.error.js';
import { isolatedJob } from '../platform/isolation/isolated-job.js';
import { runIsolated } from '../platform/isolation/isolated-workers.js';
import { IsolationError } from '../platform/isolation/isolation.error.js';
import type { Principal } from '../principal/principal.js';
import type { PolicyTextCheck, Vocabulary } from './check.js';
import type { PolicyTextReport, PolicyTextInput } from './check-policy.isolated.js';
import type { StatementWithRule } from './read-rule.js';

const job = isolatedJob<PolicyTextInput, PolicyTextReport>(
  'policy-check',
  new URL('./check-policy.isolated.js', import.meta.url),
  { cpuMs: 10_000, residentMb: 400 },
);

export type PolicyTextCheckResult = PolicyTextCheck & { statements: StatementWithRule[] };

/** Checks policy texts in worker processes: a slow text would block all tenants, and they share Cedar's memory. */
@Injectable()
export class PolicyTextChecker {
  /** `vocabularyFor`: loads the names that the text can use, given the ids of members in it. */
  async check(
    { tenantId }: Principal,
    text: string,
    vocabularyFor: (members: string[]) => Promise<Vocabulary>,
  ): Promise<PolicyTextCheckResult> {
    try {
      const { members } = await runIsolated(job, { text }, tenantId);
      const vocabulary = await vocabularyFor(members);
      const { errors, warnings, statements } = await runIsolated(job, { text, vocabulary }, tenantId);
      return { errors, warnings, statements };
    } catch (error) {
      if (!(error instanceof IsolationError)) throw error;
      if (error.fatal) return { errors: [tooExpensive], warnings: [], statements: [] };
      throw overloaded('Too many policy texts are waiting to be checked.', { headers: { 'Retry-After': '5' } });
    }
  }
}

const tooExpensive = {
  message: 'The text takes too much time or memory to check. Write fewer or simpler policies.',
  line: 1,
  column: 1,
  length: 1,
};
