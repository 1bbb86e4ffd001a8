import { Provider, errors, type Client } from 'oidc-provider';

/**
 * RFC 6749, section 5.2 requires `unauthorized_client` for a disallowed grant type. The library reports the request as
 * invalid.
 */
export function installGrantTypeErrors(provider: Provider): void {
  Object.assign(provider.Client.prototype, { grantTypeAllowed });
}

function grantTypeAllowed(this: Client, type: string): boolean {
  if (this.grantTypes?.includes(type)) return true;
  const { route, params } = Provider.ctx!.oidc;
  if (route === 'device_authorization' || params?.grant_type === type)
    throw new errors.UnauthorizedClient('the client may not use this grant');
  return false;
}
