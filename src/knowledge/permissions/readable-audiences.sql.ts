import { verifiedAddresses } from '../../access/verified-addresses.port.js';
import { statement } from '../../platform/database/statement.js';
import { maxRosterAgeHours } from './roster.entity.js';

/**
 * SQL: the accounts of member $3 in the connections $2. An account belongs to the member that has its email address,
 * unless several members have it. An assignment by an administrator takes precedence.
 */
export const accountsOfMember = (columns: string): string => `
  select ${columns}, false as is_assigned
  from source_accounts a
  where a.tenant_id = $1 and a.connection_id = any($2::uuid[]) and a.email = any(array(
      select v.email from (${verifiedAddresses('$1')}) v
      where v.member_id = $3
        and not exists (select 1 from (${verifiedAddresses('$1')}) o where o.email = v.email and o.member_id <> v.member_id)))
    and not exists (
      select 1 from source_account_assignments s
      where s.tenant_id = $1 and s.connection_id = a.connection_id and s.account_id = a.id)
  union all
  select ${columns}, true
  from source_account_assignments s
  join members m on m.tenant_id = s.tenant_id and m.id = s.member_id and m.status = 'active'
  join source_accounts a on a.tenant_id = s.tenant_id and a.connection_id = s.connection_id and a.id = s.account_id
  where s.tenant_id = $1 and s.member_id = $3 and s.connection_id = any($2::uuid[])`;

/**
 * The audiences that a member (null: nobody in particular) belongs to: those that are open to everyone, and those with
 * one account of the member, itself or by its groups, in every set. None of a roster that is too old.
 */
export const listReadableAudiences = statement<
  [tenantId: string, connectionIds: readonly string[], memberId: string | null],
  { id: string }
>(
  `
  with current as materialized (
    select connection_id from source_rosters
    where tenant_id = $1 and connection_id = any($2::uuid[]) and complete_at > now() - interval '${maxRosterAgeHours} hours'
  ), account as materialized (
    ${accountsOfMember('a.connection_id, a.id, a.group_ids, a.set_ids')}
  ), opened as materialized (
    select connection_id, id as account_id, unnest(set_ids) as set_id from account
    union
    select g.connection_id, k.account_id, unnest(g.set_ids)
    from (select connection_id, id as account_id, unnest(group_ids) as group_id from account) k
    join source_groups g on g.tenant_id = $1 and g.connection_id = k.connection_id and g.id = k.group_id
  )
  select a.id
  from current c join source_audiences a on a.tenant_id = $1 and a.connection_id = c.connection_id
  where a.readers = 'everyone'
  union
  select s.audience_id
  from opened o
  join current c on c.connection_id = o.connection_id
  join source_audience_sets s on s.tenant_id = $1 and s.connection_id = o.connection_id and s.id = o.set_id
  group by o.account_id, s.audience_id, s.set_count
  having count(*) = s.set_count`,
  { name: 'knowledge.readable-audiences', neverNull: ['id'] },
);
