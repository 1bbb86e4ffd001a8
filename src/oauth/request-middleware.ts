import type { Request } from 'express';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { LogService } from '../platform/telemetry/log.service.js';
import type { GrantRevocationAuditService } from './grant-revocation-audit.service.js';
import type { OauthTransactionService } from './oauth-transaction.service.js';
import { renderError } from './error.page.js';
import { requestedScope, scopesSupported } from './scopes.js';

type Middleware = Parameters<Provider['use']>[0];

class RollbackSignal extends Error {}

/** What needs no row: metadata and keys. */
const metadataPaths = /^\/(\.well-known\/|oauth2\/jwks$)/i;

/**
 * The answer leaves when the transaction is committed. The library answers a failure without throwing: whatever it has
 * done by then, with a status of 500 and above it is rolled back, so that what was presented can be presented again.
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
      log.error({ err: error, path: ctx.path }, 'the authorization server could not answer');
      ctx.remove('location');
      ctx.status = 500;
      renderError(ctx, {
        error: 'server_error',
        error_description: 'the request could not be finished; send it again',
      });
    }
  };

/** Parameters of OpenID Connect, which this server does not speak: RFC 6749 has unknown ones ignored. */
const openIdParameters =
  'acr_values claims claims_locales display id_token_hint login_hint max_age nonce ui_locales'.split(' ');

/** Addresses are taken in any case and with a slash behind them. From here on each has one spelling, by which it is known. */
export const normalizePath = (paths: readonly string[]): Middleware => {
  const known = new Set(paths);
  return (ctx, next) => {
    const plain = ctx.path.toLowerCase().replace(/\/$/, '');
    if (known.has(plain)) ctx.path = plain;
    return next();
  };
};

/** Before the library reads an authorization request: what is not ours is left out, and what is left out is filled in. */
export const normalizeAuthorizationRequest =
  (authorizationPath: string): Middleware =>
  async (ctx, next) => {
    if (ctx.path === authorizationPath) {
      const { scope, ...query } = ctx.query;
      for (const name of openIdParameters) delete query[name];
      ctx.query = { ...query, scope: Array.isArray(scope) ? scope : requestedScope(scope) };
    }
    await next();
  };

/** RFC 8414: what there is, and nothing of what the library would say for OpenID Connect. */
export const filterMetadata: Middleware = async (ctx, next) => {
  await next();
  const { oidc, body } = ctx as unknown as KoaContextWithOIDC & { body: Record<string, unknown> };
  if (oidc?.route === 'discovery') ctx.body = authorizationServerMetadata(body);
};

function authorizationServerMetadata(known: Record<string, unknown>) {
  const methods = known.token_endpoint_auth_methods_supported;
  return {
    issuer: known.issuer,
    authorization_endpoint: known.authorization_endpoint,
    token_endpoint: known.token_endpoint,
    revocation_endpoint: known.revocation_endpoint,
    device_authorization_endpoint: known.device_authorization_endpoint,
    jwks_uri: known.jwks_uri,
    scopes_supported: scopesSupported,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: known.grant_types_supported,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    authorization_response_iss_parameter_supported: true,
  };
}
