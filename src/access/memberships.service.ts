import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { invalidRequest, notFound } from '../platform/errors/general.error.js';
import type { Tx } from '../platform/database/tx.js';
import type { Role } from '../principal/permissions.js';
import type { Principal } from '../principal/principal.js';
import { memberExists } from './access.error.js';
import { isUniqueViolation } from '../platform/database/database-error.js';
import { normalizeEmail } from './email.port.js';
import { Member } from './member.entity.js';
import { IntroductionsService } from './independence/introductions.service.js';
import { insertGroupMembers } from './members.sql.js';
import { withMemberGroups } from './member-groups.js';

export interface NewMember {
  email: string;
  name: string;
  roles?: readonly Role[];
  groupIds?: readonly string[];
}

/**
 * Who introduced the member, and when they created the link; null: the operator. A member who joins through a sign-in
 * provider is introduced by those who configured it: the identity is recorded with the member.
 */
export type Introducer = { by: string | null; madeAt?: Date } | 'provider';

/** Creates members and adds them to groups, in the transaction of the caller. */
@Injectable()
export class MembershipsService {
  constructor(
    private readonly audit: AuditService,
    private readonly introductions: IntroductionsService,
  ) {}

  /** A removed person becomes the same member again, with the new roles and groups. */
  async createMember(
    tx: Tx,
    principal: Principal,
    newMember: NewMember & { passwordHash: string | null },
    introducer: Introducer,
  ): Promise<Member> {
    const { tenantId } = principal;
    const email = requireEmail(newMember.email);
    const former = await tx.findOne(Member, { where: { tenantId, email }, lock: { mode: 'pessimistic_write' } });
    if (former && former.status !== 'removed') throw memberExists(`${email} is already a member.`);
    const row = newMemberRow(newMember, { tenantId, email, id: former?.id ?? newId() });
    if (former) await tx.update(Member, { tenantId, id: former.id }, row);
    else await insertMember(tx, row);
    const groupIds = newMember.groupIds ?? [];
    await this.addToGroups(tx, principal, row.id, groupIds);
    await this.audit.record(tx, principal, {
      kind: 'member.joined',
      subject: { type: 'member', id: row.id, name: row.name },
      detail: { roles: row.roles, groupIds },
    });
    if (introducer !== 'provider')
      await this.introductions.record(tx, { tenantId, memberId: row.id, kind: 'invitation', ...introducer });
    const [member] = await withMemberGroups(tx, await tx.findBy(Member, { tenantId, id: row.id }));
    return member;
  }

  /** Throws `not-found` if a group does not exist. */
  async addToGroups(tx: Tx, principal: Principal, memberId: string, groupIds: readonly string[]): Promise<void> {
    const uniqueGroupIds = [...new Set(groupIds)];
    if (!uniqueGroupIds.length) return;
    const inserted = await tx.execute(insertGroupMembers, [principal.tenantId, memberId, new Date(), uniqueGroupIds]);
    if (inserted < uniqueGroupIds.length) throw notFound('One of the groups does not exist.');
  }
}

/** Null: Countersign itself, on behalf of its operator. No other principal without a person may introduce members. */
export function introducedBy({ surface, memberId }: Principal): string | null {
  if (memberId) return memberId;
  if (surface === 'system') return null;
  throw new Error('only a person or the operator can introduce a member');
}

/** Every member has the role "member". */
export const withMemberRole = (roles: readonly Role[]): Role[] => [...new Set<Role>([...roles, 'member'])].sort();

export function requireEmail(typed: string): string {
  const email = normalizeEmail(typed);
  if (email) return email;
  throw invalidRequest('This is not an email address.', {
    errors: [{ pointer: '/email', detail: 'is not an email address' }],
  });
}

function newMemberRow(
  { name, roles: given = [], passwordHash }: NewMember & { passwordHash: string | null },
  key: { tenantId: string; id: string; email: string },
) {
  const roles = withMemberRole(given);
  const joinedAt = new Date();
  const adminSince = roles.includes('admin') ? joinedAt : null;
  return {
    ...key,
    name: name.trim(),
    roles,
    status: 'active' as const,
    passwordHash,
    joinedAt,
    adminSince,
    wantsSecondFactor: false,
  };
}

async function insertMember(tx: Tx, row: ReturnType<typeof newMemberRow>): Promise<void> {
  await tx.insert(Member, row).catch((error: unknown) => {
    throw isUniqueViolation(error, 'members_tenant_id_email_key')
      ? memberExists(`${row.email} is already a member.`)
      : error;
  });
}
