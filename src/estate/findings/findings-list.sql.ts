import { statement } from '../../platform/database/statement.js';
import type { OwnedRow } from '../owner-visibility.js';
import type { EstateFinding, EstateFindingCount, FindingState } from './finding.entity.js';
import type { RuleId, Severity } from './rule.js';

export type FindingRow = EstateFinding & OwnedRow & { rank: number };
export type FindingIdentity = Pick<EstateFinding, 'id' | 'rule'>;

const columns = `
  o.id, o.rule, o.severity, o.reason, o.evidence, o.fix, o.file_id as "fileId", f.path, o.entry_id as "entryId",
  o.server_id as "serverId", coalesce(e.name, s.name) as "serverName", o.connection_id as "connectionId",
  o.first_seen as "firstSeen",
  case when o.resolved_at is null then greatest(o.last_seen, f.last_seen) else o.last_seen end as "lastSeen",
  o.resolved_at as "resolvedAt", o.dismissed_at as "dismissedAt", o.dismissed_by as "dismissedBy",
  m.name as "dismissedByName", o.dismissed_reason as "dismissedReason", o.rank,
  f.owner_email as "ownerEmail", p.id as "personId", p.name as "personName", p.pseudonym,
  p.pseudonym_id as "pseudonymId", p.group_id as "groupId",
  case when o.resolved_at is not null then 'resolved' when o.dismissed_at is not null then 'dismissed' else 'open' end as state`;
const joins = `
  left join estate_files f on f.tenant_id = o.tenant_id and f.id = o.file_id
  left join spend_aliases a on a.tenant_id = f.tenant_id and a.kind = 'email' and a.vendor = '' and a.key = f.owner_email
  left join spend_people p on p.tenant_id = a.tenant_id and p.id = a.person_id
  left join estate_entries e on e.tenant_id = o.tenant_id and e.id = o.entry_id
  left join estate_servers s on s.tenant_id = o.tenant_id and s.id = o.server_id
  left join members m on m.tenant_id = o.tenant_id and m.id = o.dismissed_by`;

const narrowed = `
  o.tenant_id = $1
  and case $2
    when 'open' then o.resolved_at is null and o.dismissed_at is null
    when 'dismissed' then o.resolved_at is null and o.dismissed_at is not null
    when 'resolved' then o.resolved_at is not null
    else true end
  and ($3::text[] is null or o.severity = any($3)) and ($4::text[] is null or o.rule = any($4))
  and ($5::uuid is null or o.file_id = $5) and ($6::uuid is null or o.server_id = $6)
  and ($7::uuid is null or o.connection_id = $7)`;

/**
 * Most severe first, then newest first. `lastRank`, `lastFirstSeen` and `lastId`: of the last row of the previous page.
 */
export const listFindings = statement<
  [
    tenantId: string,
    state: FindingState | null,
    severities: readonly Severity[] | null,
    rules: readonly RuleId[] | null,
    fileId: string | null,
    serverId: string | null,
    connectionId: string | null,
    lastRank: number | null,
    lastFirstSeen: string | null,
    lastId: string | null,
    limit: number,
  ],
  FindingRow & { position: string; total: number }
>(`
  with shown as (
    select o.* from estate_findings o
    where ${narrowed} and ($8::int is null or rank > $8 or (rank = $8 and (first_seen, id) < ($9::timestamptz, $10::uuid)))
    order by rank, first_seen desc, id desc limit $11
  )
  select ${columns}, o.first_seen::text as position,
         (select count(*)::int from estate_findings o where ${narrowed}) as total
  from shown o ${joins}
  order by o.rank, o.first_seen desc, o.id desc`);

export const findFindings = statement<[tenantId: string, ids: readonly string[]], FindingRow>(`
  select ${columns} from estate_findings o ${joins}
  where o.tenant_id = $1 and o.id = any($2) order by o.rank, o.first_seen desc, o.id desc`);

export const countFindings = statement<[tenantId: string], EstateFindingCount>(`
  select rule, severity,
         count(*) filter (where dismissed_at is null)::int as open,
         count(*) filter (where dismissed_at is not null)::int as dismissed,
         count(distinct file_id) filter (where dismissed_at is null)::int as files,
         count(distinct server_id) filter (where dismissed_at is null)::int as servers
  from estate_findings where tenant_id = $1 and resolved_at is null
  group by rule, severity, rank
  order by rank, open desc, rule`);

/** Dismisses and returns those that are not resolved. */
export const dismissFindings = statement<
  [tenantId: string, ids: readonly string[], memberId: string | null, reason: string],
  FindingIdentity
>(`
  update estate_findings set dismissed_at = now(), dismissed_by = $3, dismissed_reason = $4
  where tenant_id = $1 and id = any($2) and resolved_at is null
  returning id, rule`);

export const reopenFindings = statement<[tenantId: string, ids: readonly string[]], FindingIdentity>(`
  update estate_findings set dismissed_at = null, dismissed_by = null, dismissed_reason = null
  where tenant_id = $1 and id = any($2) and dismissed_at is not null
  returning id, rule`);
