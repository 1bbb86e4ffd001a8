import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { AdministrationService } from './administration/administration.service.js';
import { authorsOf, type ChangeDescription } from './administration/administration-change.port.js';
import { ApproverGroupRegistry } from './administration/approver-group-registry.service.js';
import { RestoredRightsRegistry } from './administration/restored-rights-registry.service.js';
import { distinctNameOf } from './distinct-name.js';
import { GroupMember } from './group-member.entity.js';
import { IntroductionsService } from './independence/introductions.service.js';
import { requireAnotherAdmin } from './last-admin.js';
import { LinksService } from './links.service.js';
import { MemberRemovalHookRegistry } from './member-removal-hook-registry.service.js';
import { memberSubject } from './member-subject.js';
import { Member } from './member.entity.js';
import { MembersService } from './members.service.js';
import { namesOfRoles } from './role-names.js';
import { requireSession, SessionsService } from './sessions.service.js';
import { SignInMethodsService } from './sign-in-methods.service.js';

/** Suspends, reactivates and removes members. */
@Injectable()
export class MemberStatusService {
  private readonly submitReactivation: (principal: Principal, input: { id: string }) => Promise<Member>;

  constructor(
    private readonly audit: AuditService,
    private readonly members: MembersService,
    private readonly sessions: SessionsService,
    private readonly links: LinksService,
    private readonly signInMethods: SignInMethodsService,
    private readonly memberRemovalHookRegistry: MemberRemovalHookRegistry,
    private readonly introductions: IntroductionsService,
    private readonly approverGroups: ApproverGroupRegistry,
    private readonly restoredRights: RestoredRightsRegistry,
    administration: AdministrationService,
  ) {
    this.submitReactivation = administration.register<{ id: string }, Member>({
      kind: 'member.reactivate',
      permission: 'members:manage',
      describe: (tx, principal, { id }) => this.describeReactivation(tx, principal, id),
      apply: (tx, principal, { id }) => this.reactivateIn(tx, principal, id),
    });
  }

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
  async reactivate(principal: Principal, id: string): Promise<Member> {
    requireSession(principal);
    return this.submitReactivation(principal, { id });
  }

  private async describeReactivation(tx: Tx, principal: Principal, id: string): Promise<ChangeDescription | null> {
    const member = await this.members.get(principal, id, tx);
    if (member.status !== 'suspended') return null;
    const { name, roles, groups } = member;
    const isPrivileged = roles.some((role) => role !== 'member');
    const approving: string[] = [];
    for (const group of groups)
      if (await this.approverGroups.approves(tx, principal.tenantId, group.id)) approving.push(group.name);
    const more = await this.restoredRights.list(tx, member);
    const rights = [
      ...(isPrivileged ? [`Roles: ${namesOfRoles(roles)}`] : []),
      ...(approving.length ? [`Groups that approve: ${approving.join(', ')}`] : []),
      ...more.map(({ text }) => text),
    ];
    return {
      areas: [
        ...(isPrivileged ? (['roles'] as const) : []),
        ...(approving.length ? (['approver_groups'] as const) : []),
        ...more.map(({ area }) => area),
      ],
      title: `Reactivate ${name}`,
      subject: memberSubject(member),
      fields: [
        { label: `Status of ${distinctNameOf(member)}`, before: 'Suspended', after: 'Active' },
        { label: 'Restored rights', before: null, after: rights.join('\n') },
      ],
    };
  }

  private reactivateIn(tx: Tx, principal: Principal, id: string): Promise<Member> {
    return this.members.changeIn(tx, principal, id, async (member) => {
      if (member.status === 'active') return;
      await tx.update(Member, { tenantId: principal.tenantId, id }, { status: 'active' });
      await this.audit.record(tx, principal, { kind: 'member.reactivated', subject: memberSubject(member) });
      await this.introductions.recordStatus(tx, principal, id, 'reactivated');
      // so may the administrator who proposed it
      const { tenantId, memberId } = principal;
      for (const by of authorsOf(principal))
        if (by !== memberId) await this.introductions.record(tx, { tenantId, memberId: id, kind: 'reactivation', by });
    });
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
