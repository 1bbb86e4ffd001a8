import type { InvalidField } from '../platform/errors/problem.js';

export type DenialCode =
  | 'policy-denied'
  | 'approval-denied'
  | 'approval-expired'
  | 'approval-unreachable'
  | 'withdrawn'
  | 'paused'
  | 'tool-not-found'
  | 'invalid-arguments'
  | 'not-permitted'
  | 'insufficient-scope';

/** What the caller hears of a refusal. */
export interface DisclosedDenial {
  code: DenialCode;
  reason: string;
  faults?: InvalidField[];
  /** The faults repeat a schema that nobody has confirmed. */
  isForeign?: boolean;
}

/** A call that is not to run: recorded as it is, told as the caller may know it. */
export class Refusal extends Error {
  constructor(
    readonly code: DenialCode,
    readonly reason: string,
    readonly disclosed: DisclosedDenial = { code, reason },
  ) {
    super(reason);
  }

  disclosedAs({ disclosed }: Refusal): Refusal {
    return new Refusal(this.code, this.reason, disclosed);
  }
}

/** The faults name keys and places that the caller made up: told, and not kept. */
export const invalidArguments = (reason: string, faults: InvalidField[], isForeign: boolean): Refusal =>
  new Refusal(
    'invalid-arguments',
    `The arguments have ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}.`,
    {
      code: 'invalid-arguments',
      reason,
      faults,
      ...(isForeign ? { isForeign } : {}),
    },
  );

/** Hidden and unknown are told in the same words. */
export const unknownTool = (name: string): Refusal => new Refusal('tool-not-found', `There is no tool "${name}" here.`);

/** There is such a tool, for a credential that may do more than read. */
export const outOfScope = (name: string): Refusal =>
  new Refusal('insufficient-scope', `This credential may only read, and "${name}" does more than that.`);
