/** $1 tenant, $2 member or null for all analysts */
export const listViews = `
  select m.id as "memberId", m.name,
         coalesce(bool_or(v.unit_id is null) filter (where v.member_id is not null), false) as "seesEverybody",
         coalesce(json_agg(json_build_object('tenantId', u.tenant_id, 'id', u.id, 'kind', u.kind, 'name', u.name) order by u.name)
           filter (where u.id is not null), '[]') as groups
  from members m
  left join spend_views v on v.tenant_id = m.tenant_id and v.member_id = m.id
  left join spend_units u on u.tenant_id = v.tenant_id and u.id = v.unit_id
  where m.tenant_id = $1 and m.status <> 'removed' and 'analyst' = any(m.roles) and ($2::uuid is null or m.id = $2)
  group by m.id, m.name order by m.name, m.id`;

export const deleteViews = 'delete from spend_views where tenant_id = $1 and member_id = $2';

/** $1 tenant, $2 member, $3 groups; a null element grants access to everybody */
export const addViews = `
  insert into spend_views (tenant_id, member_id, unit_id, granted_at)
  select $1, $2, unit_id, now() from unnest($3::uuid[]) as seen (unit_id)`;
