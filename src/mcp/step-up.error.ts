import type { AccessScope } from '../principal/principal.js';

/** The caller has the permission but the token lacks the scope: the client must request more scope. */
export class StepUpRequired extends Error {
  override readonly name = 'StepUpRequired';

  constructor(
    readonly scope: AccessScope,
    reason: string,
  ) {
    super(reason);
  }
}
