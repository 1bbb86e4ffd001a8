import {
  assertSecureTokenEndpoint,
  exchangeAuthorization,
  refreshAuthorization,
  selectClientAuthMethod,
  startAuthorization,
  validateAuthorizationResponseIssuer,
  type FetchLike,
  type OAuthMetadata,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import type { AuthorizationServer } from './authorization-server.js';
import type { UpstreamOAuthClient } from './registration.js';
import { AuthorizationDeclined, UnusableServer } from './authorization-failures.js';

/** One client at one authorization server: everything that a request to its token endpoint needs. */
export interface AuthorizationClient {
  server: AuthorizationServer;
  client: UpstreamOAuthClient;
  redirectUri: string;
}

export interface TokenSet {
  access: string;
  /** Absent if the person must sign in again when the access expires. */
  refresh?: string;
  /** As granted; absent if the server did not say. */
  scope?: string;
  /** Null if the server did not say. */
  expiresAt: Date | null;
}

/** The URL to send the person to, and the verifier that later proves that the request was ours (RFC 7636). */
export async function authorizationRequest({ server, client, redirectUri }: AuthorizationClient, state: string) {
  const { authorizationUrl, codeVerifier } = await startAuthorization(server.issuer, {
    metadata: server.metadata,
    clientInformation: client,
    redirectUrl: redirectUri,
    scope: server.scope,
    resource: server.resource,
    state,
  });
  return { url: authorizationUrl, verifier: codeVerifier };
}

/** Redeems the code in the callback URL. Throws `AuthorizationDeclined` and `UnusableServer`. */
export async function redeemCode(
  { server, client, redirectUri }: AuthorizationClient,
  { answer, verifier }: { answer: URLSearchParams; verifier: string },
  fetch: FetchLike,
): Promise<TokenSet> {
  const iss = answer.get('iss') ?? undefined;
  const granted = await exchangeAuthorization(server.issuer, {
    metadata: server.metadata,
    clientInformation: client,
    authorizationCode: codeOf(server, answer, iss),
    iss,
    codeVerifier: verifier,
    redirectUri,
    resource: server.resource,
    fetchFn: fetch,
  });
  return toTokenSet(server, granted, server.scope);
}

/** Checks the issuer first: not even an error from another issuer is trusted (RFC 9207, section 2.4). */
function codeOf({ issuer, metadata }: AuthorizationServer, answer: URLSearchParams, iss: string | undefined): string {
  validateAuthorizationResponseIssuer({
    iss,
    expectedIssuer: metadata?.issuer,
    issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
  });
  const error = answer.get('error');
  if (error) throw new AuthorizationDeclined(error);
  const code = answer.get('code');
  if (!code) throw new UnusableServer(`${issuer} sent neither a code nor an error`);
  return code;
}

/** Throws `OAuthError` if the server rejects the request. */
export async function refreshTokens(
  { server, client }: AuthorizationClient,
  { refresh, scope }: { refresh: string; scope?: string },
  fetch: FetchLike,
): Promise<TokenSet> {
  const granted = await refreshAuthorization(server.issuer, {
    metadata: server.metadata,
    clientInformation: client,
    refreshToken: refresh,
    resource: server.resource,
    fetchFn: fetch,
  });
  return toTokenSet(server, granted, scope);
}

/** RFC 7009: revoking a refresh token ends the whole grant. Sends nothing if the server has no revocation endpoint. */
export async function revokeTokens(
  { server, client }: AuthorizationClient,
  { refresh, access }: Pick<TokenSet, 'access' | 'refresh'>,
  fetch: FetchLike,
): Promise<void> {
  const { revocation_endpoint: endpoint } = (server.metadata ?? {}) as Partial<OAuthMetadata>;
  if (!endpoint) return;
  const parameters = new URLSearchParams({
    token: refresh ?? access,
    token_type_hint: refresh ? 'refresh_token' : 'access_token',
  });
  const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
  addClientAuthentication(server, client, headers, parameters);
  const response = await fetch(assertSecureTokenEndpoint(endpoint), { method: 'POST', headers, body: parameters });
  await response.body?.cancel();
}

/** The authentication that the SDK uses at the token endpoint (RFC 6749, section 2.3.1). */
function addClientAuthentication(
  { metadata }: AuthorizationServer,
  client: UpstreamOAuthClient,
  headers: Headers,
  parameters: URLSearchParams,
): void {
  const { client_id: id, client_secret: secret = '' } = client;
  const method = selectClientAuthMethod(client, metadata?.token_endpoint_auth_methods_supported ?? []);
  if (method === 'client_secret_basic')
    return headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`);
  parameters.set('client_id', id);
  if (method === 'client_secret_post') parameters.set('client_secret', secret);
}

/** Accepts only bearer tokens: a token that is bound to a key is useless without the key (RFC 9449). */
function toTokenSet(
  { issuer }: AuthorizationServer,
  { access_token, refresh_token, expires_in, scope, token_type }: OAuthTokens,
  requestedScope: string | undefined,
): TokenSet {
  if (token_type.toLowerCase() !== 'bearer')
    throw new UnusableServer(`${issuer} issued a token of type "${token_type.slice(0, 40)}" instead of "Bearer"`);
  return {
    access: access_token,
    refresh: refresh_token,
    // the server may omit the scope if it granted what was requested (RFC 6749, section 5.1)
    scope: scope ?? requestedScope,
    expiresAt: expires_in === undefined ? null : new Date(Date.now() + expires_in * 1000),
  };
}
