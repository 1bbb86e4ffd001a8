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

/** The part of a refusal that the caller may see. */
export interface DisclosedDenial {
  code: DenialCode;
  reason: string;
  faults?: InvalidField[];
  /** The faults quote a schema that no administrator has confirmed. */
  isForeign?: boolean;
}

/** A call must not run. The ledger records the real reason; the caller sees only what is disclosed. */
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

/** Discloses the faults but does not store them: they contain keys that the caller chose. */
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

/** Hidden and unknown tools get the same text, so that it does not reveal which tools exist. */
export const unknownTool = (name: string): Refusal => new Refusal('tool-not-found', `There is no tool "${name}" here.`);

/** The tool exists, but requires a credential with a wider scope. */
export const outOfScope = (name: string): Refusal =>
  new Refusal('insufficient-scope', `This credential is limited to reading, but "${name}" does more than read.`);

/** For `catch`: returns a Refusal as a value and rethrows other errors. */
export function catchRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}
