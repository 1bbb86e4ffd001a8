import { errors } from 'oidc-provider';
import { sha256 } from '../../platform/crypto/digest.js';
import { recordDevicePoll } from '../device.system.sql.js';
import type { OauthTransactionService } from '../oauth-transaction.service.js';
import type { GrantHandler } from '../provider-types.js';

export const pollIntervalSeconds = 5;

/**
 * The library does not limit how often a terminal polls. One that polls more often than every five seconds gets
 * `slow_down` (RFC 8628, section 3.5).
 */
export const enforcePollInterval =
  (transaction: OauthTransactionService) =>
  <P extends object>(exchange: GrantHandler<P>): GrantHandler<P> =>
  async (ctx) => {
    const { device_code: code } = ctx.oidc.params as { device_code?: unknown };
    if (typeof code === 'string') {
      const poll = await transaction.one(recordDevicePoll, [sha256(code), pollIntervalSeconds - 1]);
      if (poll?.isSoon) throw new errors.SlowDown();
    }
    await transaction.attempt(() => exchange(ctx));
  };
