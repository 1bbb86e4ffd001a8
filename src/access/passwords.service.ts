import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { hashPassword, verifyPassword } from '../platform/crypto/passwords.js';
import { Database } from '../platform/database/database.service.js';
import { forbidden, notFound } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { linkUnusable } from './access.error.js';
import { Attempts } from './attempts.service.js';
import { Introductions } from './independence/introductions.service.js';
import type { Link } from './link.entity.js';
import { type IssuedLink, LinksService } from './links.service.js';
import { memberPrincipal } from './member-principal.js';
import { Member } from './member.entity.js';
import { requireGoodPassword } from './new-password.js';
import { type OpenedSession, requireSession, SessionsService } from './sessions.service.js';
import { Tenant } from './tenant.entity.js';
import { type SecondFactorNeeded, WaysIn } from './ways-in/ways-in.service.js';

export interface Reset {
  link: Link;
  tenant: Tenant;
  member: Member;
}

@Injectable()
export class PasswordsService {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly attempts: Attempts,
    private readonly links: LinksService,
    private readonly sessions: SessionsService,
    private readonly waysIn: WaysIn,
    private readonly introductions: Introductions,
  ) {}

  /** A link to choose a new password. Whoever holds it can become that member: made by a person (or the operator), and recorded. */
  async issueReset(
    principal: Principal,
    memberId: string,
    { forgetsPasskeys = false }: { forgetsPasskeys?: boolean } = {},
  ): Promise<IssuedLink> {
    if (principal.kind !== 'system') requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const member = await tx.findOneBy(Member, { tenantId: principal.tenantId, id: memberId, status: 'active' });
      if (!member) throw notFound('There is no such active member.');
      await this.links.revokeAllOf(tx, principal, memberId);
      const issued = await this.links.issue(tx, principal, { kind: 'reset', memberId, forgetsPasskeys });
      await this.audit.record(tx, principal, {
        kind: 'password.reset_requested',
        subject: { type: 'member', id: memberId, name: member.name },
        detail: { forgetsPasskeys },
      });
      return issued;
    });
  }

  async readReset(token: unknown): Promise<Reset> {
    const link = await this.links.read(token, 'reset');
    return this.database.tenant(link, async (tx) => {
      const tenant = await tx.findOneByOrFail(Tenant, { id: link.tenantId });
      const member = await tx.findOneBy(Member, { tenantId: link.tenantId, id: link.memberId!, status: 'active' });
      if (!member) throw linkUnusable('The account is not active.');
      return { link, tenant, member };
    });
  }

  /** Uses the link up, ends every session of the member, and signs in anew, where the password alone is enough. */
  async reset(
    token: unknown,
    { password, userAgent }: { password: string; userAgent?: string },
  ): Promise<OpenedSession | SecondFactorNeeded> {
    const { link, tenant, member } = await this.readReset(token);
    requireGoodPassword(password, [member.email, member.name, tenant.name]);
    const passwordHash = await hashPassword(password);
    const { tenantId, id: memberId, name, roles } = member;
    const needed = link.forgetsPasskeys ? null : await this.waysIn.secondFactorOf(tenant, member);
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
          forgottenPasskeys: link.forgetsPasskeys ? await this.waysIn.forgetPasskeys(tx, principal, memberId) : 0,
        },
      });
      const introducer = { by: link.createdBy, madeAt: link.createdAt };
      await this.introductions.record(tx, { tenantId, memberId, kind: 'reset', ...introducer });
      return needed ?? this.sessions.openIn(tx, principal, { memberId, isFresh: true, by: 'link', userAgent });
    });
  }

  /** One's own, with the present one; every other session ends. */
  async change(
    principal: Principal,
    { current, next, address }: { current: string; next: string; address: string },
  ): Promise<Date> {
    const { tenantId, memberId, sessionId } = requireSession(principal);
    const { member, tenant } = await this.prove(principal, current, address);
    requireGoodPassword(next, [member.email, member.name, tenant.name]);
    const passwordHash = await hashPassword(next);
    await this.database.tenant(principal, async (tx) => {
      await tx.update(Member, { tenantId, id: memberId }, { passwordHash });
      await this.sessions.endAll(tx, principal, memberId, sessionId);
      await this.links.revokeAllOf(tx, principal, memberId);
      await this.audit.record(tx, principal, {
        kind: 'password.changed',
        subject: { type: 'member', id: memberId, name: member.name },
      });
    });
    return this.sessions.refresh(principal, 'password');
  }

  /** Before something sensitive: the same person is still there. */
  async confirm(principal: Principal, password: string, address: string): Promise<Date> {
    await this.prove(principal, password, address);
    return this.sessions.refresh(principal, 'password');
  }

  private async prove(
    principal: Principal,
    password: string,
    address: string,
  ): Promise<{ member: Member; tenant: Tenant }> {
    const { tenantId, memberId } = requireSession(principal);
    const attempt = await this.attempts.count(`confirm ${tenantId} ${memberId}`, address);
    const { member, tenant, passwordHash } = await this.database.tenant(principal, async (tx) => {
      const [row] = await tx.query<{ passwordHash: string | null }[]>(
        'select password_hash as "passwordHash" from members where tenant_id = $1 and id = $2',
        [tenantId, memberId],
      );
      return {
        member: await tx.findOneByOrFail(Member, { tenantId, id: memberId }),
        tenant: await tx.findOneByOrFail(Tenant, { id: tenantId }),
        ...row,
      };
    });
    if (!(await verifyPassword(password, passwordHash)))
      throw forbidden('The password is not right.', { errors: [{ pointer: '/password', detail: 'is not right' }] });
    await attempt.forgive();
    return { member, tenant };
  }
}
