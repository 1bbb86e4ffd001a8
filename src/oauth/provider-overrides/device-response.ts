import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Middleware } from '../provider-types.js';
import { pollIntervalSeconds } from './device-poll-interval.js';

/**
 * The library also sends a URL that contains the code, and no interval. The URL is removed, because people must type the
 * code after they have seen the warning.
 */
export const filterDeviceResponse: Middleware = async (ctx, next) => {
  await next();
  const { oidc, body, status } = ctx as unknown as KoaContextWithOIDC & { body: Record<string, unknown> };
  if (oidc?.route !== 'device_authorization' || status !== 200) return;
  const { verification_uri_complete: _, ...answer } = body;
  ctx.body = { ...answer, interval: pollIntervalSeconds };
};
