import { statement } from '../platform/database/statement.js';

export interface MemberToSync {
  memberId: string;
  email: string;
  name: string;
  removedAt: Date | null;
  /** The person of the member, if it exists. */
  personId: string | null;
  formerEmail: string | null;
  formerName: string | null;
  formerlyRemoved: boolean;
}

/**
 * Members without a person, or whose account differs from the person. A removed member without a person is
 * included only if nobody else holds the email address.
 */
export const membersToSync = statement<[tenantId: string], MemberToSync>(`
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
  order by m.id`);

export interface AliasHolder {
  key: string;
  id: string;
  name: string;
  /** The person has a member account that is not removed. */
  hasAccount: boolean;
}

export const aliasHolders = statement<[tenantId: string, emails: readonly string[]], AliasHolder>(`
  select a.key, p.id, p.name, coalesce(m.status <> 'removed', false) as "hasAccount"
  from spend_aliases a
  join spend_people p on p.tenant_id = a.tenant_id and p.id = a.person_id
  left join members m on m.tenant_id = p.tenant_id and m.id = p.member_id
  where a.tenant_id = $1 and a.kind = 'email' and a.vendor = '' and a.key = any($2)`);
