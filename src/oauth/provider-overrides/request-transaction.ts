import type { Request } from 'express';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { LogService } from '../../platform/telemetry/log.service.js';
import type { GrantRevocationAuditService } from '../grant-revocation-audit.service.js';
import type { OauthTransactionService } from '../oauth-transaction.service.js';
import type { Middleware } from '../provider-types.js';
import { renderError } from './error.page.js';

class RollbackSignal extends Error {}

/** Metadata and keys use no rows. */
const metadataPaths = /^\/(\.well-known\/|oauth2\/jwks$)/i;

/**
 * The library writes each row by itself and reports failures without throwing, so a failed request could cost a client
 * its grant. Here the response is sent after the commit, and a status of 500 or above rolls the transaction back. The
 * client can then present its credential again.
 */
export const inOneTransaction =
  (transaction: OauthTransactionService, endings: GrantRevocationAuditService, log: LogService): Middleware =>
  async (ctx, next) => {
    if (ctx.method === 'OPTIONS' || metadataPaths.test(ctx.path)) return next();
    const person = (ctx.req as Request).user ?? null;
    try {
      await transaction.run('authorization server', person, async () => {
        await next();
        if (ctx.status >= 500) throw new RollbackSignal();
        await endings.record(ctx as unknown as KoaContextWithOIDC);
      });
    } catch (error) {
      if (error instanceof RollbackSignal) return;
      log.error({ err: error, path: ctx.path }, 'authorization server request failed');
      ctx.remove('location');
      ctx.status = 500;
      renderError(ctx, {
        error: 'server_error',
        error_description: 'the request could not be completed; send it again',
      });
    }
  };
