import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { clientScopes } from './clients/client.entity.js';
import { clientFactsOf } from './client-facts.js';

/** Checks of parameters that the library leaves to us; they run once the redirect URI is known to be the client's. */
export const extraParams = { scope: refuseScopes, state: refuseUnstorable, response_mode: refuseOtherResponseModes };

/**
 * A product is told of a scope that is not its own. An assistant asks for those that our challenge names, whatever it is
 * registered for: it gets the part that it may have (RFC 6749, section 3.3).
 */
function refuseScopes({ oidc }: KoaContextWithOIDC, scope: string | undefined, client: Client): void {
  const { scopes, target } = clientFactsOf(client);
  const asked = (scope ?? '').split(' ').filter(Boolean);
  const narrowed = target === 'mcp' ? asked.filter((name) => scopes.includes(name) || !isOurs(name)) : asked;
  const foreign = narrowed.filter((name) => !scopes.includes(name));
  if (foreign.length) throw new errors.InvalidScope('the client may not ask for this scope', foreign.join(' '));
  Object.assign(oidc.params!, { scope: narrowed.join(' ') || undefined });
}

const isOurs = (scope: string): boolean => (clientScopes as readonly string[]).includes(scope);

/** What RFC 6749 (appendix A.5) does not allow in it, and a database could not keep. */
function refuseUnstorable(_: KoaContextWithOIDC, state: string | undefined): void {
  if (state !== undefined && /\p{Cc}/u.test(state))
    throw new errors.InvalidRequest('state has characters that it cannot have');
}

/** The answer goes in the query, and the refusal of another way does, too. */
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

/** Scripts in browsers may ask for tokens where the product is one that runs there: on the sites that it is called back at. */
export const allowRedirectOrigins = (_: KoaContextWithOIDC, origin: string, client: Client): boolean =>
  client.tokenEndpointAuthMethod === 'none' &&
  (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin);
