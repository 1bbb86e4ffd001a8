import type { Request } from 'express';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { OauthLimits } from './limits.service.js';

type Middleware = Parameters<Provider['use']>[0];
type Context = Parameters<Middleware>[0];

const refusals = new Set(['invalid_client', 'invalid_grant']);

/** Stands before the transaction: what is not listened to costs no connection. */
export const limited =
  (limits: OauthLimits, devicePath: string): Middleware =>
  async (ctx, next) => {
    if (ctx.method !== 'POST') return next();
    const address = (ctx.req as Request).ip ?? 'unknown';
    const wait = limits.waitOf(address) || (ctx.path === devicePath ? await limits.deviceStarted(address) : 0);
    if (wait) return tooMany(ctx, wait);
    await next();
    const { error } = (ctx.body ?? {}) as { error?: string };
    if (ctx.status < 400 || !error || !refusals.has(error)) return;
    const { oidc } = ctx as unknown as KoaContextWithOIDC;
    const claimed = oidc.client?.clientId ?? String(oidc.params?.client_id).slice(0, 100);
    const waitAfter = await limits.refused(address, claimed);
    if (waitAfter) tooMany(ctx, waitAfter);
  };

/** RFC 6585, in the form that clients read errors in. */
function tooMany(ctx: Context, seconds: number): void {
  ctx.remove('WWW-Authenticate');
  ctx.set({ 'Retry-After': String(seconds), 'Cache-Control': 'no-store' });
  ctx.status = 429;
  ctx.body = {
    error: 'temporarily_unavailable',
    error_description: `too many requests, or too many that were refused; send the next one in ${seconds} seconds`,
  };
}
