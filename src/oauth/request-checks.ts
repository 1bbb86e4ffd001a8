import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { clientScopes } from './clients/client.entity.js';
import { clientFactsOf } from './client-facts.js';

/** Parameter checks that the library does not make. They run after the redirect URI is verified. */
export const extraParams = { scope: refuseScopes, state: refuseUnstorable, response_mode: refuseOtherResponseModes };

/**
 * A product that requests an unregistered scope gets an error. An assistant requests the scopes of our challenge
 * regardless of its registration, so its request is narrowed to the registered scopes (RFC 6749, section 3.3).
 */
function refuseScopes({ oidc }: KoaContextWithOIDC, scope: string | undefined, client: Client): void {
  const { scopes, target } = clientFactsOf(client);
  const asked = (scope ?? '').split(' ').filter(Boolean);
  const narrowed = target === 'mcp' ? asked.filter((name) => scopes.includes(name) || !isOurs(name)) : asked;
  const foreign = narrowed.filter((name) => !scopes.includes(name));
  if (foreign.length) throw new errors.InvalidScope('the client is not registered for this scope', foreign.join(' '));
  Object.assign(oidc.params!, { scope: narrowed.join(' ') || undefined });
}

const isOurs = (scope: string): boolean => (clientScopes as readonly string[]).includes(scope);

/** RFC 6749, appendix A.5, does not allow control characters, and the database cannot store all of them. */
function refuseUnstorable(_: KoaContextWithOIDC, state: string | undefined): void {
  if (state !== undefined && /\p{Cc}/u.test(state))
    throw new errors.InvalidRequest('state contains characters that are not allowed');
}

/** Responses are sent in the query. The error for another response mode is sent in the query too. */
function refuseOtherResponseModes({ oidc }: KoaContextWithOIDC, mode: string | undefined): void {
  if (mode === undefined || mode === 'query') return;
  Object.assign(oidc.params!, { response_mode: undefined });
  throw new errors.UnsupportedResponseMode();
}

/** RFC 7009, section 2.1 */
export function ownTokensOnly(_: KoaContextWithOIDC, { clientId }: Client, token: { clientId?: string }): boolean {
  if (token.clientId === clientId) return true;
  throw new errors.InvalidRequest('the token belongs to another client');
}

/** CORS for public clients: scripts on the origins of the redirect URIs may request tokens. */
export const allowRedirectOrigins = (_: KoaContextWithOIDC, origin: string, client: Client): boolean =>
  client.tokenEndpointAuthMethod === 'none' &&
  (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin);
