import type { AccessScope } from '../../principal/principal.js';

/** The person may do this, and their token may not: the client is to ask them for more. */
export class StepUpRequired extends Error {
  override readonly name = 'StepUpRequired';

  constructor(
    readonly scope: AccessScope,
    reason: string,
  ) {
    super(reason);
  }
}
