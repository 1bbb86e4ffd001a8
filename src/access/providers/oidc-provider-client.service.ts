import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import * as oidc from 'openid-client';
import { Config } from '../../platform/config/config.js';
import { unprintableCharacter } from '../../platform/http/form-text.js';
import { OutboundHttpClient } from '../../platform/http/outbound-http-client.service.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { providerRefused, providerUnusable } from './providers.error.js';

/** Our client registration at a provider. */
export interface OidcClientCredentials {
  id: string;
  issuer: string;
  clientId: string;
  clientSecret: string | null;
}

/** Binds the authorization request to its callback: both values come from the same browser. */
export interface OidcFlowState {
  browser: string;
  state: Buffer;
}

/** Verified claims of a provider. */
export interface ProviderClaims {
  issuer: string;
  subject: string;
  /** Null if the provider reports none, or reports it as unverified. */
  email: string | null;
  name: string | null;
  /** When the person last authenticated at the provider, if it reports that. */
  authenticatedAt: Date | null;
}

const limits = { headersTimeoutMs: 8_000, idleTimeoutMs: 8_000, maxBytes: 256 * 1024 };
const totalTimeoutMs = 15_000;
/** Maximum age, in seconds, of a requested re-authentication. */
const maxAge = 10 * 60;

/** The protocol with a provider (OpenID Connect Core, code flow with PKCE). It does not create sessions or members. */
@Injectable()
export class OidcProviderClient {
  constructor(
    private readonly config: Config,
    private readonly outboundHttpClient: OutboundHttpClient,
  ) {}

  /** The administrator registers it at the provider. Each provider has its own, which prevents mix-up attacks. */
  redirectUri(providerId: string): string {
    return `${this.config.baseUrl}/sign-in/with/${providerId}/callback`;
  }

  /**
   * Returns the issuer as the provider spells it. Throws `sign-in-provider-unusable` if it lacks a required feature.
   */
  async verify(client: OidcClientCredentials): Promise<string> {
    return this.translateErrors(client, async () => {
      const server = (await this.discover(client)).serverMetadata();
      const missing = [
        !server.authorization_endpoint && 'authorization_endpoint',
        !server.token_endpoint && 'token_endpoint',
        !server.jwks_uri && 'jwks_uri',
        server.response_types_supported?.includes('code') === false && 'the response type "code"',
      ].filter(Boolean);
      if (missing.length) throw providerUnusable(`The metadata of the provider lacks ${missing.join(', ')}.`);
      return server.issuer;
    });
  }

  /** `isFresh`: the person must authenticate again even if they have a session at the provider. */
  async authorizationUrl(client: OidcClientCredentials, flowState: OidcFlowState, isFresh: boolean): Promise<URL> {
    return this.translateErrors(client, async () =>
      oidc.buildAuthorizationUrl(await this.discover(client), {
        redirect_uri: this.redirectUri(client.id),
        scope: 'openid email profile',
        state: stateOf(flowState),
        nonce: deriveFlowSecret(flowState, 'nonce'),
        code_challenge: await oidc.calculatePKCECodeChallenge(deriveFlowSecret(flowState, 'verifier')),
        code_challenge_method: 'S256',
        ...(isFresh && { prompt: 'login', max_age: '0' }),
      }),
    );
  }

  /** Takes the query of the callback URL. `isFresh` as in `authorizationUrl`. */
  async exchangeCode(
    client: OidcClientCredentials,
    flowState: OidcFlowState,
    query: string,
    isFresh: boolean,
  ): Promise<ProviderClaims> {
    return this.translateErrors(client, async () => {
      const configuration = await this.discover(client);
      const tokens = await oidc.authorizationCodeGrant(configuration, new URL(this.redirectUri(client.id) + query), {
        expectedState: stateOf(flowState),
        expectedNonce: deriveFlowSecret(flowState, 'nonce'),
        pkceCodeVerifier: deriveFlowSecret(flowState, 'verifier'),
        idTokenExpected: true,
        ...(isFresh && { maxAge }),
      });
      const claims = tokens.claims()!;
      return providerClaimsOf(client, {
        ...(await this.fetchUserInfo(configuration, tokens.access_token, claims)),
        ...claims,
      });
    });
  }

  /**
   * In the code flow, a provider may return the email address only from its userinfo endpoint (OpenID Connect Core
   * 5.4).
   */
  private async fetchUserInfo(
    configuration: oidc.Configuration,
    accessToken: string,
    { sub, email }: oidc.IDToken,
  ): Promise<Partial<oidc.UserInfoResponse>> {
    if (email !== undefined || !configuration.serverMetadata().userinfo_endpoint) return {};
    return oidc.fetchUserInfo(configuration, accessToken, sub);
  }

  private async discover({ issuer, clientId, clientSecret }: OidcClientCredentials): Promise<oidc.Configuration> {
    const server = new URL(issuer);
    // unencrypted requests are allowed only to this machine
    const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(server.hostname);
    return oidc.discovery(server, clientId, {}, clientAuthentication(clientSecret), {
      [oidc.customFetch]: this.fetchWithDeadline(),
      execute: [oidc.enableNonRepudiationChecks, ...(isLocal ? [oidc.allowInsecureRequests] : [])],
    });
  }

  /** One deadline for all requests of an attempt, because a person waits for the page. */
  private fetchWithDeadline(): oidc.CustomFetch {
    const guardedFetch = this.outboundHttpClient.asFetch(limits);
    const deadline = AbortSignal.timeout(totalTimeoutMs);
    return (url, { signal, body, ...options }) =>
      guardedFetch(url, {
        ...options,
        body: body as RequestInit['body'],
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
  }

  /** Translates errors of the library and the network for the person who signs in; the cause remains for the log. */
  private async translateErrors<T>({ issuer }: OidcClientCredentials, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof oidc.AuthorizationResponseError)
        throw providerRefused(
          error.error === 'access_denied'
            ? 'The provider denied access.'
            : `The provider returned an error: ${printableCode(error.error)}.`,
          { cause: error },
        );
      const reason = providerFailureReason(error);
      if (!reason) throw error;
      throw providerUnusable(`${new URL(issuer).host}: ${reason}.`, { cause: error });
    }
  }
}

const stateOf = ({ state }: OidcFlowState) => state.toString('base64url');

/** Not stored: it is derived again from the browser's cookie and the state. */
const deriveFlowSecret = ({ browser, state }: OidcFlowState, what: 'nonce' | 'verifier') =>
  createHmac('sha256', browser).update(`${what} `).update(state).digest('base64url');

/**
 * The method that the provider supports; "basic" if its metadata does not say (OpenID Connect Discovery 1.0, section
 * 3).
 */
function clientAuthentication(clientSecret: string | null): oidc.ClientAuth {
  if (clientSecret === null) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

function providerClaimsOf(
  { issuer }: OidcClientCredentials,
  { iss, sub, email, email_verified, name, auth_time }: oidc.IDToken & Partial<oidc.UserInfoResponse>,
): ProviderClaims {
  // some providers serve many issuers at one address
  if (iss !== issuer)
    throw providerUnusable(`The provider issued a token of ${printableCode(iss)} instead of ${issuer}.`);
  if (!sub || sub.length > 255)
    throw providerUnusable('The token of the provider has no valid subject (OpenID Connect Core, section 2: "sub").');
  return {
    issuer,
    subject: sub,
    email: typeof email === 'string' && email_verified === true ? email : null,
    name: typeof name === 'string' ? printableName(name) : null,
    authenticatedAt: typeof auth_time === 'number' ? new Date(Math.min(auth_time * 1000, Date.now())) : null,
  };
}

const printableName = (name: string) =>
  [...name]
    .filter((character) => !unprintableCharacter.test(character))
    .slice(0, 120)
    .join('')
    .trim() || null;

/** Null if the provider did not cause the error: our own bugs must surface as errors. */
function providerFailureReason(error: unknown): string | null {
  if (error instanceof oidc.ResponseBodyError) return `the token endpoint returned "${printableCode(error.error)}"`;
  if (error instanceof oidc.WWWAuthenticateChallengeError) return 'it rejects its own access token';
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof OutboundHttpError) return cause.message;
  if (!(error instanceof oidc.ClientError)) return null;
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/**
 * Makes a foreign error code safe to print in our messages: RFC 6749, section 4.1.2.1, allows only these characters.
 */
const printableCode = (code: string) => code.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 80);
