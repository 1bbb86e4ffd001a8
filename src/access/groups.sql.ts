const groupColumns = `
  g.tenant_id as "tenantId", g.id, g.name, g.created_at as "createdAt",
  (select count(*)::int from group_members m where m.tenant_id = g.tenant_id and m.group_id = g.id) as "memberCount"`;

/** [tenant, group] */
export const groupWithMemberCount = {
  name: 'access-counted-group',
  text: `select ${groupColumns} from groups g where g.tenant_id = $1 and g.id = $2`,
};

/** $1 tenant, $2 and $3 last row of the previous page, $4 limit */
export const groupsWithMemberCount = `
  select ${groupColumns}, (select count(*)::int from groups where tenant_id = $1) as total
  from groups g
  where g.tenant_id = $1 and ($2::text is null or (g.name, g.id) > ($2, $3::uuid))
  order by g.name, g.id limit $4`;
