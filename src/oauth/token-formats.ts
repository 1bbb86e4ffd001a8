import type { Provider } from 'oidc-provider';
import { newId } from '../platform/crypto/ids.js';
import { newToken, type TokenKind } from '../platform/crypto/tokens.js';
import { resourcePaths } from './clients/resources.js';

interface IdentifiedModel {
  generateTokenId(): string;
}
interface AccessTokenModel {
  aud?: string | string[];
  format?: string;
}

/** Tokens in our own format: whose token it is and what it opens can be told from its first characters. */
export function installTokenFormats(provider: Provider): void {
  const of = (model: { prototype: object }) => model.prototype as IdentifiedModel;
  of(provider.AccessToken).generateTokenId = function (this: AccessTokenModel) {
    this.format = 'opaque'; // the library asks for it where it would have made an id
    return newToken(accessTokenKind(provider.issuer, this.aud));
  };
  of(provider.RefreshToken).generateTokenId = () => newToken('ref');
  // the name of a grant; it opens nothing
  of(provider.Grant).generateTokenId = newId;
}

function accessTokenKind(issuer: string, audience: AccessTokenModel['aud']): TokenKind {
  if (audience === issuer + resourcePaths.api) return 'api';
  return audience === issuer + resourcePaths.mcp ? 'mcp' : 'cli';
}
