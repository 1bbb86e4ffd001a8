import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { verifyPassword } from '../platform/crypto/passwords.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { notFound } from '../platform/errors/general.error.js';
import { sessionRequired } from '../principal/principal.error.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { linkUnusable, signInRefused } from './access.error.js';
import { LoginThrottle, type LoginAttempt } from './login-throttle.service.js';
import { normalizeEmail } from './email.port.js';
import type { UsableLink } from './credentials.system.sql.js';
import { type IssuedLink, LinksService } from './links.service.js';
import { memberPrincipal } from './member-principal.js';
import { Member } from './member.entity.js';
import { type OpenedSession, SessionsService } from './sessions.service.js';
import { Tenant } from './tenant.entity.js';
import { TenantsService } from './tenants.service.js';
import { type PendingSecondFactor, SignInMethodsService } from './sign-in-methods.service.js';

export interface Credentials {
  /** URL slug; optional if there is only one organization. */
  organization?: string;
  email: string;
  password: string;
  /** The client address. */
  address: string;
  userAgent?: string;
}

type SignInCandidate = Pick<
  Member,
  'tenantId' | 'id' | 'name' | 'roles' | 'status' | 'passwordHash' | 'wantsSecondFactor'
>;

@Injectable()
export class SignInService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly loginThrottle: LoginThrottle,
    private readonly links: LinksService,
    private readonly sessions: SessionsService,
    private readonly tenants: TenantsService,
    private readonly signInMethods: SignInMethodsService,
  ) {}

  /** Throws the same `sign-in-refused` after the same time for every reason, so that accounts cannot be enumerated. */
  async signInWithPassword({
    organization,
    email: typed,
    password,
    address,
    userAgent,
  }: Credentials): Promise<OpenedSession | PendingSecondFactor> {
    const email = normalizeEmail(typed) ?? '';
    const tenant = await this.tenants.findForSignIn(organization);
    const attempt = await this.loginThrottle.count(`sign-in ${tenant?.id ?? organization} ${email}`, address);
    const member = tenant && (await this.findCandidate(tenant, email));
    const isRight = await verifyPassword(password, (member?.status === 'active' && member.passwordHash) || null);
    if (!tenant || !member || !isRight) {
      if (tenant) await this.recordRefusal(tenant, member, attempt, address);
      throw signInRefused('The organization, email address or password is wrong.');
    }
    await attempt.forgive();
    const needed = await this.signInMethods.findRequiredSecondFactor(tenant, member);
    if (needed) return needed;
    return this.sessions.open(principalOfMember(member), {
      memberId: member.id,
      isFresh: true,
      by: 'password',
      userAgent,
    });
  }

  /**
   * Creates a link that signs a member in once without a password, for the operator (the demo, a locked-out
   * administrator). An administrator cannot create one for another member: it would let one person act as two.
   */
  async issueLink(principal: Principal, memberId: string): Promise<IssuedLink> {
    if (principal.kind !== 'system') throw sessionRequired('Only the operator of the server can create sign-in links.');
    return this.database.tenant(principal, async (tx) => {
      const member = await tx.findOneBy(Member, { tenantId: principal.tenantId, id: memberId, status: 'active' });
      if (!member) throw notFound('There is no such active member.');
      return this.links.issue(tx, principal, { kind: 'sign-in', memberId });
    });
  }

  async getLink(token: unknown): Promise<{ link: UsableLink; tenant: Tenant; member: Member }> {
    const link = await this.links.get(token, 'sign-in');
    return this.database.tenant(link, async (tx) => {
      const tenant = await tx.findOneByOrFail(Tenant, { id: link.tenantId });
      const member = await tx.findOneBy(Member, { tenantId: link.tenantId, id: link.memberId!, status: 'active' });
      if (!member) throw linkUnusable('The account is not active.');
      return { link, tenant, member };
    });
  }

  async signInWithLink(token: unknown, userAgent?: string): Promise<OpenedSession> {
    const { link, member } = await this.getLink(token);
    return this.database.tenant(link, async (tx) => {
      await this.links.claim(tx, link);
      return this.sessions.openIn(tx, principalOfMember(member), {
        memberId: member.id,
        isFresh: false,
        by: 'link',
        userAgent,
      });
    });
  }

  private findCandidate({ id: tenantId }: Tenant, email: string): Promise<SignInCandidate | null> {
    return this.database.tenant({ tenantId }, (tx) =>
      tx.findOne(Member, {
        where: { tenantId, email },
        select: {
          tenantId: true,
          id: true,
          name: true,
          roles: true,
          status: true,
          passwordHash: true,
          wantsSecondFactor: true,
        },
      }),
    );
  }

  /** Records only the first and the last attempt of a series, so that many guesses do not cause many events. */
  private async recordRefusal(
    tenant: Tenant,
    member: SignInCandidate | null,
    { count, isLast }: LoginAttempt,
    address: string,
  ): Promise<void> {
    if (count > 1 && !isLast) return;
    const principal = systemPrincipal(tenant.id, 'sign-in');
    await this.database.tenant(principal, (tx) =>
      this.audit.record(tx, principal, {
        kind: isLast ? 'sign_in.blocked' : 'sign_in.refused',
        subject: member ? { type: 'member', id: member.id, name: member.name } : undefined,
        detail: { address, attempts: count },
      }),
    );
  }
}

const principalOfMember = ({
  tenantId,
  id: memberId,
  name,
  roles,
}: Pick<Member, 'tenantId' | 'id' | 'name' | 'roles'>) => memberPrincipal({ tenantId, memberId, name, roles });
