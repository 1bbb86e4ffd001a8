import { statement } from '../../../platform/database/statement.js';
import type { RuleId } from '../rule.js';

/** A stored finding, open or resolved. Compared in the process, because the database would compare all pairs. */
export interface StoredFinding {
  id: string;
  rule: RuleId;
  key: string;
  isResolved: boolean;
}
const selectStoredFindings = `select id, rule, key, resolved_at is not null as "isResolved" from estate_findings`;

export const storedFindingsInFiles = statement<
  [tenantId: string, fileIds: readonly string[], rules: readonly RuleId[]],
  StoredFinding
>(`${selectStoredFindings} where tenant_id = $1 and file_id = any($2) and rule = any($3)`);

export const storedFindingsOfRules = statement<[tenantId: string, rules: readonly RuleId[]], StoredFinding>(
  `${selectStoredFindings} where tenant_id = $1 and rule = any($2)`,
);

export const resolveFindings = statement<[tenantId: string, ids: readonly string[]]>(`
  update estate_findings set resolved_at = now(), last_seen = now() where tenant_id = $1 and id = any($2)`);

export interface UpsertedFinding {
  id: string;
  rule: RuleId;
  key: string;
  fileId: string | null;
  serverId: string | null;
}
/**
 * Writes and returns new and changed findings, from JSON. A dismissed finding stays dismissed unless its severity rises
 * or it was resolved in between.
 */
export const upsertFindings = statement<[tenantId: string, findings: string], UpsertedFinding>(`
  insert into estate_findings as o (
    tenant_id, id, rule, key, severity, file_id, entry_id, server_id, connection_id, reason, evidence, fix, first_seen, last_seen)
  select $1, id, rule, key, severity, "fileId", "entryId", "serverId", "connectionId", reason, evidence, fix, now(), now()
  from json_to_recordset($2) as t (
    id uuid, rule text, key text, severity text, "fileId" uuid, "entryId" uuid, "serverId" uuid, "connectionId" uuid,
    reason text, evidence jsonb, fix text)
  on conflict (tenant_id, rule, key) do update
  set severity = excluded.severity, file_id = excluded.file_id, entry_id = excluded.entry_id,
      server_id = excluded.server_id, connection_id = excluded.connection_id, reason = excluded.reason,
      evidence = excluded.evidence, fix = excluded.fix, last_seen = now(), resolved_at = null,
      dismissed_at = case when o.resolved_at is null and excluded.rank >= o.rank then o.dismissed_at end,
      dismissed_by = case when o.resolved_at is null and excluded.rank >= o.rank then o.dismissed_by end,
      dismissed_reason = case when o.resolved_at is null and excluded.rank >= o.rank then o.dismissed_reason end
  where o.resolved_at is not null
    or (o.severity, o.reason, o.evidence, o.fix, o.server_id, o.connection_id) is distinct from
       (excluded.severity, excluded.reason, excluded.evidence, excluded.fix, excluded.server_id, excluded.connection_id)
  returning id, rule, key, file_id as "fileId", server_id as "serverId"`);
