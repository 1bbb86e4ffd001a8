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

/** One client at one authorization server: everything that its token endpoint wants to know. */
export interface AuthorizationClient {
  server: AuthorizationServer;
  client: UpstreamOAuthClient;
  redirectUri: string;
}

export interface TokenSet {
  access: string;
  /** Absent where the person has to come back when the access ends. */
  refresh?: string;
  /** As granted; absent where the server did not say. */
  scope?: string;
  /** Null where the server did not say. */
  expiresAt: Date | null;
}

/** Where to send the person, and what proves later that it was us (RFC 7636). */
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

/** From the address that the person came back with. Throws `Declined` and `UnusableServer`. */
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

/** Who answers is looked at before what it says: of another issuer not even an error is believed (RFC 9207, section 2.4). */
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

/** Throws `OAuthError` where the server says no. */
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

/** RFC 7009: with a refresh token the whole grant ends. Where the server offers no such thing nothing is sent. */
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

/** As at the token endpoint, which the SDK does by itself (RFC 6749, section 2.3.1). */
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

/** Only what may be shown to a server as it is: a token bound to a key is of no use without the key (RFC 9449). */
function toTokenSet(
  { issuer }: AuthorizationServer,
  { access_token, refresh_token, expires_in, scope, token_type }: OAuthTokens,
  requestedScope: string | undefined,
): TokenSet {
  if (token_type.toLowerCase() !== 'bearer')
    throw new UnusableServer(`${issuer} gave out a token of the kind "${token_type.slice(0, 40)}", not "Bearer"`);
  return {
    access: access_token,
    refresh: refresh_token,
    // what is granted as asked need not be said (RFC 6749, section 5.1)
    scope: scope ?? requestedScope,
    expiresAt: expires_in === undefined ? null : new Date(Date.now() + expires_in * 1000),
  };
}
