import {
  computeScopeUnion,
  isStrictScopeSuperset,
  registerClient,
  RegistrationRejectedError,
  resolveClientMetadata,
  type FetchLike,
  type OAuthClientMetadata,
} from '@modelcontextprotocol/client';
import type { AuthorizationServer } from './authorization-server.js';
import { UnusableServer } from './authorization-failures.js';

/** How we are known at an authorization server. */
export interface UpstreamOAuthClient {
  client_id: string;
  client_secret?: string;
  /** Seconds since 1970; 0 or absent: it does not end. */
  client_secret_expires_at?: number;
  token_endpoint_auth_method?: string;
  /** What it may ask for; absent: anything. */
  scope?: string;
}

/** What we say of ourselves, wherever we are asked (RFC 7591; Client ID Metadata Documents). */
export const clientMetadata = (redirectUri: string): OAuthClientMetadata =>
  resolveClientMetadata({
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: 'Countersign',
      redirect_uris: [redirectUri],
      response_types: ['code'],
    },
  });

interface RegistrationOptions {
  redirectUri: string;
  /** Where a document about us can be read, for servers that take its address as the client's id. */
  documentUrl?: string;
}

/** A client of our own at this server, made as it offers it. Throws `UnusableServer` where it offers no way. */
export async function registerUpstreamClient(
  { issuer, metadata, scope, scopes }: AuthorizationServer,
  { redirectUri, documentUrl }: RegistrationOptions,
  fetch: FetchLike,
): Promise<UpstreamOAuthClient> {
  if (documentUrl && metadata?.client_id_metadata_document_supported === true)
    return { client_id: documentUrl, token_endpoint_auth_method: 'none' };
  if (metadata && !metadata.registration_endpoint)
    throw new UnusableServer(
      `${issuer} registers no clients by itself: an administrator registers one there, with the address ${redirectUri}, and enters its id here`,
    );
  try {
    const registered = await registerClient(issuer, {
      metadata,
      clientMetadata: clientMetadata(redirectUri),
      // a client may be held to what it was registered for
      scope: computeScopeUnion(scopes, scope),
      fetchFn: fetch,
    });
    const { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method } = registered;
    return { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method, scope: registered.scope };
  } catch (error) {
    if (error instanceof RegistrationRejectedError)
      throw new UnusableServer(`${issuer} refused to register us (${error.status})`, { cause: error });
    throw error;
  }
}

/** Whether what was registered before is still good for this: its secret lives, and it may ask for as much. */
export const isUsableFor = (
  { scope }: AuthorizationServer,
  { client_secret_expires_at: end, scope: most }: UpstreamOAuthClient,
): boolean => (!end || end * 1000 > Date.now()) && (most === undefined || !isStrictScopeSuperset(scope, most));
