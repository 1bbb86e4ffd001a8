import type { Request } from 'express';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { networkOf } from '../../platform/http/network-of.js';
import type { OauthRateLimitService } from '../oauth-rate-limit.service.js';
import type { Middleware } from '../provider-types.js';
import { renderError } from './error.page.js';

type Context = Parameters<Middleware>[0];

const countedErrors = new Set(['invalid_client', 'invalid_grant']);

interface Paths {
  authorization: string;
  device_authorization: string;
}

/** The library has no rate limits. This one runs before the transaction, so a blocked request uses no connection. */
export const rateLimit =
  (limits: OauthRateLimitService, paths: Paths): Middleware =>
  async (ctx, next) => {
    const address = networkOf((ctx.req as Request).ip ?? 'unknown');
    const wait = await secondsToWait(limits, paths, ctx, address);
    if (wait) return sendTooManyRequests(ctx, wait);
    await next();
    const { error } = (ctx.body ?? {}) as { error?: string };
    if (ctx.method !== 'POST' || ctx.status < 400 || !error || !countedErrors.has(error)) return;
    const { oidc } = ctx as unknown as KoaContextWithOIDC;
    const claimed = oidc.client?.clientId ?? String(oidc.params?.client_id).slice(0, 100);
    const waitAfter = await limits.countRefusal(address, claimed);
    if (waitAfter) sendTooManyRequests(ctx, waitAfter);
  };

/** Returns seconds, or 0 within the limits. */
async function secondsToWait(
  limits: OauthRateLimitService,
  paths: Paths,
  { method, path, req }: Context,
  address: string,
): Promise<number> {
  if (method === 'POST')
    return (
      limits.secondsToWait(address) || (path === paths.device_authorization ? limits.countDeviceRequest(address) : 0)
    );
  if (path !== paths.authorization || (req as Request).user) return 0;
  return limits.countAnonymousRequest(address, (req.headers['sec-fetch-dest'] ?? 'document') !== 'document');
}

/** Status 429 of RFC 6585, as an OAuth error or a page. */
function sendTooManyRequests(ctx: Context, seconds: number): void {
  ctx.remove('WWW-Authenticate');
  ctx.set({ 'Retry-After': String(seconds), 'Cache-Control': 'no-store' });
  ctx.status = 429;
  renderError(ctx, {
    error: 'temporarily_unavailable',
    error_description: `too many requests or too many refused requests; retry in ${seconds} seconds`,
  });
}
