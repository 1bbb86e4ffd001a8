import type { Request } from 'express';
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { sha256 } from '../platform/crypto/digest.js';
import { recordDevicePoll } from './device.system.sql.js';
import type { OauthTransactionService } from './oauth-transaction.service.js';
import type { GrantHandler } from './refresh-rotation.js';

const pollIntervalSeconds = 5;

/** Shown to the person, so that they recognize the request. */
export const deviceInfo = ({ req, headers }: KoaContextWithOIDC) => ({
  ip: (req as Request).ip,
  ua: headers['user-agent']?.slice(0, 200),
});

/** A terminal that polls more often than every five seconds gets `slow_down` (RFC 8628, section 3.5). */
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

/** Removes the URL that contains the code: people must type the code after they have seen the warning. */
export const filterDeviceResponse: Parameters<Provider['use']>[0] = async (ctx, next) => {
  await next();
  const { oidc, body, status } = ctx as unknown as KoaContextWithOIDC & { body: Record<string, unknown> };
  if (oidc?.route !== 'device_authorization' || status !== 200) return;
  const { verification_uri_complete: _, ...answer } = body;
  ctx.body = { ...answer, interval: pollIntervalSeconds };
};
