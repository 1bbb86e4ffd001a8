import type { Client, KoaContextWithOIDC } from 'oidc-provider';

/**
 * The library leaves this policy to the application. Scripts of public clients may request tokens from the
 * origins of the redirect URIs.
 */
export const allowRedirectOrigins = (_: KoaContextWithOIDC, origin: string, client: Client): boolean =>
  client.tokenEndpointAuthMethod === 'none' &&
  (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin);
