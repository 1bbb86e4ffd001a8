import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { GroupMember } from './group-member.entity.js';
import { IntroductionsService } from './independence/introductions.service.js';
import { requireAnotherAdmin } from './last-admin.js';
import { LinksService } from './links.service.js';
import { MemberReactivationService } from './member-reactivation.service.js';
import { MemberRemovalHookRegistry } from './member-removal-hook-registry.service.js';
import { memberSubject } from './member-subject.js';
import { Member } from './member.entity.js';
import { MembersService } from './members.service.js';
import { requireSession, SessionsService } from './sessions.service.js';
import { SignInMethodsService } from './sign-in-methods.service.js';

/** Suspends, reactivates and removes members. */
@Injectable()
export class MemberStatusService {
  constructor(
    private readonly audit: AuditService,
    private readonly members: MembersService,
    private readonly sessions: SessionsService,
    private readonly links: LinksService,
    private readonly signInMethods: SignInMethodsService,
    private readonly memberRemovalHookRegistry: MemberRemovalHookRegistry,
    private readonly introductions: IntroductionsService,
    private readonly reactivation: MemberReactivationService,
  ) {}

  /**
   * All credentials of the member stop working with the next request; `reactivate` restores them. A program may only
   * suspend members without a role or group, since those take no part in administration and approvals.
   */
  async suspend(principal: Principal, id: string): Promise<Member> {
    return this.members.change(principal, id, async (tx, member) => {
      const isPlain =
        member.roles.every((role) => role === 'member') && !(await this.members.listGroupIds(principal, id, tx)).length;
      if (!isPlain && principal.kind !== 'system') requireSession(principal);
      if (member.status === 'suspended') return;
      await requireAnotherAdmin(tx, principal, member);
      await this.revokeAccess(tx, principal, member, { status: 'suspended' });
      await this.audit.record(tx, principal, { kind: 'member.suspended', subject: memberSubject(member) });
      await this.introductions.recordStatus(tx, principal, id, 'suspended');
    });
  }

  /** Throws `change-proposed` if it would restore rights whose grant needs a second administrator. */
  reactivate(principal: Principal, id: string): Promise<Member> {
    return this.reactivation.submit(principal, id);
  }

  /** Permanent: only a new invitation restores the member. Audit events of the member remain. */
  async remove(principal: Principal, id: string): Promise<Member> {
    return this.members.change(principal, id, async (tx, member) => {
      await requireAnotherAdmin(tx, principal, member);
      await this.revokeAccess(tx, principal, member, {
        status: 'removed',
        roles: ['member'],
        adminSince: null,
        passwordHash: null,
      });
      await this.signInMethods.removeAll(tx, principal, id);
      await tx.delete(GroupMember, { tenantId: principal.tenantId, memberId: id });
      await this.memberRemovalHookRegistry.run(tx, principal, id);
      await this.audit.record(tx, principal, { kind: 'member.removed', subject: memberSubject(member) });
      await this.introductions.recordStatus(tx, principal, id, 'removed');
    });
  }

  private async revokeAccess(tx: Tx, principal: Principal, { id }: Member, change: Partial<Member>): Promise<void> {
    await tx.update(Member, { tenantId: principal.tenantId, id }, change);
    await this.sessions.endAll(tx, principal, id);
    await this.links.revokeAllOf(tx, principal, id);
    await this.links.revokeAllBy(tx, principal, id);
  }
}
