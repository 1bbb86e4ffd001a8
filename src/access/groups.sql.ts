import { statement } from '../platform/database/statement.js';
import type { Group } from './group.entity.js';

/** Removed members do not count: they leave all groups. */
export type GroupWithMemberCount = Group & { memberCount: number };

const groupColumns = `
  g.tenant_id as "tenantId", g.id, g.name, g.created_at as "createdAt",
  (select count(*)::int from group_members m where m.tenant_id = g.tenant_id and m.group_id = g.id) as "memberCount"`;

export const groupWithMemberCount = statement<[tenantId: string, id: string], GroupWithMemberCount>(
  `select ${groupColumns} from groups g where g.tenant_id = $1 and g.id = $2`,
  { name: 'access-counted-group' },
);

export const groupsWithMemberCount = statement<
  [tenantId: string, afterName: string | null, afterId: string | null, limit: number],
  GroupWithMemberCount & { total: number }
>(`
  select ${groupColumns}, (select count(*)::int from groups where tenant_id = $1) as total
  from groups g
  where g.tenant_id = $1 and ($2::text is null or (g.name, g.id) > ($2, $3::uuid))
  order by g.name, g.id limit $4`);
