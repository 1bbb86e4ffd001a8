import { verifiedAddresses } from '../../access/verified-addresses.port.js';
import { statement } from '../../platform/database/statement.js';
import type { AccountMatch } from './source-account.object.js';

export interface SourceAccountRow {
  id: string;
  connectionId: string;
  externalId: string;
  name: string;
  email: string | null;
  match: AccountMatch;
  memberId: string | null;
  memberName: string | null;
  assignedBy: string | null;
  assignedAt: Date | null;
  total: number;
}

/** `verified_ids`: all members with the verified address of the account, even if an assignment takes precedence. */
const matched = `
  select a.id, a.connection_id, a.external_id, a.name, a.email, s.assigned_by, s.assigned_at,
         case when s.account_id is not null then case when s.member_id is null then 'nobody' else 'assigned' end
              when v.holders = 1 then 'email' when v.holders > 1 then 'ambiguous'
              when m.id is not null then 'unverified' else 'none' end as match,
         case when s.account_id is not null then s.member_id when v.holders = 1 then v.member_id
              when v.holders is null then m.id end as member_id,
         coalesce(v.member_ids, '{}') as verified_ids
  from source_accounts a
  left join source_account_assignments s
    on s.tenant_id = a.tenant_id and s.connection_id = a.connection_id and s.account_id = a.id
  left join (
    select email, count(*)::int as holders, min(member_id::text)::uuid as member_id, array_agg(member_id) as member_ids
    from (${verifiedAddresses('$1')}) addresses group by email) v on v.email = a.email
  left join members m on m.tenant_id = a.tenant_id and m.email = a.email and m.status = 'active'
  where a.tenant_id = $1 and a.connection_id = $2`;

/** Ordered by their ids in the source. */
export const listSourceAccounts = statement<
  [
    tenantId: string,
    connectionId: string,
    isMatched: boolean | null,
    search: string | null,
    after: string | null,
    limit: number,
  ],
  SourceAccountRow
>(`
  with found as materialized (
    select * from (${matched}) accounts
    where ($3::boolean is null or $3 = (match in ('assigned', 'email', 'nobody')))
      and ($4::text is null or strpos(lower(concat_ws(' ', name, email, external_id)), lower($4)) > 0)
  )
  select id, connection_id as "connectionId", external_id as "externalId", name, email, match, member_id as "memberId",
         (select name from members m where m.tenant_id = $1 and m.id = found.member_id) as "memberName",
         assigned_by as "assignedBy", assigned_at as "assignedAt", (select count(*)::int from found) as total
  from found where $5::text is null or external_id > $5
  order by external_id limit $6`);

export const findSourceAccount = statement<
  [tenantId: string, connectionId: string, id: string],
  Omit<SourceAccountRow, 'total'> & { verifiedIds: string[] }
>(`
  select id, connection_id as "connectionId", external_id as "externalId", name, email, match, member_id as "memberId",
         (select name from members m where m.tenant_id = $1 and m.id = accounts.member_id) as "memberName",
         assigned_by as "assignedBy", assigned_at as "assignedAt", verified_ids as "verifiedIds"
  from (${matched}) accounts where id = $3`);

export const assignAccount = statement<
  [tenantId: string, connectionId: string, accountId: string, memberId: string | null, assignedBy: string]
>(`
  insert into source_account_assignments (tenant_id, connection_id, account_id, member_id, assigned_by, assigned_at)
  values ($1, $2, $3, $4, $5, now())
  on conflict (tenant_id, connection_id, account_id) do update set member_id = $4, assigned_by = $5, assigned_at = now()`);

export const deleteAssignment = statement<[tenantId: string, connectionId: string, accountId: string]>(`
  delete from source_account_assignments where tenant_id = $1 and connection_id = $2 and account_id = $3`);

export const deleteAssignmentsOfMember = statement<[tenantId: string, memberId: string]>(
  'delete from source_account_assignments where tenant_id = $1 and member_id = $2',
);

export interface ClosedAudience {
  /** Null: documents name it, but the source does not list it. */
  title: string | null;
  url: string | null;
  rule: string | null;
  documents: number;
}
/** Audiences that are unreadable or missing from the roster, although documents name them. */
export const listClosedAudiences = statement<[tenantId: string, connectionId: string, limit: number], ClosedAudience>(`
  select a.title, a.url, a.rule, sum(s.documents)::int as documents
  from index_partitions s
  left join source_audiences a on a.tenant_id = s.tenant_id and a.connection_id = s.connection_id and a.id = s.audience_id
  where s.tenant_id = $1 and s.connection_id = $2 and s.audience_id is not null and s.documents > 0
    and (a.id is null or a.readers = 'unreadable')
  group by s.audience_id, a.title, a.url, a.rule
  order by documents desc, a.title limit $3`);

export const countUnmatchedAccounts = statement<[tenantId: string, connectionId: string], { count: number }>(`
  select count(*)::int as count from (${matched}) accounts where match not in ('assigned', 'email', 'nobody')`);
