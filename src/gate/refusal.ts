import type { Fault } from '../platform/errors/problem.js';

export type DenialCode =
  | 'policy-denied'
  | 'approval-denied'
  | 'approval-expired'
  | 'approval-unreachable'
  | 'paused'
  | 'tool-not-found'
  | 'invalid-arguments'
  | 'not-permitted';

/** A call that is not to run: recorded as it is, told as the caller may know it. */
export class Refusal extends Error {
  told: { code: DenialCode; reason: string; faults?: Fault[] };

  constructor(
    readonly code: DenialCode,
    readonly reason: string,
    faults?: Fault[],
  ) {
    super(reason);
    this.told = { code, reason, ...(faults ? { faults } : {}) };
  }

  toldAs({ told }: Refusal): this {
    this.told = told;
    return this;
  }
}

/** Hidden and unknown are told in the same words. */
export const unknownTool = (name: string): Refusal => new Refusal('tool-not-found', `There is no tool "${name}" here.`);
