import { statement } from '../platform/database/statement.js';
import type { Role } from '../principal/permissions.js';
import type { Group } from './group.entity.js';
import type { Member, MemberStatus } from './member.entity.js';

export const listMembers = statement<
  [
    tenantId: string,
    status: MemberStatus | null,
    groupId: string | null,
    partOfNameOrEmail: string | null,
    afterName: string | null,
    afterId: string | null,
    limit: number,
    role: Role | null,
  ],
  Omit<Member, 'groups'> & { total: number }
>(`
  with found as (
    select m.* from members m
    where m.tenant_id = $1 and m.status = coalesce($2, m.status) and ($2 is not null or m.status <> 'removed')
      and ($8::text is null or $8 = any(m.roles))
      and ($3::uuid is null or exists (
        select 1 from group_members g where g.tenant_id = $1 and g.group_id = $3 and g.member_id = m.id))
      and ($4::text is null or strpos(lower(m.name), lower($4)) > 0 or strpos(m.email, lower($4)) > 0)
  )
  select tenant_id as "tenantId", id, email, name, roles, status, joined_at as "joinedAt", admin_since as "adminSince",
         wants_second_factor as "wantsSecondFactor",
         (select count(*)::int from found) as total
  from found
  where $5::text is null or (name, id) > ($5, $6::uuid)
  order by name, id limit $7`);

export const groupsOfMembers = statement<[tenantId: string, memberIds: string[]], Group & { memberId: string }>(`
  select gm.member_id as "memberId", g.tenant_id as "tenantId", g.id, g.name, g.created_at as "createdAt"
  from group_members gm
  join groups g on g.tenant_id = gm.tenant_id and g.id = gm.group_id
  where gm.tenant_id = $1 and gm.member_id = any($2)
  order by g.name`);

/** A member who may approve, and since when. */
export interface Approver {
  id: string;
  since: Date;
}

export const eligibleAdmins = statement<[tenantId: string], Approver>(`
  select id, greatest(joined_at, admin_since) as since from members
  where tenant_id = $1 and status = 'active' and admin_since is not null order by id`);

export const eligibleInGroups = statement<
  [tenantId: string, groupIds: readonly string[]],
  Approver & { groupId: string }
>(`
  select g.group_id as "groupId", m.id, greatest(m.joined_at, g.joined_at) as since from members m
  join group_members g on g.tenant_id = m.tenant_id and g.member_id = m.id
  where m.tenant_id = $1 and m.status = 'active' and g.group_id = any ($2)
  order by m.id`);

export const insertGroupMembers = statement<[tenantId: string, memberId: string, joinedAt: Date, groupIds: string[]]>(`
  insert into group_members (tenant_id, group_id, member_id, joined_at)
  select tenant_id, id, $2, $3 from groups where tenant_id = $1 and id = any($4)
  on conflict do nothing`);

export const groupIdsOfMember = statement<[tenantId: string, memberId: string], { groupIds: string[] }>(
  `
    select array(select group_id::text from group_members where tenant_id = $1 and member_id = $2) as "groupIds"`,
  { name: 'access-groups-of-member' },
);

export const lockMember = statement<[tenantId: string, id: string], { id: string }>(
  'select id from members where tenant_id = $1 and id = $2 for update',
);

/** Until the transaction commits, the member can be neither suspended nor removed. */
export const lockActiveMember = statement<[tenantId: string, id: string], { id: string }>(
  `select id from members where tenant_id = $1 and id = $2 and status = 'active' for share`,
);
