import { Provider, errors, type Client } from 'oidc-provider';
import { constantTimeEqual, sha256 } from '../platform/crypto/digest.js';
import { clientFactsOf } from './client-facts.js';

/**
 * Secrets are 256 random bits and compared by their digests; several work while one is rotated. The library would take a
 * secret by either way, whichever is registered: only the registered one counts.
 */
function compareClientSecret(this: Client, secret: string): boolean {
  const way = Provider.ctx?.headers.authorization ? 'client_secret_basic' : 'client_secret_post';
  if (this.tokenEndpointAuthMethod !== way)
    throw new errors.InvalidClientAuth('the secret came by another way than the registered one');
  const digest = sha256(secret).toString('base64url');
  return clientFactsOf(this).secrets.filter((known) => constantTimeEqual(known, digest)).length > 0;
}

/** A grant that the client is not for has an error of its own (RFC 6749, section 5.2), where the library blames the request. */
function grantTypeAllowed(this: Client, type: string): boolean {
  if (this.grantTypes?.includes(type)) return true;
  const { route, params } = Provider.ctx!.oidc;
  if (route === 'device_authorization' || params?.grant_type === type)
    throw new errors.UnauthorizedClient('the client may not use this grant');
  return false;
}

export function installClientRules(provider: Provider): void {
  Object.assign(provider.Client.prototype, { compareClientSecret, grantTypeAllowed });
}
