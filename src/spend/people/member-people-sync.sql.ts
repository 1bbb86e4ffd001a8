export interface MemberToSync {
  memberId: string;
  email: string;
  name: string;
  removedAt: Date | null;
  /** The person they are, if they are one already. */
  personId: string | null;
  formerEmail: string | null;
  formerName: string | null;
  formerlyRemoved: boolean;
}

/**
 * $1 tenant. Members who are nobody yet, or whose account says something else than the person. Of those who were removed, only
 * whoever is not known under another account.
 */
export const membersToSync = `
  select m.id as "memberId", m.email, m.name, p.id as "personId", p.email as "formerEmail", p.name as "formerName",
         p.removed_at is not null as "formerlyRemoved",
         case when m.status = 'removed' then coalesce(p.removed_at, now()) end as "removedAt"
  from members m
  left join spend_people p on p.tenant_id = m.tenant_id and p.member_id = m.id
  where m.tenant_id = $1 and case
    when p.id is not null
      then p.name <> m.name or p.email <> m.email or (p.removed_at is null) = (m.status = 'removed')
    else m.status <> 'removed' or not exists (
      select from spend_aliases a where a.tenant_id = $1 and a.kind = 'email' and a.vendor = '' and a.key = m.email)
  end
  order by m.id`;

export interface AliasHolder {
  key: string;
  id: string;
  name: string;
  /** A member who was not removed signs in as this person. */
  hasAccount: boolean;
}

/** $1 tenant, $2 addresses: whose they are. */
export const aliasHolders = `
  select a.key, p.id, p.name, coalesce(m.status <> 'removed', false) as "hasAccount"
  from spend_aliases a
  join spend_people p on p.tenant_id = a.tenant_id and p.id = a.person_id
  left join members m on m.tenant_id = p.tenant_id and m.id = p.member_id
  where a.tenant_id = $1 and a.kind = 'email' and a.vendor = '' and a.key = any($2)`;
