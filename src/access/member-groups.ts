import type { Tx } from '../platform/database/tx.js';
import type { Member } from './member.entity.js';
import { groupsOfMembers } from './members.sql.js';

/** Adds their groups to members, with one statement for all. */
export async function withMemberGroups<T extends Omit<Member, 'groups'>>(tx: Tx, members: T[]) {
  if (!members.length) return [];
  const ids = members.map(({ id }) => id);
  const rows = await tx.run(groupsOfMembers, [members[0].tenantId, ids]);
  return members.map((member) => ({ ...member, groups: rows.filter(({ memberId }) => memberId === member.id) }));
}
