import type { Request } from 'express';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { LogService } from '../platform/telemetry/log.service.js';
import type { GrantRevocationAuditService } from './grant-revocation-audit.service.js';
import type { OauthTransactionService } from './oauth-transaction.service.js';
import { renderError } from './error.page.js';
import { requestedScope, scopesSupported } from './scopes.js';

type Middleware = Parameters<Provider['use']>[0];

class RollbackSignal extends Error {}

/** Metadata and keys use no rows. */
const metadataPaths = /^\/(\.well-known\/|oauth2\/jwks$)/i;

/**
 * Sends the response after the commit. The library reports failures without throwing, so a status of 500 or above rolls
 * the transaction back. The client can then present its credential again.
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

/** This server does not support OpenID Connect. RFC 6749 requires unknown parameters to be ignored. */
const openIdParameters =
  'acr_values claims claims_locales display id_token_hint login_hint max_age nonce ui_locales'.split(' ');

/** Accepts paths in any case and with a trailing slash, and rewrites them to one spelling for the later middleware. */
export const normalizePath = (paths: readonly string[]): Middleware => {
  const known = new Set(paths);
  return (ctx, next) => {
    const plain = ctx.path.toLowerCase().replace(/\/$/, '');
    if (known.has(plain)) ctx.path = plain;
    return next();
  };
};

/** Prepares an authorization request for the library: removes OpenID parameters and adds the default scope. */
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

/** Metadata of RFC 8414, without the OpenID Connect properties that the library adds. */
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
