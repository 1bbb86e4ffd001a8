import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { clientFactsOf, resourceOf } from '../client-facts.js';
import { tokenLifetimeSeconds } from '../lifetimes.js';

/**
 * The library has no default resource and knows no resource of a client. A client has one, its registered target. It is
 * the audience of its tokens even if a request omits it (RFC 8707).
 */
export const resourceIndicators = {
  enabled: true,
  defaultResource: ({ oidc }: KoaContextWithOIDC, client: Client, oneOf?: readonly string[]) =>
    oneOf ?? resourceOf(oidc.issuer, clientFactsOf(client)),
  useGrantedResource: () => true,
  getResourceServerInfo({ oidc }: KoaContextWithOIDC, resource: string, client: Client) {
    if (resource !== resourceOf(oidc.issuer, clientFactsOf(client)))
      throw new errors.InvalidTarget('the client is not registered for this resource');
    return {
      scope: clientFactsOf(client).scopes.join(' '),
      audience: resource,
      accessTokenTTL: tokenLifetimeSeconds.accessToken,
      accessTokenFormat: 'opaque' as const,
    };
  },
};
