import { Provider, errors, type Client } from 'oidc-provider';
import { constantTimeEqual, sha256 } from '../platform/crypto/digest.js';
import { factsOf } from './client-facts.js';

/**
 * Secrets are 256 random bits and compared by their digests; several work while one is rotated. The library would take a
 * secret by either way, whichever is registered: only the registered one counts.
 */
export function useOurSecrets(provider: Provider): void {
  const client = provider.Client.prototype as Client;
  client.compareClientSecret = function (this: Client, secret: string) {
    const way = Provider.ctx?.headers.authorization ? 'client_secret_basic' : 'client_secret_post';
    if (this.tokenEndpointAuthMethod !== way)
      throw new errors.InvalidClientAuth('the secret came by another way than the registered one');
    const digest = sha256(secret).toString('base64url');
    return factsOf(this).secrets.filter((known) => constantTimeEqual(known, digest)).length > 0;
  };
}
