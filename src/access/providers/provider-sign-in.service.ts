import { Injectable } from '@nestjs/common';
import { catchProblem } from '../../platform/errors/catch-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { type Principal, systemPrincipal } from '../../principal/principal.js';
import { LoginThrottle } from '../login-throttle.service.js';
import { type Challenge, type ChallengePurpose, ChallengeStore } from '../challenge-store.service.js';
import { returnPath } from '../return-path.js';
import { type OpenedSession, requireFresh, requireSession } from '../sessions.service.js';
import {
  type AcceptedIdentity,
  LinkedIdentitiesService,
  requireAcceptedIdentity,
} from './linked-identities.service.js';
import { ProviderSignInFailuresService } from './provider-sign-in-failures.service.js';
import { signInNotBegun } from './providers.error.js';
import type { SignInProvider } from './sign-in-provider.entity.js';
import { SignInProvidersService } from './sign-in-providers.service.js';
import { TenantsService } from '../tenants.service.js';
import { type OidcFlowState, OidcProviderClient } from './oidc-provider-client.service.js';

type Provider = Omit<SignInProvider, 'groups'>;
type Purpose = Extract<ChallengePurpose, `provider-${string}`>;
const purposes: Purpose[] = ['provider-sign-in', 'provider-link', 'provider-confirm'];

/** The browser that returned from the provider. */
interface ProviderCallbackContext {
  /** The secret of its cookie. */
  browser: string | undefined;
  address: string;
  userAgent?: string;
  /** The signed-in member. Throws `unauthenticated`. */
  getPrincipal: () => Promise<Principal>;
}

/** `opened` after a sign-in; otherwise the existing session continues. */
export interface ProviderSignInResult {
  opened?: OpenedSession;
  next: string;
}

/** The redirect to a provider and its callback: for sign-in, linking an identity, and confirming one's identity. */
@Injectable()
export class ProviderSignInService {
  constructor(
    private readonly loginThrottle: LoginThrottle,
    private readonly challengeStore: ChallengeStore,
    private readonly providers: SignInProvidersService,
    private readonly linkedIdentities: LinkedIdentitiesService,
    private readonly oidcProviderClient: OidcProviderClient,
    private readonly tenants: TenantsService,
    private readonly failures: ProviderSignInFailuresService,
  ) {}

  /** Returns the URL to redirect the browser to. */
  async begin(providerId: string, { browser, address, next }: { browser: string; address: string; next: unknown }) {
    await this.loginThrottle.countByAddress(address);
    const provider = await this.providers.getEnabled(providerId);
    return this.redirectToProvider(provider, browser, 'provider-sign-in', { next: returnPath(next) });
  }

  /** Like `begin`, for a signed-in member. Linking requires a recent confirmation of identity. */
  async beginForMember(
    principal: Principal,
    providerId: string,
    purpose: 'provider-link' | 'provider-confirm',
    { browser, next }: { browser: string; next: unknown },
  ): Promise<{ url: URL; provider: Provider }> {
    const { memberId, sessionId, tenantId } =
      purpose === 'provider-link' ? requireFresh(principal) : requireSession(principal);
    const provider = await this.providers.getEnabled(providerId);
    if (provider.tenantId !== tenantId) throw signInNotBegun('This provider belongs to another organization.');
    return this.redirectToProvider(provider, browser, purpose, { memberId, sessionId, next: returnPath(next) });
  }

  /** Handles the callback from the provider. */
  async complete(providerId: string, query: string, context: ProviderCallbackContext): Promise<ProviderSignInResult> {
    const attempt = await this.loginThrottle.countByAddress(context.address);
    const state = Buffer.from(new URLSearchParams(query).get('state') ?? '', 'base64url');
    const challenge = await this.challengeStore.consume(context.browser, state, purposes);
    if (!challenge || challenge.providerId !== providerId || !context.browser)
      throw signInNotBegun(
        'You returned from the provider, but the sign-in was not started in this browser or has expired. Start again.',
      );
    const provider = await this.providers.getEnabled(providerId);
    const isFresh = challenge.purpose === 'provider-confirm';
    const flowState = { browser: context.browser, state };
    const result = await catchProblem(
      this.handleCallback(provider, challenge, context, () =>
        this.oidcProviderClient.exchangeCode(this.providers.clientCredentials(provider), flowState, query, isFresh),
      ),
    );
    if (result instanceof Problem) throw await this.failures.record(provider, result, context);
    await attempt.forgive();
    if (result.opened) await attempt.forgive(); // `begin` counted as an attempt, too
    return result;
  }

  /** The slug of its organization; undefined if there is no such provider. */
  async organizationOf(providerId: string): Promise<string | undefined> {
    const provider = await catchProblem(this.providers.getEnabled(providerId));
    if (provider instanceof Problem) return undefined;
    return (await this.tenants.get(systemPrincipal(provider.tenantId, 'sign-in'))).slug;
  }

  private async redirectToProvider(
    provider: Provider,
    browser: string,
    purpose: Purpose,
    context: { memberId?: string; sessionId?: string; next: string },
  ): Promise<{ url: URL; provider: Provider }> {
    const { tenantId, id: providerId } = provider;
    const state = await this.challengeStore.issue(browser, purpose, { ...context, tenantId, providerId });
    const authorization = await catchProblem(
      this.authorizationUrl(provider, { browser, state }, purpose === 'provider-confirm'),
    );
    if (authorization instanceof Problem) throw await this.failures.record(provider, authorization, {});
    return { url: authorization, provider };
  }

  private async authorizationUrl(provider: Provider, flowState: OidcFlowState, isFresh: boolean): Promise<URL> {
    return this.oidcProviderClient.authorizationUrl(this.providers.clientCredentials(provider), flowState, isFresh);
  }

  private async handleCallback(
    provider: Provider,
    challenge: Challenge,
    { address, userAgent, getPrincipal }: ProviderCallbackContext,
    fetchClaims: () => ReturnType<OidcProviderClient['exchangeCode']>,
  ): Promise<ProviderSignInResult> {
    const next = returnPath(challenge.next);
    const principal = challenge.purpose === 'provider-sign-in' ? null : await getPrincipal();
    if (principal?.sessionId !== challenge.sessionId)
      throw signInNotBegun(
        'You are now signed in with a different session than the one that started this. Start again.',
      );
    const person = requireAcceptedIdentity(provider, await fetchClaims());
    if (!principal) return { opened: await this.signIn(provider, person, address, userAgent), next };
    if (challenge.purpose === 'provider-link') await this.linkedIdentities.link(principal, provider, person);
    else await this.linkedIdentities.confirm(principal, provider, person, challenge.createdAt);
    return { next };
  }

  private async signIn(provider: Provider, person: AcceptedIdentity, address: string, userAgent?: string) {
    const { issuer, subject } = person;
    const attempt = await this.loginThrottle.count(`identity ${provider.tenantId} ${issuer} ${subject}`, address);
    const opened = await this.linkedIdentities.signIn(provider, person, userAgent);
    await attempt.forgive();
    return opened;
  }
}
