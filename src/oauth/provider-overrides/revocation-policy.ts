import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';

/** The library reports success to a public client that sends another client's token; RFC 7009, section 2.1, refuses it. */
export function ownTokensOnly(_: KoaContextWithOIDC, { clientId }: Client, token: { clientId?: string }): boolean {
  if (token.clientId === clientId) return true;
  throw new errors.InvalidRequest('the token belongs to another client');
}
