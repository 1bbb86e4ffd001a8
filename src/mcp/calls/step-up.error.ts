import type { Scope } from '../../principal/principal.js';

/** The person may do this, and their token may not: the client is to ask them for more. */
export class StepUp extends Error {
  override readonly name = 'StepUp';

  constructor(
    readonly scope: Scope,
    reason: string,
  ) {
    super(reason);
  }
}
