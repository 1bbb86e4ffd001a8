import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Middleware } from '../provider-types.js';
import { scopesSupported } from '../scopes.js';

/**
 * The library publishes the metadata of an OpenID provider. This server is not one, so only the properties of RFC 8414
 * stay.
 */
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
