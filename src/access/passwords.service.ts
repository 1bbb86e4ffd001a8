import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { verifyPassword } from '../platform/crypto/passwords.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { notFound } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { linkUnusable, wrongPassword } from './access.error.js';
import { LoginThrottle } from './login-throttle.service.js';
import { IntroductionsService } from './independence/introductions.service.js';
import type { UsableLink } from './credentials.system.sql.js';
import { type IssuedLink, LinksService } from './links.service.js';
import { memberPrincipal } from './member-principal.js';
import { Member } from './member.entity.js';
import { hashNewPassword } from './new-password.js';
import { type OpenedSession, requireSession, SessionsService } from './sessions.service.js';
import { Tenant } from './tenant.entity.js';
import { type PendingSecondFactor, SignInMethodsService } from './sign-in-methods.service.js';

export interface PasswordReset {
  link: UsableLink;
  tenant: Tenant;
  member: Member;
}

@Injectable()
export class PasswordsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly loginThrottle: LoginThrottle,
    private readonly links: LinksService,
    private readonly sessions: SessionsService,
    private readonly signInMethods: SignInMethodsService,
    private readonly introductions: IntroductionsService,
  ) {}

  /**
   * Creates a link to set a new password. Its holder can sign in as that member, so only a person (or the operator) may
   * create it, and it is audited.
   */
  async issueReset(
    principal: Principal,
    memberId: string,
    { removesPasskeys = false }: { removesPasskeys?: boolean } = {},
  ): Promise<IssuedLink> {
    if (principal.kind !== 'system') requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const member = await tx.findOneBy(Member, { tenantId: principal.tenantId, id: memberId, status: 'active' });
      if (!member) throw notFound('There is no such active member.');
      await this.links.revokeAllOf(tx, principal, memberId);
      const issued = await this.links.issue(tx, principal, { kind: 'reset', memberId, removesPasskeys });
      await this.audit.record(tx, principal, {
        kind: 'password.reset_requested',
        subject: { type: 'member', id: memberId, name: member.name },
        detail: { removesPasskeys },
      });
      return issued;
    });
  }

  async getReset(token: unknown): Promise<PasswordReset> {
    const link = await this.links.get(token, 'reset');
    return this.database.tenant(link, async (tx) => {
      const tenant = await tx.findOneByOrFail(Tenant, { id: link.tenantId });
      const member = await tx.findOneBy(Member, { tenantId: link.tenantId, id: link.memberId!, status: 'active' });
      if (!member) throw linkUnusable('The account is not active.');
      return { link, tenant, member };
    });
  }

  /** Uses the link, ends all sessions of the member, and signs in if no second factor is required. */
  async reset(
    token: unknown,
    { password, userAgent }: { password: string; userAgent?: string },
  ): Promise<OpenedSession | PendingSecondFactor> {
    const { link, tenant, member } = await this.getReset(token);
    const passwordHash = await hashNewPassword(password, [member.email, member.name, tenant.name]);
    const { tenantId, id: memberId, name, roles } = member;
    const needed = link.removesPasskeys ? null : await this.signInMethods.findRequiredSecondFactor(tenant, member);
    return this.database.tenant(link, async (tx) => {
      await this.links.claim(tx, link);
      const principal = memberPrincipal({ tenantId, memberId, name, roles });
      await tx.update(Member, { tenantId, id: memberId }, { passwordHash });
      await this.sessions.endAll(tx, principal, memberId);
      await this.audit.record(tx, principal, {
        kind: 'password.reset',
        subject: { type: 'member', id: memberId, name },
        detail: {
          linkId: link.id,
          linkBy: link.createdBy,
          forgottenPasskeys: link.removesPasskeys
            ? await this.signInMethods.removePasskeys(tx, principal, memberId)
            : 0,
        },
      });
      const introducer = { by: link.createdBy, madeAt: link.createdAt };
      await this.introductions.record(tx, { tenantId, memberId, kind: 'reset', ...introducer });
      return needed ?? this.sessions.openIn(tx, principal, { memberId, isFresh: true, by: 'link', userAgent });
    });
  }

  /** Changes the caller's own password and ends all their other sessions. */
  async change(
    principal: Principal,
    { current, next, address }: { current: string; next: string; address: string },
  ): Promise<Date> {
    const { tenantId, memberId, sessionId } = requireSession(principal);
    const { member, tenant } = await this.verifyCurrentPassword(principal, current, address, '/input/current');
    const passwordHash = await hashNewPassword(next, [member.email, member.name, tenant.name]);
    await this.database.tenant(principal, async (tx) => {
      await tx.update(Member, { tenantId, id: memberId }, { passwordHash });
      await this.sessions.endAll(tx, principal, memberId, sessionId);
      await this.links.revokeAllOf(tx, principal, memberId);
      await this.audit.record(tx, principal, {
        kind: 'password.changed',
        subject: { type: 'member', id: memberId, name: member.name },
      });
    });
    return this.sessions.markFresh(principal, 'password');
  }

  /** Confirms the identity of the caller before a sensitive action. */
  async confirm(principal: Principal, password: string, address: string): Promise<Date> {
    await this.verifyCurrentPassword(principal, password, address);
    return this.sessions.markFresh(principal, 'password');
  }

  private async verifyCurrentPassword(
    principal: Principal,
    password: string,
    address: string,
    pointer = '/password',
  ): Promise<{ member: Member; tenant: Tenant }> {
    const { tenantId, memberId } = requireSession(principal);
    const attempt = await this.loginThrottle.count(`confirm ${tenantId} ${memberId}`, address);
    const { member, tenant, passwordHash } = await this.database.tenant(principal, async (tx) => {
      const { passwordHash = null } = await tx.findOneOrFail(Member, {
        where: { tenantId, id: memberId },
        select: { tenantId: true, id: true, passwordHash: true },
      });
      return {
        member: await tx.findOneByOrFail(Member, { tenantId, id: memberId }),
        tenant: await tx.findOneByOrFail(Tenant, { id: tenantId }),
        passwordHash,
      };
    });
    if (!(await verifyPassword(password, passwordHash)))
      throw wrongPassword('The password is wrong.', { errors: [{ pointer, detail: 'is wrong' }] });
    await attempt.forgive();
    return { member, tenant };
  }
}
