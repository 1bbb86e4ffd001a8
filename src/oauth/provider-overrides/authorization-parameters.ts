import type { Middleware } from '../provider-types.js';
import { requestedScope } from '../scopes.js';

/** This server does not support OpenID Connect. RFC 6749 requires unknown parameters to be ignored. */
const openIdParameters =
  'acr_values claims claims_locales display id_token_hint login_hint max_age nonce ui_locales'.split(' ');

/**
 * The library always interprets the parameters of OpenID Connect and knows no default scope. Removes the parameters and
 * adds the default scope.
 */
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
