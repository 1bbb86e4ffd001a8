import {
  assertSecureTokenEndpoint,
  checkResourceAllowed,
  computeScopeUnion,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type AuthorizationServerMetadata,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { UnusableServer } from './authorization-failures.js';

/** What a server declares when it rejects a request without a token (RFC 9728, section 5.1). */
interface TokenChallenge {
  resourceMetadataUrl?: URL;
  scope?: string;
}

/** The authorization server that issues tokens for a server, with the scopes to request. */
export interface AuthorizationServer {
  issuer: string;
  /** Absent if none is published: then the endpoints have default paths (MCP 2025-03-26). */
  metadata?: AuthorizationServerMetadata;
  /** The resource to request tokens for (RFC 8707), as the server writes it. */
  resource?: string;
  /** The default scope to request. */
  scope?: string;
  /** All scopes that can be requested, now or in a later step-up. */
  scopes?: string;
}

/** The scope that was granted, and the one that a request needed (MCP 2026-07-28, step-up authorization). */
export interface RequestedScopes {
  scope?: string | null;
  wantedScope?: string | null;
}

/**
 * Discovers the authorization server of a server and the scope to request. A step-up requests the granted scope
 * together with the missing one. Throws `UnusableServer`.
 */
export async function discoverForScopes(
  server: URL,
  { scope, wantedScope }: RequestedScopes,
  fetch: FetchLike,
): Promise<AuthorizationServer> {
  const found = await discoverAuthorizationServer(server, await fetchTokenChallenge(server, fetch), fetch);
  if (!wantedScope) return found;
  return { ...found, scope: computeScopeUnion(found.scope, scope ?? undefined, wantedScope) };
}

/** Sends a request that a server with OAuth rejects. If the server accepts it, the request has no effect. */
async function fetchTokenChallenge(server: URL, fetch: FetchLike): Promise<TokenChallenge> {
  const response = await fetch(server, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

/**
 * From the server's resource metadata (RFC 9728) to the metadata of its authorization server (RFC 8414, or OpenID
 * Connect Discovery). Throws `UnusableServer` if the resource is not this server, the issuer differs from the requested
 * one, or PKCE with S256 or TLS is missing.
 */
async function discoverAuthorizationServer(
  server: URL,
  challenge: TokenChallenge,
  fetch: FetchLike,
): Promise<AuthorizationServer> {
  const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = await discoverOAuthServerInfo(
    server,
    { resourceMetadataUrl: challenge.resourceMetadataUrl, fetchFn: fetch },
  );
  const metadata = authorizationServerMetadata;
  const resource = resourceMetadata?.resource;
  if (resource && !checkResourceAllowed({ requestedResource: server, configuredResource: resource }))
    throw new UnusableServer(`it declares that its tokens are for ${resource}, which is a different server`);
  if (metadata && !metadata.code_challenge_methods_supported?.includes('S256'))
    throw new UnusableServer(`${metadata.issuer} does not offer PKCE with S256`);
  const issuer = metadata?.issuer ?? authorizationServerUrl;
  // the person's browser opens this endpoint, and the code returns from it
  assertSecureTokenEndpoint(metadata?.authorization_endpoint ?? new URL('/authorize', issuer));
  const scopes = resourceMetadata?.scopes_supported?.join(' ');
  const scope = scopeFor(challenge.scope ?? scopes, metadata);
  return {
    issuer,
    metadata,
    resource,
    scope,
    scopes: computeScopeUnion(scopes, scope),
  };
}

/**
 * Adds `offline_access` if the server requires it for a refresh token. No scope stays no scope: the server then
 * chooses.
 */
function scopeFor(scope: string | undefined, metadata: AuthorizationServerMetadata | undefined): string | undefined {
  if (!scope || !metadata?.scopes_supported?.includes(offlineAccessScope)) return scope || undefined;
  return scope.split(' ').includes(offlineAccessScope) ? scope : `${scope} ${offlineAccessScope}`;
}

const offlineAccessScope = 'offline_access';
