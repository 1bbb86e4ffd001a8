import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { invalidRequest, notFound } from '../platform/errors/general.error.js';
import type { Role } from '../principal/permissions.js';
import type { Principal } from '../principal/principal.js';
import { memberExists } from './access.error.js';
import { isUniqueViolation } from './database-errors.js';
import { normalizeEmail } from './email.js';
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
 * Who let somebody in, and when they made the link; null: the operator. Who comes by a sign-in provider is introduced by those
 * who configured it: the identity is recorded with the member.
 */
export type Introducer = { by: string | null; madeAt?: Date } | 'provider';

/** How somebody becomes a member, and gets into groups: in the transaction of what brought them in. */
@Injectable()
export class MembershipsService {
  constructor(
    private readonly audit: AuditService,
    private readonly introductions: IntroductionsService,
  ) {}

  /** Somebody who was removed comes back as the same member, with the roles and groups given now. */
  async createMember(
    tx: EntityManager,
    principal: Principal,
    newMember: NewMember & { passwordHash: string | null },
    introducer: Introducer,
  ): Promise<Member> {
    const { tenantId } = principal;
    const email = requireEmail(newMember.email);
    const former = await tx.findOne(Member, { where: { tenantId, email }, lock: { mode: 'pessimistic_write' } });
    if (former && former.status !== 'removed') throw memberExists(`${email} is a member already.`);
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

  /** Into groups that exist; others are refused. */
  async addToGroups(
    tx: EntityManager,
    principal: Principal,
    memberId: string,
    groupIds: readonly string[],
  ): Promise<void> {
    const uniqueGroupIds = [...new Set(groupIds)];
    if (!uniqueGroupIds.length) return;
    const entered = await tx.query<unknown[]>(insertGroupMembers, [
      principal.tenantId,
      memberId,
      new Date(),
      uniqueGroupIds,
    ]);
    if (entered.length < uniqueGroupIds.length) throw notFound('One of the groups does not exist.');
  }
}

/** Null: the product itself, at its operator's word. Without a person, nothing else introduces anybody. */
export function introducedBy({ surface, memberId }: Principal): string | null {
  if (memberId) return memberId;
  if (surface === 'system') return null;
  throw new Error('a member is introduced by a person or by the operator');
}

/** Everybody is a member, whatever else they are. */
export const withMemberRole = (roles: readonly Role[]): Role[] => [...new Set<Role>([...roles, 'member'])].sort();

export function requireEmail(typed: string): string {
  const email = normalizeEmail(typed);
  if (email) return email;
  throw invalidRequest('This is no e-mail address.', {
    errors: [{ pointer: '/email', detail: 'is no e-mail address' }],
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

async function insertMember(tx: EntityManager, row: ReturnType<typeof newMemberRow>): Promise<void> {
  await tx.insert(Member, row).catch((error: unknown) => {
    throw isUniqueViolation(error, 'members_tenant_id_email_key')
      ? memberExists(`${row.email} is a member already.`)
      : error;
  });
}
