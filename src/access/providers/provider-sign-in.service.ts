import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { Database } from '../../platform/database/database.service.js';
import { orProblem } from '../../platform/errors/or-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { Log } from '../../platform/telemetry/log.service.js';
import { type Principal, systemPrincipal } from '../../principal/principal.js';
import { Attempts } from '../attempts.service.js';
import { type Challenge, type ChallengePurpose, Challenges } from '../challenges.service.js';
import { returnPath } from '../return-path.js';
import { type OpenedSession, requireFresh, requireSession } from '../sessions.service.js';
import { type AcceptedPerson, Identities, requireAccepted } from './identities.service.js';
import { signInNotBegun } from './providers.error.js';
import type { SignInProvider } from './sign-in-provider.entity.js';
import { SignInProviders } from './sign-in-providers.service.js';
import { TenantsService } from '../tenants.service.js';
import { type Journey, Upstream } from './upstream.service.js';

type Provider = Omit<SignInProvider, 'groups'>;
type Purpose = Extract<ChallengePurpose, `provider-${string}`>;
const purposes: Purpose[] = ['provider-sign-in', 'provider-link', 'provider-confirm'];

/** Whose browser it is, and from where. */
interface Visitor {
  /** The secret of its cookie. */
  browser: string | undefined;
  address: string;
  userAgent?: string;
  /** Who is signed in. Throws `unauthenticated`. */
  signedIn: () => Promise<Principal>;
}

/** `opened` where somebody signed in; otherwise the session is the one from before. */
export interface Arrival {
  opened?: OpenedSession;
  next: string;
}

/** The way to a provider and back: to sign in, to link an identity to one's account, to prove again who one is. */
@Injectable()
export class ProviderSignIn {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly attempts: Attempts,
    private readonly challenges: Challenges,
    private readonly providers: SignInProviders,
    private readonly identities: Identities,
    private readonly upstream: Upstream,
    private readonly tenants: TenantsService,
    private readonly log: Log,
  ) {}

  /** Where to send the browser. */
  async begin(providerId: string, { browser, address, next }: { browser: string; address: string; next: unknown }) {
    await this.attempts.countFrom(address);
    const provider = await this.providers.getEnabled(providerId);
    return this.leave(provider, browser, 'provider-sign-in', { next: returnPath(next) });
  }

  /** The same for somebody signed in. Linking needs a fresh proof before, confirming is one. */
  async beginAs(
    principal: Principal,
    providerId: string,
    purpose: 'provider-link' | 'provider-confirm',
    { browser, next }: { browser: string; next: unknown },
  ): Promise<{ url: URL; provider: Provider }> {
    const { memberId, sessionId, tenantId } =
      purpose === 'provider-link' ? requireFresh(principal) : requireSession(principal);
    const provider = await this.providers.getEnabled(providerId);
    if (provider.tenantId !== tenantId) throw signInNotBegun('This provider is not your organization’s.');
    return this.leave(provider, browser, purpose, { memberId, sessionId, next: returnPath(next) });
  }

  /** What the browser came back with. */
  async finish(providerId: string, query: string, visitor: Visitor): Promise<Arrival> {
    const attempt = await this.attempts.countFrom(visitor.address);
    const state = Buffer.from(new URLSearchParams(query).get('state') ?? '', 'base64url');
    const challenge = await this.challenges.take(visitor.browser, state, purposes);
    if (!challenge || challenge.providerId !== providerId || !visitor.browser)
      throw signInNotBegun('The provider sent you back, but you did not start here, or too long ago.');
    const provider = await this.providers.getEnabled(providerId);
    const isFresh = challenge.purpose === 'provider-confirm';
    const journey = { browser: visitor.browser, state };
    const arrival = await orProblem(
      this.arrive(provider, challenge, visitor, () =>
        this.upstream.person(this.providers.client(provider), journey, query, isFresh),
      ),
    );
    if (arrival instanceof Problem) throw await this.recorded(provider, arrival, visitor);
    await attempt.forgive();
    if (arrival.opened) await attempt.forgive(); // the way there was counted, too
    return arrival;
  }

  /** Its short name; undefined where there is no such provider. */
  async organizationOf(providerId: string): Promise<string | undefined> {
    const provider = await orProblem(this.providers.getEnabled(providerId));
    if (provider instanceof Problem) return undefined;
    return (await this.tenants.get(systemPrincipal(provider.tenantId, 'sign-in'))).slug;
  }

  private async leave(
    provider: Provider,
    browser: string,
    purpose: Purpose,
    context: { memberId?: string; sessionId?: string; next: string },
  ): Promise<{ url: URL; provider: Provider }> {
    const { tenantId, id: providerId } = provider;
    const state = await this.challenges.issue(browser, purpose, { ...context, tenantId, providerId });
    const asked = await orProblem(this.ask(provider, { browser, state }, purpose === 'provider-confirm'));
    if (asked instanceof Problem) throw await this.recorded(provider, asked, {});
    return { url: asked, provider };
  }

  private async ask(provider: Provider, journey: Journey, isFresh: boolean): Promise<URL> {
    return this.upstream.authorizationUrl(this.providers.client(provider), journey, isFresh);
  }

  private async arrive(
    provider: Provider,
    challenge: Challenge,
    { address, userAgent, signedIn }: Visitor,
    vouchedFor: () => ReturnType<Upstream['person']>,
  ): Promise<Arrival> {
    const next = returnPath(challenge.next);
    const principal = challenge.purpose === 'provider-sign-in' ? null : await signedIn();
    if (principal?.sessionId !== challenge.sessionId)
      throw signInNotBegun('Another session is open now than the one in which this began.');
    const person = requireAccepted(provider, await vouchedFor());
    if (!principal) return { opened: await this.signIn(provider, person, address, userAgent), next };
    if (challenge.purpose === 'provider-link') await this.identities.link(principal, provider, person);
    else await this.identities.confirm(principal, provider, person, challenge.createdAt);
    return { next };
  }

  private async signIn(provider: Provider, person: AcceptedPerson, address: string, userAgent?: string) {
    const { issuer, subject } = person;
    const attempt = await this.attempts.count(`identity ${provider.tenantId} ${issuer} ${subject}`, address);
    const opened = await this.identities.signIn(provider, person, userAgent);
    await attempt.forgive();
    return opened;
  }

  /** An administrator finds why somebody did not get in; the page does not say more than they may know. */
  private async recorded(provider: Provider, problem: Problem, { address }: { address?: string }): Promise<Problem> {
    const { tenantId, id, name } = provider;
    this.log.warn({ err: problem, providerId: id }, 'a sign-in by a provider failed');
    const principal = systemPrincipal(tenantId, 'sign-in');
    await this.database.tenant(principal, (tx) =>
      this.audit.record(tx, principal, {
        kind: 'sign_in.refused',
        subject: { type: 'sign_in_provider', id, name },
        detail: { code: problem.code, reason: problem.message, address },
      }),
    );
    return problem;
  }
}
