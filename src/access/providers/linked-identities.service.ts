import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { notFound } from '../../platform/errors/general.error.js';
import { type Principal, systemPrincipal } from '../../principal/principal.js';
import { signInRefused } from '../access.error.js';
import { isUniqueViolation } from '../../platform/database/database-error.js';
import { memberPrincipal } from '../member-principal.js';
import { IntroductionsService } from '../independence/introductions.service.js';
import { Member } from '../member.entity.js';
import { MembershipsService } from '../memberships.service.js';
import { normalizeEmail } from '../email.port.js';
import { type OpenedSession, requireFresh, SessionsService } from '../sessions.service.js';
import { SignInMethodsService } from '../sign-in-methods.service.js';
import { Identity } from '../identity.entity.js';
import { identityNotAccepted, identityNotLinked, identityTaken, providerRefused } from './providers.error.js';
import { withProviderGroups } from './provider-groups.js';
import type { SignInProvider } from './sign-in-provider.entity.js';
import { lockIdentity } from './sign-in-providers.sql.js';
import type { ProviderClaims } from './oidc-provider-client.service.js';

type Provider = Omit<SignInProvider, 'groups'>;
/** An identity whose email address the provider verified and whose domain the organization accepts. */
export type AcceptedIdentity = ProviderClaims & { email: string };

const clockSkewMs = 60 * 1000;

/** Maps identities at a provider to members. */
@Injectable()
export class LinkedIdentitiesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly memberships: MembershipsService,
    private readonly sessions: SessionsService,
    private readonly signInMethods: SignInMethodsService,
    private readonly introductions: IntroductionsService,
  ) {}

  /**
   * Signs in the member of the linked identity. Without one, and if no member has the address, it creates a member if
   * the provider allows that. The lock serializes concurrent sign-ins of the same person.
   */
  signIn(provider: Provider, person: AcceptedIdentity, userAgent?: string): Promise<OpenedSession> {
    const { tenantId } = provider;
    return this.database.tenant({ tenantId }, async (tx) => {
      await tx.execute(lockIdentity, [JSON.stringify([tenantId, person.issuer, person.subject])]);
      const known = await this.find(tx, provider, person);
      const member = known ? await this.getActiveMember(tx, known) : await this.createMember(tx, provider, person);
      if (known) await this.recordUse(tx, known, person);
      const { id: memberId, name, roles } = member;
      const principal = memberPrincipal({ tenantId, memberId, name, roles });
      return this.sessions.openIn(tx, principal, {
        memberId,
        isFresh: false,
        authenticatedAt: person.authenticatedAt,
        by: 'provider',
        userAgent,
      });
    });
  }

  /** Links an identity to the signed-in member; linking it again has no effect. */
  async link(principal: Principal, provider: Provider, person: AcceptedIdentity): Promise<void> {
    const { memberId, tenantId } = requireFresh(principal);
    await this.database.tenant(principal, async (tx) => {
      const known = await this.find(tx, provider, person);
      if (known?.memberId === memberId) return;
      if (known) throw identityTaken('This identity is linked to another account of the organization.');
      const identity = await this.insert(tx, { tenantId, memberId }, person);
      await this.record(tx, principal, 'identity.linked', identity);
    });
  }

  async unlink(principal: Principal, id: string): Promise<Identity> {
    const { tenantId, memberId } = requireFresh(principal);
    return this.database.tenant(principal, async (tx) => {
      await this.signInMethods.lock(tx, principal, memberId);
      const identity = await tx.findOneBy(Identity, { tenantId, memberId, id });
      if (!identity) throw notFound('There is no such identity of yours.');
      await tx.delete(Identity, { tenantId, id });
      await this.signInMethods.requireRemaining(tx, principal, memberId);
      await this.record(tx, principal, 'identity.unlinked', identity);
      return identity;
    });
  }

  /** Requires that the person authenticated at the provider after `askedAt`. */
  async confirm(principal: Principal, provider: Provider, person: AcceptedIdentity, askedAt: Date): Promise<Date> {
    const known = await this.database.tenant(principal, (tx) => this.find(tx, provider, person));
    if (!known || known.memberId !== principal.memberId)
      throw identityNotLinked('A different person signed in at the provider. Sign in there with your own account.');
    if (!person.authenticatedAt || person.authenticatedAt.getTime() < askedAt.getTime() - clockSkewMs)
      throw providerRefused(
        'The provider did not ask you to sign in again, so this does not confirm your identity. Use another sign-in method.',
      );
    return this.sessions.markFresh(principal, 'provider');
  }

  private find(tx: Tx, { tenantId }: Provider, { issuer, subject }: ProviderClaims) {
    return tx.findOneBy(Identity, { tenantId, issuer, subject });
  }

  private async getActiveMember(tx: Tx, { tenantId, memberId }: Identity): Promise<Member> {
    const member = await tx.findOneBy(Member, { tenantId, id: memberId, status: 'active' });
    if (!member) throw signInRefused('The account is not active.');
    return member;
  }

  private async createMember(tx: Tx, provider: Provider, person: AcceptedIdentity): Promise<Member> {
    const { tenantId } = provider;
    const former = await tx.findOneBy(Member, { tenantId, email: person.email });
    if (former?.status === 'active')
      throw identityNotLinked(
        `An account with the address ${person.email} exists, but this identity is not linked to it.`,
      );
    if (former) throw signInRefused('The account is not active.');
    if (!provider.createsMembers)
      throw identityNotAccepted(
        `No account has the address ${person.email}, and "${provider.name}" does not create members.`,
      );
    const [{ groups }] = await withProviderGroups(tx, [provider]);
    const principal = systemPrincipal(tenantId, `sign-in with ${provider.name}`);
    const newMember = {
      email: person.email,
      name: person.name ?? person.email.split('@')[0],
      groupIds: groups.map((group) => group.id),
      passwordHash: null,
    };
    const member = await this.memberships.createMember(tx, principal, newMember, 'provider');
    const identity = await this.insert(tx, { tenantId, memberId: member.id }, person);
    await this.record(tx, principal, 'identity.linked', identity);
    return member;
  }

  private async insert(
    tx: Tx,
    owner: { tenantId: string; memberId: string },
    { issuer, subject, email }: AcceptedIdentity,
  ): Promise<Identity> {
    const now = new Date();
    const identity: Identity = { ...owner, id: newId(), issuer, subject, email, linkedAt: now, usedAt: now };
    await tx.insert(Identity, identity).catch((error: unknown) => {
      throw isUniqueViolation(error, 'identities_tenant_id_issuer_subject_key')
        ? identityTaken('This identity has just been linked.')
        : error;
    });
    await this.introductions.recordIdentity(tx, { ...owner, issuer });
    return identity;
  }

  private async recordUse(tx: Tx, { tenantId, id }: Identity, { email }: AcceptedIdentity): Promise<void> {
    await tx.update(Identity, { tenantId, id }, { email, usedAt: new Date() });
  }

  private record(tx: Tx, principal: Principal, kind: string, { memberId, ...identity }: Identity) {
    return this.audit.record(tx, principal, {
      kind,
      subject: { type: 'member', id: memberId },
      detail: { identityId: identity.id, issuer: identity.issuer, subject: identity.subject, email: identity.email },
    });
  }
}

/** Throws `identity-not-accepted`. */
export function requireAcceptedIdentity({ name, emailDomains }: Provider, person: ProviderClaims): AcceptedIdentity {
  const email = person.email === null ? null : normalizeEmail(person.email);
  if (!email) throw identityNotAccepted(`"${name}" does not confirm that it has verified your email address.`);
  if (!emailDomains.includes(email.slice(email.lastIndexOf('@') + 1)))
    throw identityNotAccepted(`The organization does not accept ${email} for sign-in with "${name}".`);
  return { ...person, email };
}
