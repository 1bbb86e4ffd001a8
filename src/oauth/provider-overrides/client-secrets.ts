import { Provider, errors, type Client } from 'oidc-provider';
import { constantTimeEqual, sha256 } from '../../platform/crypto/digest.js';
import { clientFactsOf } from '../client-facts.js';

/**
 * The library compares one plain secret and accepts it by either method. Ours are stored as digests, several are valid
 * during a rotation, and only the registered method is accepted. Secrets are 256 random bits, so plain digests suffice.
 */
export function installClientSecrets(provider: Provider): void {
  Object.assign(provider.Client.prototype, { compareClientSecret });
}

function compareClientSecret(this: Client, secret: string): boolean {
  const method = Provider.ctx?.headers.authorization ? 'client_secret_basic' : 'client_secret_post';
  if (this.tokenEndpointAuthMethod !== method)
    throw new errors.InvalidClientAuth('the client authenticated by another method than the registered one');
  const digest = sha256(secret).toString('base64url');
  return clientFactsOf(this).secrets.filter((known) => constantTimeEqual(known, digest)).length > 0;
}
