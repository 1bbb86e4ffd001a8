import type { Provider } from 'oidc-provider';
import { newId } from '../../platform/crypto/ids.js';
import { newToken, type TokenKind } from '../../platform/crypto/tokens.js';
import { resourcePaths } from '../resources.js';

interface IdentifiedModel {
  generateTokenId(): string;
}
interface AccessTokenModel {
  aud?: string | string[];
  format?: string;
}

/**
 * The library issues random text, in which neither secret scanners nor our endpoints recognize the issuer and the kind of
 * a token. Ours begin with a prefix that shows both.
 */
export function installTokenFormats(provider: Provider): void {
  const of = (model: { prototype: object }) => model.prototype as IdentifiedModel;
  of(provider.AccessToken).generateTokenId = function (this: AccessTokenModel) {
    this.format = 'opaque'; // the library's own generator sets it too
    return newToken(accessTokenKind(provider.issuer, this.aud));
  };
  of(provider.RefreshToken).generateTokenId = () => newToken('ref');
  // the id of a grant is not a credential
  of(provider.Grant).generateTokenId = newId;
}

function accessTokenKind(issuer: string, audience: AccessTokenModel['aud']): TokenKind {
  if (audience === issuer + resourcePaths.api) return 'api';
  return audience === issuer + resourcePaths.mcp ? 'mcp' : 'cli';
}
