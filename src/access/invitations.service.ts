import { Injectable } from '@nestjs/common';
import { ArrayContains, In, IsNull, MoreThan } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { notFound } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import type { Role } from '../principal/permissions.js';
import { memberExists } from './access.error.js';
import { secondAdministratorRequired } from './administration/administration.error.js';
import { lockAdministration } from './administration/administration.sql.js';
import { AdministrationService } from './administration/administration.service.js';
import { ApproverGroupRegistry } from './administration/approver-group-registry.service.js';
import { Group } from './group.entity.js';
import type { UsableLink } from './credentials.system.sql.js';
import { Link } from './link.entity.js';
import { type IssuedLink, LinksService } from './links.service.js';
import { memberPrincipal } from './member-principal.js';
import { Member } from './member.entity.js';
import { MembershipsService, type NewMember, requireEmail } from './memberships.service.js';
import { hashNewPassword } from './new-password.js';
import { type OpenedSession, requireSession, SessionsService } from './sessions.service.js';
import { Tenant } from './tenant.entity.js';

export interface Invitation {
  link: UsableLink;
  tenant: Tenant;
}

@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly links: LinksService,
    private readonly memberships: MembershipsService,
    private readonly sessions: SessionsService,
    private readonly administration: AdministrationService,
    private readonly approverGroups: ApproverGroupRegistry,
  ) {}

  /** One open invitation per address: a new one revokes the previous one. Only a person can grant roles and groups. */
  async invite(
    principal: Principal,
    { email: typed, name, roles = [], groupIds = [] }: Omit<NewMember, 'name'> & { name?: string | null },
  ): Promise<IssuedLink> {
    const isOperator = principal.surface === 'system';
    if (!isOperator && (roles.some((role) => role !== 'member') || groupIds.length)) requireSession(principal);
    const email = requireEmail(typed);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const known = await tx.findOneBy(Member, { tenantId, email });
      if (known && known.status !== 'removed') throw memberExists(`${email} is already a member.`);
      const groups = await tx.countBy(Group, { tenantId, id: In([...groupIds]) });
      if (groups < new Set(groupIds).size) throw notFound('One of the groups does not exist.');
      if (!isOperator) await this.refuseUnconfirmedRights(tx, tenantId, roles, groupIds);
      await this.links.revokeInvitationsOf(tx, principal, email);
      const link = await this.links.issue(tx, principal, {
        kind: 'invitation',
        email,
        name,
        roles: [...roles],
        groupIds: [...groupIds],
      });
      await this.audit.record(tx, principal, {
        kind: 'member.invited',
        subject: { type: 'link', id: link.link.id, name: email },
        detail: { roles, groupIds },
      });
      return link;
    });
  }

  /** An invitation takes effect when the invited person accepts it, without a second administrator. */
  private async refuseUnconfirmedRights(
    tx: Tx,
    tenantId: string,
    roles: readonly Role[],
    groupIds: readonly string[],
  ): Promise<void> {
    const areas = await this.administration.enabledAreas(tx, tenantId);
    if (areas.has('roles') && roles.some((role) => role !== 'member'))
      throw secondAdministratorRequired('Invite the person as a member. Then propose their roles.');
    if (areas.has('approver_groups') && (await this.approverGroups.anyApproves(tx, tenantId, groupIds)))
      throw secondAdministratorRequired('Invite the person without groups that approve. Then propose to add them.');
  }

  /** Reads the invitation without using the link. */
  async get(token: unknown): Promise<Invitation> {
    const link = await this.links.get(token, 'invitation');
    const tenant = await this.database.tenant(link, (tx) => tx.findOneByOrFail(Tenant, { id: link.tenantId }));
    return { link, tenant };
  }

  /** Whether an invitation that can still be used makes somebody an administrator. */
  hasInvitedAdmin(tx: Tx, tenantId: string): Promise<boolean> {
    return tx.existsBy(Link, {
      tenantId,
      kind: 'invitation',
      roles: ArrayContains(['admin']),
      usedAt: IsNull(),
      revokedAt: IsNull(),
      expiresAt: MoreThan(new Date()),
    });
  }

  /** Uses the link and signs the new member in. */
  async accept(
    token: unknown,
    { name, password, userAgent }: { name: string; password: string; userAgent?: string },
  ): Promise<OpenedSession> {
    const { link, tenant } = await this.get(token);
    const email = link.email!;
    const passwordHash = await hashNewPassword(password, [email, name, tenant.name]);
    return this.database.tenant(link, async (tx) => {
      // until the member is in the groups, no confirmed change makes one of them approve calls
      if (link.groupIds?.length) await tx.execute(lockAdministration, [link.tenantId]);
      await this.links.claim(tx, link);
      const actor = invitationPrincipal(link, name);
      const newMember = { email, name, ...(await this.grantableRights(tx, link)), passwordHash };
      const introducer = { by: link.createdBy, madeAt: link.createdAt };
      const member = await this.memberships.createMember(tx, actor, newMember, introducer);
      const principal = memberPrincipal({
        tenantId: link.tenantId,
        memberId: member.id,
        name: member.name,
        roles: member.roles,
      });
      return this.sessions.openIn(tx, principal, { memberId: member.id, isFresh: true, by: 'link', userAgent });
    });
  }

  /**
   * Without groups that were removed after the invitation, and without what has come to need a second administrator
   * since then. The operator needs none.
   */
  private async grantableRights(tx: Tx, { tenantId, roles, groupIds, createdBy }: UsableLink) {
    const areas = createdBy === null ? new Set() : await this.administration.enabledAreas(tx, tenantId);
    const groups = await tx.findBy(Group, { tenantId, id: In(groupIds ?? []) });
    const granted: string[] = [];
    for (const { id } of groups)
      if (!areas.has('approver_groups') || !(await this.approverGroups.approves(tx, tenantId, id))) granted.push(id);
    return { roles: areas.has('roles') ? [] : (roles ?? []), groupIds: granted };
  }
}

/** The person is not a member yet, so the link is the actor. */
const invitationPrincipal = ({ tenantId, id }: UsableLink, name: string): Principal => ({
  ...memberPrincipal({ tenantId, memberId: '', name, roles: [] }),
  memberId: undefined,
  keyId: id,
});
