import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { factsOf } from './client-facts.js';

/** Checks of parameters that the library leaves to us; they run once the redirect URI is known to be the client's. */
export const extraParams = { scope: refuseScopes, state: refuseUnstorable, response_mode: refuseOtherModes };

function refuseScopes(_: KoaContextWithOIDC, scope: string | undefined, client: Client): void {
  const allowed = factsOf(client).scopes;
  const foreign = (scope ?? '').split(' ').filter((name) => name && !allowed.includes(name));
  if (foreign.length) throw new errors.InvalidScope('the client may not ask for this scope', foreign.join(' '));
}

/** What RFC 6749 (appendix A.5) does not allow in it, and a database could not keep. */
function refuseUnstorable(_: KoaContextWithOIDC, state: string | undefined): void {
  if (state !== undefined && /\p{Cc}/u.test(state))
    throw new errors.InvalidRequest('state has characters that it cannot have');
}

/** The answer goes in the query, and the refusal of another way does, too. */
function refuseOtherModes({ oidc }: KoaContextWithOIDC, mode: string | undefined): void {
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
export const fromOwnPages = (_: KoaContextWithOIDC, origin: string, client: Client): boolean =>
  client.tokenEndpointAuthMethod === 'none' &&
  (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin);
