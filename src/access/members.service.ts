import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { hashPassword } from '../platform/crypto/passwords.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import type { Tx } from '../platform/database/tx.js';
import { conflict, notFound } from '../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../platform/graphql/connection.js';
import type { Role } from '../principal/permissions.js';
import type { Principal } from '../principal/principal.js';
import { AdministrationService } from './administration/administration.service.js';
import {
  type ChangeDescription,
  differingFields,
  distinctNameOf,
} from './administration/administration-change.port.js';
import { AccessChangeNotifier } from './independence/access-change-notifier.service.js';
import { LinksService } from './links.service.js';
import { requireAnotherAdmin } from './last-admin.js';
import { memberSubject } from './member-subject.js';
import { Member, type MemberStatus } from './member.entity.js';
import { type Approver, eligibleAdmins, eligibleInGroups, groupIdsOfMember, listMembers } from './members.sql.js';
import { introducedBy, MembershipsService, type NewMember, withMemberRole } from './memberships.service.js';
import { requireSession } from './sessions.service.js';
import { withMemberGroups } from './member-groups.js';
import { namesOfRoles } from './role-names.js';

export type { Approver } from './members.sql.js';

export interface MemberFilter {
  status?: MemberStatus | null;
  role?: Role | null;
  groupId?: string | null;
  search?: string | null;
}

interface RolesChange {
  id: string;
  roles: readonly Role[];
  expectedRoles?: readonly Role[] | null;
}

/** Finds members, creates them, and changes their name and roles. */
@Injectable()
export class MembersService {
  private readonly submitRoles: (principal: Principal, input: RolesChange) => Promise<Member>;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly links: LinksService,
    private readonly memberships: MembershipsService,
    private readonly changes: AccessChangeNotifier,
    administration: AdministrationService,
  ) {
    this.submitRoles = administration.register<RolesChange, Member>({
      kind: 'member.set_roles',
      permission: 'members:manage',
      describe: (tx, principal, input) => this.describeRoles(tx, principal, input),
      apply: (tx, principal, input) => this.setRolesIn(tx, principal, input),
    });
  }

  find(principal: { tenantId: string }, id: string, tx?: Tx): Promise<Member | null> {
    return this.inTransaction(principal, tx, async (own) => {
      const member = await own.findOneBy(Member, { tenantId: principal.tenantId, id });
      return member && (await withMemberGroups(own, [member]))[0];
    });
  }

  /** Like `find`, batched into one statement for the rows of a list. Null if the member was erased. */
  load(principal: { tenantId: string }, id: string): Promise<Member | null> {
    return this.memberBatcher.submit({ tenantId: principal.tenantId, id });
  }

  private readonly memberBatcher = new Batcher<{ tenantId: string; id: string }, Member | null>((tenantId, keys) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const ids = keys.map(({ id }) => id);
      const members = await withMemberGroups(tx, await tx.findBy(Member, { tenantId, id: In(ids) }));
      const byId = new Map(members.map((member) => [member.id, member]));
      return ids.map((id) => byId.get(id) ?? null);
    }),
  );

  async get(principal: { tenantId: string }, id: string, tx?: Tx): Promise<Member> {
    const member = await this.find(principal, id, tx);
    if (!member) throw notFound('There is no such member.');
    return member;
  }

  /** Sorted by name; removed members only if the filter selects them. */
  list(principal: Principal, { first, after }: PageArgs, filter: MemberFilter = {}): Promise<Page<Member>> {
    const [name, id] = after ? decodeCursor(after, ['text', 'id']) : [null, null];
    const { status = null, role = null, groupId = null, search = null } = filter;
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(listMembers, [principal.tenantId, status, groupId, search, name, id, first + 1, role]);
      const members = await withMemberGroups(tx, rows);
      return toPage(members, first, rows[0]?.total ?? 0, (member) => [member.name, member.id]);
    });
  }

  /** Creates a member without an invitation: the first administrator, the demo, tests. */
  async create(principal: Principal, { password, ...member }: NewMember & { password?: string }): Promise<Member> {
    const passwordHash = password === undefined ? null : await hashPassword(password);
    const introducer = { by: introducedBy(principal) };
    return this.database.tenant(principal, (tx) =>
      this.memberships.createMember(tx, principal, { ...member, passwordHash }, introducer),
    );
  }

  /** `expectedRoles`: the roles that the caller last read. Throws `conflict` if they have changed. */
  async setRoles(
    principal: Principal,
    id: string,
    roles: readonly Role[],
    expectedRoles?: readonly Role[] | null,
  ): Promise<Member> {
    requireSession(principal);
    return this.submitRoles(principal, { id, roles, expectedRoles });
  }

  private async describeRoles(
    tx: Tx,
    { tenantId }: Principal,
    { id, roles, expectedRoles }: RolesChange,
  ): Promise<ChangeDescription | null> {
    const member = await tx.findOneBy(Member, { tenantId, id });
    if (!member || member.status === 'removed') throw notFound('There is no such member.');
    refuseOtherRoles(member, expectedRoles);
    if (hasSameRoles(roles, member.roles)) return null;
    return {
      areas: ['roles'],
      title: `Change the roles of ${member.name}`,
      subject: memberSubject(member),
      fields: differingFields([
        [`Roles of ${distinctNameOf(member)}`, namesOfRoles(member.roles), namesOfRoles(withMemberRole(roles))],
      ]),
    };
  }

  private setRolesIn(tx: Tx, principal: Principal, { id, roles, expectedRoles }: RolesChange): Promise<Member> {
    const next = withMemberRole(roles);
    return this.changeIn(tx, principal, id, async (member) => {
      refuseOtherRoles(member, expectedRoles);
      if (!next.includes('admin')) await requireAnotherAdmin(tx, principal, member);
      const adminSince = next.includes('admin') ? (member.adminSince ?? new Date()) : null;
      await tx.update(Member, { tenantId: principal.tenantId, id }, { roles: next, adminSince });
      if (member.adminSince && !adminSince) await this.links.revokeAllBy(tx, principal, id);
      await this.audit.record(tx, principal, {
        kind: 'member.roles_changed',
        subject: memberSubject(member),
        detail: { from: member.roles, to: next },
      });
      await this.changes.publish(tx, principal.tenantId);
    });
  }

  async rename(principal: Principal, id: string, name: string): Promise<Member> {
    return this.change(principal, id, async (tx, member) => {
      await tx.update(Member, { tenantId: principal.tenantId, id }, { name: name.trim() });
      await this.audit.record(tx, principal, {
        kind: 'member.renamed',
        subject: memberSubject(member),
        detail: { to: name.trim() },
      });
    });
  }

  listGroupIds(principal: { tenantId: string }, memberId: string, tx?: Tx): Promise<string[]> {
    return this.inTransaction(principal, tx, async (own) => {
      const [{ groupIds }] = await own.run(groupIdsOfMember, [principal.tenantId, memberId]);
      return groupIds;
    });
  }

  async isActive(principal: { tenantId: string }, memberId: string, tx?: Tx): Promise<boolean> {
    return (await this.find(principal, memberId, tx))?.status === 'active';
  }

  /** Returns the given ids whose members are active. */
  async filterActive(tx: Tx, tenantId: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await tx.find(Member, {
      where: { tenantId, id: In([...ids]), status: 'active' },
      select: { tenantId: true, id: true },
    });
    return new Set(rows.map(({ id }) => id));
  }

  countActive(tx: Tx, tenantId: string): Promise<number> {
    return tx.countBy(Member, { tenantId, status: 'active' });
  }

  /**
   * Active members of the group (administrators if there is no group), and since when. A member who joined after a
   * request was made may have been added only to decide it.
   */
  async listApprovers(tx: Tx, tenantId: string, groupId: string | null): Promise<Approver[]> {
    return (await this.listApproversByGroup(tx, tenantId, [groupId])).get(groupId)!;
  }

  /** The same for several groups. */
  async listApproversByGroup(
    tx: Tx,
    tenantId: string,
    groupIds: readonly (string | null)[],
  ): Promise<Map<string | null, Approver[]>> {
    const named = [...new Set(groupIds)].filter((id) => id !== null);
    const members = named.length ? await tx.run(eligibleInGroups, [tenantId, named]) : [];
    const byGroup = new Map<string | null, Approver[]>(named.map((id) => [id, []]));
    for (const { groupId, id, since } of members) byGroup.get(groupId)!.push({ id, since });
    return groupIds.includes(null) ? byGroup.set(null, await tx.run(eligibleAdmins, [tenantId])) : byGroup;
  }

  /** Locks the member for `apply`. Throws `not-found` for a removed member. */
  change(principal: Principal, id: string, apply: (tx: Tx, member: Member) => Promise<void>): Promise<Member> {
    return this.database.tenant(principal, (tx) => this.changeIn(tx, principal, id, (member) => apply(tx, member)));
  }

  /** Like `change`, in the transaction of the caller. */
  async changeIn(tx: Tx, principal: Principal, id: string, apply: (member: Member) => Promise<void>): Promise<Member> {
    const member = await tx.findOne(Member, {
      where: { tenantId: principal.tenantId, id },
      lock: { mode: 'pessimistic_write' },
    });
    if (!member || member.status === 'removed') throw notFound('There is no such member.');
    await apply(member);
    return this.get(principal, id, tx);
  }

  private inTransaction<T>(
    principal: { tenantId: string },
    tx: Tx | undefined,
    run: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    return tx ? run(tx) : this.database.tenant(principal, run);
  }
}

const hasSameRoles = (seen: readonly Role[], now: readonly Role[]): boolean =>
  withMemberRole(seen).join() === withMemberRole(now).join();

function refuseOtherRoles({ name, roles }: Member, expectedRoles?: readonly Role[] | null): void {
  if (expectedRoles && !hasSameRoles(expectedRoles, roles))
    throw conflict(
      `Another person changed the roles of ${name} in the meantime. They are now: ${namesOfRoles(roles)}.`,
    );
}
