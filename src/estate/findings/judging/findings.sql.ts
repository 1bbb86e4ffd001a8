import type { RuleId } from '../found.js';

/**
 * $1 tenant, $2 findings as JSON. Writes what is new or otherwise, and tells what is new and what came back. What somebody
 * dismissed stays dismissed, unless it got worse or was gone in between.
 */
export const keepFindings = `
  with found as (
    select * from json_to_recordset($2) as t (
      id uuid, rule text, key text, severity text, "fileId" uuid, "entryId" uuid, "serverId" uuid, "connectionId" uuid,
      reason text, evidence jsonb, fix text)
  ), known as (
    select o.id, o.rule, o.key, o.resolved_at is not null as was_gone
    from estate_findings o join found using (rule, key) where o.tenant_id = $1
  ), kept as (
    insert into estate_findings as o (
      tenant_id, id, rule, key, severity, file_id, entry_id, server_id, connection_id, reason, evidence, fix, first_seen, last_seen)
    select $1, id, rule, key, severity, "fileId", "entryId", "serverId", "connectionId", reason, evidence, fix, now(), now()
    from found order by rule, key
    on conflict (tenant_id, rule, key) do update
    set severity = excluded.severity, file_id = excluded.file_id, entry_id = excluded.entry_id,
        server_id = excluded.server_id, connection_id = excluded.connection_id, reason = excluded.reason,
        evidence = excluded.evidence, fix = excluded.fix, last_seen = now(), resolved_at = null,
        dismissed_at = case when o.resolved_at is null and excluded.rank >= o.rank then o.dismissed_at end,
        dismissed_by = case when o.resolved_at is null and excluded.rank >= o.rank then o.dismissed_by end,
        dismissed_reason = case when o.resolved_at is null and excluded.rank >= o.rank then o.dismissed_reason end
    where o.resolved_at is not null
      or (o.severity, o.reason, o.evidence, o.fix, o.server_id, o.connection_id)
         is distinct from (excluded.severity, excluded.reason, excluded.evidence, excluded.fix, excluded.server_id, excluded.connection_id)
    returning o.id, o.rule, o.key, o.file_id, o.server_id
  )
  select kept.id, kept.rule, kept.file_id as "fileId", kept.server_id as "serverId", known.id is not null as "cameBack"
  from kept left join known using (rule, key)
  where known.id is null or known.was_gone`;
export interface News {
  id: string;
  rule: RuleId;
  fileId: string | null;
  serverId: string | null;
  cameBack: boolean;
}

/** $1 tenant, $2 files, $3 rules, $4 and $5 rule and key of what was found: the others are no more. */
export const resolveInFiles = `
  update estate_findings o set resolved_at = now(), last_seen = now()
  where o.tenant_id = $1 and o.file_id = any($2) and o.rule = any($3) and o.resolved_at is null
    and not exists (select from unnest($4::text[], $5::text[]) as f (rule, key) where f.rule = o.rule and f.key = o.key)`;

/** $1 tenant, $2 rules, $3 and $4 rule and key of what was found */
export const resolveOfRules = `
  update estate_findings o set resolved_at = now(), last_seen = now()
  where o.tenant_id = $1 and o.rule = any($2) and o.resolved_at is null
    and not exists (select from unnest($3::text[], $4::text[]) as f (rule, key) where f.rule = o.rule and f.key = o.key)`;
