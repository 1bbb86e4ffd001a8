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
      select own.email from (${verifiedAddresses('$1')}) own
      where own.member_id = $3
        -- a subquery per address: a join would read the addresses of all members
        and (select count(*) from (${verifiedAddresses('$1')}) holder where holder.email = own.email) = 1))
    and not exists (
      select 1 from source_account_assignments s
      where s.tenant_id = $1 and s.connection_id = a.connection_id and s.account_id = a.id)
  union all
  select ${columns}, true
  from source_account_assignments s
  join members m on m.tenant_id = s.tenant_id and m.id = s.member_id and m.status = 'active'
  join source_accounts a on a.tenant_id = s.tenant_id and a.connection_id = s.connection_id and a.id = s.account_id
  where s.tenant_id = $1 and s.member_id = $3 and s.connection_id = any($2::uuid[])`;

/** SQL: the rosters of the connections $2 that are not too old. A new version replaces all rows of a roster at once. */
const currentRosters = `
    select connection_id, (extract(epoch from complete_at) * 1000000)::int8::text as version from source_rosters
    where tenant_id = $1 and connection_id = any($2::uuid[]) and complete_at > now() - interval '${maxRosterAgeHours} hours'`;

/**
 * SQL: the audiences that `account` belongs to: those that are open to everyone, and those with one account, itself or
 * by its groups, in every set. None of a roster that is not in `current`.
 */
const audiencesOfAccounts = `
  opened as materialized (
    select connection_id, id as account_id, unnest(set_ids) as set_id from account
    union
    select g.connection_id, k.account_id, unnest(g.set_ids)
    from (select connection_id, id as account_id, unnest(group_ids) as group_id from account) k
    join source_groups g on g.tenant_id = $1 and g.connection_id = k.connection_id and g.id = k.group_id
  ), readable as materialized (
    select a.connection_id, a.id
    from current c join source_audiences a on a.tenant_id = $1 and a.connection_id = c.connection_id
    where a.readers = 'everyone'
    union
    select o.connection_id, s.audience_id
    from opened o
    join current c on c.connection_id = o.connection_id
    join source_audience_sets s on s.tenant_id = $1 and s.connection_id = o.connection_id and s.id = o.set_id
    group by o.connection_id, o.account_id, s.audience_id, s.set_count
    having count(*) = s.set_count
  )`;

/** The audiences that a member (null: a reader who is not a person) belongs to. */
export const listReadableAudiences = statement<
  [tenantId: string, connectionIds: readonly string[], memberId: string | null],
  { id: string }
>(
  `
  with current as materialized (${currentRosters}
  ), account as materialized (
    ${accountsOfMember('a.connection_id, a.id, a.group_ids, a.set_ids')}
  ), ${audiencesOfAccounts}
  select id from readable`,
  { name: 'knowledge.readable-audiences', neverNull: ['id'] },
);

/** The same in two steps: the accounts of a member, which can change at any time, and the audiences of accounts. */
export interface RosterAccounts {
  connectionId: string;
  /** of the roster */
  version: string;
  accountIds: string[];
}
export const listRosterAccounts = statement<
  [tenantId: string, connectionIds: readonly string[], memberId: string | null],
  RosterAccounts
>(
  `
  with current as materialized (${currentRosters}
  ), account as materialized (
    ${accountsOfMember('a.connection_id, a.id')}
  )
  select connection_id as "connectionId", version,
         array(select a.id from account a where a.connection_id = current.connection_id order by a.id) as "accountIds"
  from current`,
  { name: 'knowledge.roster-accounts', neverNull: ['version', 'accountIds'] },
);

/** They only change with the version of the roster. */
export interface RosterAudiences {
  connectionId: string;
  version: string;
  audienceIds: string[];
}
export const listAudiencesOfAccounts = statement<
  [tenantId: string, connectionIds: readonly string[], accountIds: readonly string[]],
  RosterAudiences
>(
  `
  with current as materialized (${currentRosters}
  ), account as materialized (
    select connection_id, id, group_ids, set_ids from source_accounts
    where tenant_id = $1 and connection_id = any($2::uuid[]) and id = any($3::uuid[])
  ), ${audiencesOfAccounts}
  select connection_id as "connectionId", version,
         array(select r.id from readable r where r.connection_id = current.connection_id) as "audienceIds"
  from current`,
  { name: 'knowledge.account-audiences', neverNull: ['version', 'audienceIds'] },
);
