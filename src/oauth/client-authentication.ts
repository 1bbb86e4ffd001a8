import { Provider, errors, type Client } from 'oidc-provider';
import { constantTimeEqual, sha256 } from '../platform/crypto/digest.js';
import { clientFactsOf } from './client-facts.js';

/**
 * Secrets are 256 random bits, so comparing plain digests is enough. Several are valid during a rotation. The library
 * accepts a secret by either method; only the registered method is accepted here.
 */
function compareClientSecret(this: Client, secret: string): boolean {
  const method = Provider.ctx?.headers.authorization ? 'client_secret_basic' : 'client_secret_post';
  if (this.tokenEndpointAuthMethod !== method)
    throw new errors.InvalidClientAuth('the client authenticated by another method than the registered one');
  const digest = sha256(secret).toString('base64url');
  return clientFactsOf(this).secrets.filter((known) => constantTimeEqual(known, digest)).length > 0;
}

/**
 * RFC 6749, section 5.2 requires `unauthorized_client` for a disallowed grant type. The library reports the request as
 * invalid.
 */
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
