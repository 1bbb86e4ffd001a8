import { errors, type KoaContextWithOIDC } from 'oidc-provider';

/**
 * The library offers more response modes and cannot disable them. Responses here are sent in the query, and so is the
 * error for another mode. Runs after the redirect URI is verified.
 */
export function refuseOtherResponseModes({ oidc }: KoaContextWithOIDC, mode: string | undefined): void {
  if (mode === undefined || mode === 'query') return;
  Object.assign(oidc.params!, { response_mode: undefined });
  throw new errors.UnsupportedResponseMode();
}
