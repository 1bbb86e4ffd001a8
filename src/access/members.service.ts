import { Injectable } from '@nestjs/common';
import { In, IsNull, Not } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { hashPassword } from '../platform/crypto/passwords.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import type { Tx } from '../platform/database/tx.js';
import { conflict, notFound } from '../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../platform/graphql/connection.js';
import type { Role } from '../principal/permissions.js';
import type { Principal } from '../principal/principal.js';
import { lastAdmin } from './access.error.js';
import { MemberRemovalHookRegistry } from './member-removal-hook-registry.service.js';
import { AccessChangeNotifier } from './independence/access-change-notifier.service.js';
import { IntroductionsService } from './independence/introductions.service.js';
import { GroupMember } from './group-member.entity.js';
import { LinksService } from './links.service.js';
import { Member, type MemberStatus } from './member.entity.js';
import { type Approver, eligibleAdmins, eligibleInGroup, groupIdsOfMember, listMembers } from './members.sql.js';
import { introducedBy, MembershipsService, type NewMember, withMemberRole } from './memberships.service.js';
import { requireSession, SessionsService } from './sessions.service.js';
import { SignInMethodsService } from './sign-in-methods/sign-in-methods.service.js';
import { lockTenant } from './tenants.sql.js';
import { withMemberGroups } from './member-groups.js';

export type { Approver } from './members.sql.js';

export interface MemberFilter {
  status?: MemberStatus | null;
  role?: Role | null;
  groupId?: string | null;
  search?: string | null;
}

@Injectable()
export class MembersService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly sessions: SessionsService,
    private readonly links: LinksService,
    private readonly memberships: MembershipsService,
    private readonly signInMethods: SignInMethodsService,
    private readonly memberRemovalHookRegistry: MemberRemovalHookRegistry,
    private readonly introductions: IntroductionsService,
    private readonly changes: AccessChangeNotifier,
  ) {}

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
    const next = withMemberRole(roles);
    return this.change(principal, id, async (tx, member) => {
      if (expectedRoles && !hasSameRoles(expectedRoles, member.roles))
        throw conflict(
          `Another person changed the roles of ${member.name} in the meantime. They are now: ${member.roles.join(', ')}.`,
        );
      if (!next.includes('admin')) await this.requireAnotherAdmin(tx, principal, member);
      const adminSince = next.includes('admin') ? (member.adminSince ?? new Date()) : null;
      await tx.update(Member, { tenantId: principal.tenantId, id }, { roles: next, adminSince });
      if (member.adminSince && !adminSince) await this.links.revokeAllBy(tx, principal, id);
      await this.audit.record(tx, principal, {
        kind: 'member.roles_changed',
        subject: subject(member),
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
        subject: subject(member),
        detail: { to: name.trim() },
      });
    });
  }

  /**
   * All credentials of the member stop working with the next request; `reactivate` restores them. A program may only
   * suspend members without a role or group, since those take no part in administration and approvals.
   */
  async suspend(principal: Principal, id: string): Promise<Member> {
    return this.change(principal, id, async (tx, member) => {
      const isPlain =
        member.roles.every((role) => role === 'member') && !(await this.listGroupIds(principal, id, tx)).length;
      if (!isPlain && principal.kind !== 'system') requireSession(principal);
      if (member.status === 'suspended') return;
      await this.requireAnotherAdmin(tx, principal, member);
      await this.revokeAccess(tx, principal, member, { status: 'suspended' });
      await this.audit.record(tx, principal, { kind: 'member.suspended', subject: subject(member) });
      await this.introductions.recordStatus(tx, principal, id, 'suspended');
    });
  }

  async reactivate(principal: Principal, id: string): Promise<Member> {
    requireSession(principal);
    return this.change(principal, id, async (tx, member) => {
      if (member.status === 'active') return;
      await tx.update(Member, { tenantId: principal.tenantId, id }, { status: 'active' });
      await this.audit.record(tx, principal, { kind: 'member.reactivated', subject: subject(member) });
      await this.introductions.recordStatus(tx, principal, id, 'reactivated');
    });
  }

  /** Permanent: only a new invitation restores the member. Audit events of the member remain. */
  async remove(principal: Principal, id: string): Promise<Member> {
    return this.change(principal, id, async (tx, member) => {
      await this.requireAnotherAdmin(tx, principal, member);
      await this.revokeAccess(tx, principal, member, {
        status: 'removed',
        roles: ['member'],
        adminSince: null,
        passwordHash: null,
      });
      await this.signInMethods.removeAll(tx, principal, id);
      await tx.delete(GroupMember, { tenantId: principal.tenantId, memberId: id });
      await this.memberRemovalHookRegistry.run(tx, principal, id);
      await this.audit.record(tx, principal, { kind: 'member.removed', subject: subject(member) });
      await this.introductions.recordStatus(tx, principal, id, 'removed');
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
  listApprovers(tx: Tx, tenantId: string, groupId: string | null): Promise<Approver[]> {
    return groupId ? tx.run(eligibleInGroup, [tenantId, groupId]) : tx.run(eligibleAdmins, [tenantId]);
  }

  private async change(
    principal: Principal,
    id: string,
    apply: (tx: Tx, member: Member) => Promise<void>,
  ): Promise<Member> {
    return this.database.tenant(principal, async (tx) => {
      const member = await tx.findOne(Member, {
        where: { tenantId: principal.tenantId, id },
        lock: { mode: 'pessimistic_write' },
      });
      if (!member || member.status === 'removed') throw notFound('There is no such member.');
      await apply(tx, member);
      return this.get(principal, id, tx);
    });
  }

  private async revokeAccess(tx: Tx, principal: Principal, { id }: Member, change: Partial<Member>): Promise<void> {
    await tx.update(Member, { tenantId: principal.tenantId, id }, change);
    await this.sessions.endAll(tx, principal, id);
    await this.links.revokeAllOf(tx, principal, id);
    await this.links.revokeAllBy(tx, principal, id);
  }

  /** The lock on the tenant serializes two administrators who remove each other. */
  private async requireAnotherAdmin(tx: Tx, { tenantId }: Principal, member: Member): Promise<void> {
    if (!member.roles.includes('admin') || member.status !== 'active') return;
    await tx.execute(lockTenant, [tenantId]);
    const others = { tenantId, id: Not(member.id), status: 'active', adminSince: Not(IsNull()) } as const;
    if (!(await tx.existsBy(Member, others))) throw lastAdmin(`${member.name} is the last active administrator.`);
  }

  private inTransaction<T>(
    principal: { tenantId: string },
    tx: Tx | undefined,
    run: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    return tx ? run(tx) : this.database.tenant(principal, run);
  }
}

const subject = ({ id, name }: { id: string; name: string }) => ({ type: 'member', id, name });

const hasSameRoles = (seen: readonly Role[], now: readonly Role[]): boolean =>
  withMemberRole(seen).join() === withMemberRole(now).join();
