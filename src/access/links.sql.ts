/** Of one tenant: links of people that let somebody in during the last day. An invitation names its member by address. */
export const usedLately = `
  select l.kind, l.created_by as maker, coalesce(l.member_id, m.id) as member
  from links l
  left join members m on l.member_id is null and m.tenant_id = l.tenant_id and m.email = l.email
  where l.tenant_id = $1 and l.kind in ('invitation', 'reset') and l.created_by is not null
    and l.used_at > now() - interval '1 day' and coalesce(l.member_id, m.id) is not null`;
