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

/** Our client at an authorization server. */
export interface UpstreamOAuthClient {
  client_id: string;
  client_secret?: string;
  /** Seconds since 1970; 0 or absent: it never expires. */
  client_secret_expires_at?: number;
  token_endpoint_auth_method?: string;
  /** The scopes that it may request; absent: any. */
  scope?: string;
}

/** Our client metadata, for registration and for the metadata document (RFC 7591; Client ID Metadata Documents). */
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
  /** URL of our client metadata document, for servers that accept it as client id. */
  documentUrl?: string;
}

/** Registers a client by a method that the server offers. Throws `UnusableServer` if it offers none. */
export async function registerUpstreamClient(
  { issuer, metadata, scope, scopes }: AuthorizationServer,
  { redirectUri, documentUrl }: RegistrationOptions,
  fetch: FetchLike,
): Promise<UpstreamOAuthClient> {
  if (documentUrl && metadata?.client_id_metadata_document_supported === true)
    return { client_id: documentUrl, token_endpoint_auth_method: 'none' };
  if (metadata && !metadata.registration_endpoint)
    throw new UnusableServer(
      `${issuer} has no client registration: an administrator must register a client there with the redirect URI ${redirectUri} and enter its id in the connection`,
    );
  try {
    const registered = await registerClient(issuer, {
      metadata,
      clientMetadata: clientMetadata(redirectUri),
      // a server may restrict a client to the scope that it was registered with
      scope: computeScopeUnion(scopes, scope),
      fetchFn: fetch,
    });
    const { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method } = registered;
    return { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method, scope: registered.scope };
  } catch (error) {
    if (error instanceof RegistrationRejectedError)
      throw new UnusableServer(`${issuer} rejected the client registration (${error.status})`, { cause: error });
    throw error;
  }
}

/** Whether a stored client still works for this server: its secret is valid, and its scope covers what is requested. */
export const isUsableFor = (
  { scope }: AuthorizationServer,
  { client_secret_expires_at: end, scope: most }: UpstreamOAuthClient,
): boolean => (!end || end * 1000 > Date.now()) && (most === undefined || !isStrictScopeSuperset(scope, most));
