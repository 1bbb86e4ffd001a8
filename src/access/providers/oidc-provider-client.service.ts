import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import * as oidc from 'openid-client';
import { Config } from '../../platform/config/config.js';
import { unprintableCharacter } from '../../platform/http/form-text.js';
import { OutboundHttpClient } from '../../platform/http/outbound-http-client.service.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { providerRefused, providerUnusable } from './providers.error.js';

/** How we are known at a provider. */
export interface OidcClientCredentials {
  id: string;
  issuer: string;
  clientId: string;
  clientSecret: string | null;
}

/** What ties the way there to the way back: both come from the browser that is on its way. */
export interface OidcFlowState {
  browser: string;
  state: Buffer;
}

/** What a provider vouches for. */
export interface ProviderClaims {
  issuer: string;
  subject: string;
  /** Null where the provider does not say, or says that it has not verified it. */
  email: string | null;
  name: string | null;
  /** When the person last proved to the provider who they are, where it says so. */
  authenticatedAt: Date | null;
}

const limits = { headersTimeoutMs: 8_000, idleTimeoutMs: 8_000, maxBytes: 256 * 1024 };
const totalTimeoutMs = 15_000;
/** For how long a proof at the provider counts when one was asked for. */
const maxAge = 10 * 60;

/** The protocol with a provider (OpenID Connect Core, code flow with PKCE), and nothing of what becomes of it. */
@Injectable()
export class OidcProviderClient {
  constructor(
    private readonly config: Config,
    private readonly outboundHttpClient: OutboundHttpClient,
  ) {}

  /** What the administrator enters at the provider. One address a provider: no answer can be taken for another one's. */
  redirectUri(providerId: string): string {
    return `${this.config.baseUrl}/sign-in/with/${providerId}/callback`;
  }

  /** The issuer as the provider spells it. Throws `sign-in-provider-unusable` where the provider cannot do what we need. */
  async verify(client: OidcClientCredentials): Promise<string> {
    return this.translateErrors(client, async () => {
      const server = (await this.discover(client)).serverMetadata();
      const missing = [
        !server.authorization_endpoint && 'authorization_endpoint',
        !server.token_endpoint && 'token_endpoint',
        !server.jwks_uri && 'jwks_uri',
        server.response_types_supported?.includes('code') === false && 'the response type "code"',
      ].filter(Boolean);
      if (missing.length) throw providerUnusable(`Its metadata lacks ${missing.join(', ')}.`);
      return server.issuer;
    });
  }

  /** Where to send the browser. `isFresh`: the person has to prove who they are even where the provider remembers them. */
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

  /** From the answer in the address that the browser came back to. `isFresh` as before. */
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

  /** In the code flow a provider may tell the address at its userinfo endpoint only (OpenID Connect Core 5.4). */
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
    // what travels in the clear has to stay on this machine
    const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(server.hostname);
    return oidc.discovery(server, clientId, {}, clientAuthentication(clientSecret), {
      [oidc.customFetch]: this.fetchWithDeadline(),
      execute: [oidc.enableNonRepudiationChecks, ...(isLocal ? [oidc.allowInsecureRequests] : [])],
    });
  }

  /** For all requests of one attempt together: somebody waits for the page. */
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

  /** The library's and the network's errors in words for who signs in; the cause stays for the records. */
  private async translateErrors<T>({ issuer }: OidcClientCredentials, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof oidc.AuthorizationResponseError)
        throw providerRefused(
          error.error === 'access_denied'
            ? 'The provider says that access was denied there.'
            : `The provider answered with an error: ${printableCode(error.error)}.`,
          { cause: error },
        );
      const reason = providerFailureReason(error);
      if (!reason) throw error;
      throw providerUnusable(`${new URL(issuer).host}: ${reason}.`, { cause: error });
    }
  }
}

const stateOf = ({ state }: OidcFlowState) => state.toString('base64url');

/** Nothing of it is stored anywhere: it takes the browser's cookie and the state to make it again. */
const deriveFlowSecret = ({ browser, state }: OidcFlowState, what: 'nonce' | 'verifier') =>
  createHmac('sha256', browser).update(`${what} `).update(state).digest('base64url');

/** As the provider takes it; "basic" where it does not say (OpenID Connect Discovery 1.0, section 3). */
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
  // some providers let the address of one issuer stand for many
  if (iss !== issuer) throw providerUnusable(`It vouches for ${printableCode(iss)}, not for ${issuer}.`);
  if (!sub || sub.length > 255)
    throw providerUnusable('It does not say who it is (OpenID Connect Core, section 2: "sub").');
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

/** Null for what is no answer of a provider: our own mistakes stay errors. */
function providerFailureReason(error: unknown): string | null {
  if (error instanceof oidc.ResponseBodyError) return `its token endpoint answers "${printableCode(error.error)}"`;
  if (error instanceof oidc.WWWAuthenticateChallengeError) return 'it does not take its own access token';
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof OutboundHttpError) return cause.message;
  if (!(error instanceof oidc.ClientError)) return null;
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** What somebody else chose, in our own sentence: error codes are of these characters (RFC 6749, section 4.1.2.1). */
const printableCode = (code: string) => code.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 80);
