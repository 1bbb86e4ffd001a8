import { errors, type KoaContextWithOIDC } from 'oidc-provider';

/**
 * The library accepts any state. RFC 6749, appendix A.5, does not allow control characters, and the database cannot
 * store all of them. Runs after the redirect URI is verified.
 */
export function refuseControlCharacters(_: KoaContextWithOIDC, state: string | undefined): void {
  if (state !== undefined && /\p{Cc}/u.test(state))
    throw new errors.InvalidRequest('state contains characters that are not allowed');
}
