import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { conflict, notFound } from '../platform/errors/general.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { nameTaken } from './access.error.js';
import { isForeignKeyViolation, isUniqueViolation } from '../platform/database/database-error.js';
import { Group } from './group.entity.js';
import { GroupMember } from './group-member.entity.js';
import { type GroupWithMemberCount, groupWithMemberCount, groupsWithMemberCount } from './groups.sql.js';
import { Member } from './member.entity.js';
import { AdministrationService } from './administration/administration.service.js';
import { ApproverGroupRegistry } from './administration/approver-group-registry.service.js';
import { type ChangeDescription, distinctNameOf } from './administration/administration-change.port.js';
import { AccessChangeNotifier } from './independence/access-change-notifier.service.js';
import { MembersService } from './members.service.js';
import { MembershipsService } from './memberships.service.js';
import { withProviderGroups } from './providers/provider-groups.js';
import { SignInProvider } from './providers/sign-in-provider.entity.js';
import { requireSession } from './sessions.service.js';

export type { GroupWithMemberCount } from './groups.sql.js';

interface MembershipChange {
  groupId: string;
  memberId: string;
  isMember: boolean;
}

/**
 * Membership in a group determines what agents read and who approves. Therefore only a person in a session changes
 * groups, never a program with a token.
 */
@Injectable()
export class GroupsService {
  private readonly submitMembership: (principal: Principal, input: MembershipChange) => Promise<Member>;

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly members: MembersService,
    private readonly memberships: MembershipsService,
    private readonly changes: AccessChangeNotifier,
    private readonly approverGroups: ApproverGroupRegistry,
    administration: AdministrationService,
  ) {
    this.submitMembership = administration.register<MembershipChange, Member>({
      kind: 'group.set_membership',
      permission: 'members:manage',
      describe: (tx, principal, input) => this.describeMembership(tx, principal, input),
      apply: (tx, principal, input) => this.setMembershipIn(tx, principal, input),
    });
  }

  async get(principal: { tenantId: string }, id: string, tx: Tx): Promise<Group> {
    const group = await tx.findOneBy(Group, { tenantId: principal.tenantId, id });
    if (!group) throw notFound('There is no such group.');
    return group;
  }

  async getWithMemberCount(principal: Principal, id: string): Promise<GroupWithMemberCount> {
    const group = await this.database.tenant(principal, (tx) => tx.one(groupWithMemberCount, [principal.tenantId, id]));
    if (!group) throw notFound('There is no such group.');
    return group;
  }

  /** Sorted by name. */
  list(principal: Principal, { first, after }: PageArgs): Promise<Page<GroupWithMemberCount>> {
    const [name, id] = after ? decodeCursor(after, ['text', 'id']) : [null, null];
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(groupsWithMemberCount, [principal.tenantId, name, id, first + 1]);
      return toPage(rows, first, rows[0]?.total ?? 0, (group) => [group.name, group.id]);
    });
  }

  /** Suspended members included. */
  async listMemberIds(tx: Tx, { tenantId }: Principal, groupId: string): Promise<string[]> {
    return (await tx.findBy(GroupMember, { tenantId, groupId })).map(({ memberId }) => memberId);
  }

  /** Who is in the group, suspended members included, and who joins it by signing in: texts for those who decide on it. */
  async describeMembers(tx: Tx, tenantId: string, groupId: string): Promise<string[]> {
    const joined = await tx.findBy(GroupMember, { tenantId, groupId });
    const members = await tx.findBy(Member, { tenantId, id: In(joined.map(({ memberId }) => memberId)) });
    const providers = await withProviderGroups(tx, await tx.findBy(SignInProvider, { tenantId }));
    const joining = providers.filter(({ groups }) => groups.some(({ id }) => id === groupId));
    return [
      ...members.map(distinctNameOf).sort(),
      ...joining.map(({ name }) => `New members who sign in with ${name}`).sort(),
    ];
  }

  /** The system principal may create groups, too: for the demo and tests. */
  async create(principal: Principal, name: string): Promise<Group> {
    if (principal.kind !== 'system') requireSession(principal);
    return this.database.tenant(principal, (tx) => this.createIn(tx, principal, name));
  }

  async createIn(tx: Tx, principal: Principal, name: string): Promise<Group> {
    const group = tx.create(Group, {
      tenantId: principal.tenantId,
      id: newId(),
      name: name.trim(),
      createdAt: new Date(),
    });
    await refuseTakenGroupName(tx.insert(Group, group), group.name);
    await this.audit.record(tx, principal, { kind: 'group.created', subject: subject(group) });
    return group;
  }

  async rename(principal: Principal, id: string, name: string): Promise<Group> {
    requireSession(principal);
    return this.database.tenant(principal, (tx) => this.renameIn(tx, principal, id, name));
  }

  async renameIn(tx: Tx, principal: Principal, id: string, name: string): Promise<Group> {
    const group = await this.get(principal, id, tx);
    await refuseTakenGroupName(
      tx.update(Group, { tenantId: principal.tenantId, id }, { name: name.trim() }),
      name.trim(),
    );
    await this.audit.record(tx, principal, {
      kind: 'group.renamed',
      subject: subject(group),
      detail: { to: name.trim() },
    });
    return { ...group, name: name.trim() };
  }

  /** Rejected while a configuration, an approval step or a document uses the group. */
  async remove(principal: Principal, id: string): Promise<Group> {
    requireSession(principal);
    return this.database.tenant(principal, (tx) => this.removeIn(tx, principal, id));
  }

  async removeIn(tx: Tx, principal: Principal, id: string): Promise<Group> {
    const group = await this.get(principal, id, tx);
    await tx.delete(Group, { tenantId: principal.tenantId, id }).catch((error: unknown) => {
      throw isForeignKeyViolation(error)
        ? conflict(
            `"${group.name}" is still used by a configuration, an approval step or a document. Remove it there first.`,
          )
        : error;
    });
    await this.audit.record(tx, principal, { kind: 'group.removed', subject: subject(group) });
    return group;
  }

  async addMember(principal: Principal, groupId: string, memberId: string): Promise<Member> {
    if (principal.kind !== 'system') requireSession(principal);
    return this.submitMembership(principal, { groupId, memberId, isMember: true });
  }

  async removeMember(principal: Principal, groupId: string, memberId: string): Promise<Member> {
    requireSession(principal);
    return this.submitMembership(principal, { groupId, memberId, isMember: false });
  }

  /** Only members of groups that approve decide what others may do. */
  private async describeMembership(
    tx: Tx,
    principal: Principal,
    { groupId, memberId, isMember }: MembershipChange,
  ): Promise<ChangeDescription | null> {
    const group = await this.get(principal, groupId, tx);
    const member = await this.members.get(principal, memberId, tx);
    const wasMember = member.groups.some(({ id }) => id === groupId);
    if (isMember === wasMember || !(await this.approverGroups.approves(tx, principal.tenantId, groupId))) return null;
    const text = (isIn: boolean) => (isIn ? 'Member' : null);
    return {
      areas: ['approver_groups'],
      title: isMember ? `Add ${member.name} to ${group.name}` : `Remove ${member.name} from ${group.name}`,
      subject: subject(group),
      fields: [{ label: `${distinctNameOf(member)} in ${group.name}`, before: text(wasMember), after: text(isMember) }],
    };
  }

  async setMembershipIn(tx: Tx, principal: Principal, change: MembershipChange): Promise<Member> {
    return change.isMember ? this.addMemberIn(tx, principal, change) : this.removeMemberIn(tx, principal, change);
  }

  private async addMemberIn(tx: Tx, principal: Principal, { groupId: id, memberId }: MembershipChange) {
    const group = await this.get(principal, id, tx);
    const member = await this.members.get(principal, memberId, tx);
    if (member.status === 'removed') throw notFound('There is no such member.');
    if (member.groups.some((joined) => joined.id === id)) return member;
    await this.memberships.addToGroups(tx, principal, memberId, [id]);
    await this.audit.record(tx, principal, {
      kind: 'group.member_added',
      subject: subject(group),
      detail: { memberId, name: member.name },
    });
    return this.members.get(principal, memberId, tx);
  }

  private async removeMemberIn(tx: Tx, principal: Principal, { groupId: id, memberId }: MembershipChange) {
    const { tenantId } = principal;
    const group = await this.get(principal, id, tx);
    const member = await this.members.get(principal, memberId, tx);
    const { affected } = await tx.delete(GroupMember, { tenantId, groupId: id, memberId });
    if (affected)
      await this.audit.record(tx, principal, {
        kind: 'group.member_removed',
        subject: subject(group),
        detail: { memberId, name: member.name },
      });
    if (affected) await this.changes.publish(tx, tenantId);
    return this.members.get(principal, memberId, tx);
  }
}

const subject = ({ id, name }: Group) => ({ type: 'group', id, name });

function refuseTakenGroupName<T>(change: Promise<T>, name: string): Promise<T> {
  return change.catch((error: unknown) => {
    throw isUniqueViolation(error, 'groups_by_name') ? nameTaken(`There is already a group named "${name}".`) : error;
  });
}
