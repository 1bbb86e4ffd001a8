import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { factsOf } from './client-facts.js';

/** Checks of parameters that the library leaves to us; they run once the redirect URI is known to be the client's. */
export const extraParams = { scope: refuseScopes, state: refuseUnstorable };

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
