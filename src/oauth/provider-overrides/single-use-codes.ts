import { errors } from 'oidc-provider';
import type { OauthTransactionService } from '../oauth-transaction.service.js';
import type { GrantHandler } from '../provider-types.js';

/**
 * The library checks and consumes a code in two steps, between which a concurrent exchange can use the same code. Here
 * the second exchange is refused, and the tokens of the first stay valid.
 */
export const singleUse =
  (transaction: OauthTransactionService) =>
  <P extends object>(exchange: GrantHandler<P>): GrantHandler<P> =>
  async (ctx) => {
    await transaction.attempt(() => exchange(ctx));
    if (!(await transaction.flush())) throw new errors.InvalidGrant('the code was used already');
  };
