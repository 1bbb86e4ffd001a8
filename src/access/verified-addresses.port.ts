/**
 * SQL: the verified email addresses of active members: `member_id`, `email`. An address is verified if an enabled
 * sign-in provider verified it, or if an administrator invited the member at it and no enabled sign-in provider covers
 * its domain. `tenant` is an SQL expression.
 */
export const verifiedAddresses = (tenant: string): string => `
  select i.member_id, i.email
  from identities i
  join members m on m.tenant_id = i.tenant_id and m.id = i.member_id and m.status = 'active'
  join sign_in_providers p on p.tenant_id = i.tenant_id and p.issuer = i.issuer and p.disabled_at is null
  where i.tenant_id = ${tenant} and split_part(i.email, '@', 2) = any(p.email_domains)
  union
  select m.id, m.email
  from members m
  where m.tenant_id = ${tenant} and m.status = 'active'
    and not exists (
      select 1 from sign_in_providers p
      where p.tenant_id = m.tenant_id and p.disabled_at is null and split_part(m.email, '@', 2) = any(p.email_domains))`;
