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

/** What a server says when it refuses a request without a token (RFC 9728, section 5.1). */
interface TokenChallenge {
  resourceMetadataUrl?: URL;
  scope?: string;
}

/** Who gives out tokens for a server, and for what. */
export interface AuthorizationServer {
  issuer: string;
  /** Absent where none is published: then everything is at its usual place (MCP 2025-03-26). */
  metadata?: AuthorizationServerMetadata;
  /** The resource that tokens are asked for (RFC 8707), as the server itself writes it. */
  resource?: string;
  /** What is asked for where nobody says more. */
  scope?: string;
  /** What there is to be asked for, now or when more is wanted later. */
  scopes?: string;
}

/** What somebody had, and what turned out to be too little (MCP 2026-07-28, step-up authorization). */
export interface RequestedScopes {
  scope?: string | null;
  wantedScope?: string | null;
}

/**
 * Finds out who lets people in at a server, and what to ask for there; whoever comes back because more is wanted keeps what was
 * granted before. Throws `UnusableServer`.
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

/** By a request that a server which wants tokens refuses. What the request asks for does nothing, should it be let in. */
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
 * From the server's own word (RFC 9728) to the metadata of its authorization server (RFC 8414, or OpenID Connect Discovery).
 * Throws `UnusableServer` for a resource that is not this server, another issuer than the one that was asked, and where
 * there is no PKCE with S256 or no TLS.
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
    throw new UnusableServer(`it says that its tokens are for ${resource}, which is somewhere else`);
  if (metadata && !metadata.code_challenge_methods_supported?.includes('S256'))
    throw new UnusableServer(`${metadata.issuer} does not offer PKCE with S256`);
  const issuer = metadata?.issuer ?? authorizationServerUrl;
  // a person's browser goes there, and the code comes back over it
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

/** With a refresh token where the server ties it to a scope. Nothing asked for stays nothing: the server chooses then. */
function scopeFor(scope: string | undefined, metadata: AuthorizationServerMetadata | undefined): string | undefined {
  if (!scope || !metadata?.scopes_supported?.includes(offlineAccessScope)) return scope || undefined;
  return scope.split(' ').includes(offlineAccessScope) ? scope : `${scope} ${offlineAccessScope}`;
}

const offlineAccessScope = 'offline_access';
