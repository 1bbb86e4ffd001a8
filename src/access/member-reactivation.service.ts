import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { AdministrationService } from './administration/administration.service.js';
import { authorsOf, type ChangeDescription, distinctNameOf } from './administration/administration-change.port.js';
import { ApproverGroupRegistry } from './administration/approver-group-registry.service.js';
import { RestoredRightsRegistry } from './administration/restored-rights-registry.service.js';
import { IntroductionsService } from './independence/introductions.service.js';
import { memberSubject } from './member-subject.js';
import { Member } from './member.entity.js';
import { MembersService } from './members.service.js';
import { namesOfRoles } from './role-names.js';
import { requireSession } from './sessions.service.js';

/** Reactivates suspended members. That restores their rights, so it can need a second administrator. */
@Injectable()
export class MemberReactivationService {
  private readonly submitChange: (principal: Principal, input: { id: string }) => Promise<Member>;

  constructor(
    private readonly audit: AuditService,
    private readonly members: MembersService,
    private readonly introductions: IntroductionsService,
    private readonly approverGroups: ApproverGroupRegistry,
    private readonly restoredRights: RestoredRightsRegistry,
    administration: AdministrationService,
  ) {
    this.submitChange = administration.register<{ id: string }, Member>({
      kind: 'member.reactivate',
      permission: 'members:manage',
      describe: (tx, principal, { id }) => this.describe(tx, principal, id),
      apply: (tx, principal, { id }) => this.apply(tx, principal, id),
    });
  }

  async submit(principal: Principal, id: string): Promise<Member> {
    requireSession(principal);
    return this.submitChange(principal, { id });
  }

  private async describe(tx: Tx, principal: Principal, id: string): Promise<ChangeDescription | null> {
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

  private apply(tx: Tx, principal: Principal, id: string): Promise<Member> {
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
}
