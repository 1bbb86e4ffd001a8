import { statement } from '../platform/database/statement.js';
import type { OfferedToolRow } from './offered-tool.js';
import { connectionColumns, type ToolWithConnectionRow } from './tool-with-connection.js';

const toolColumns = `
  t.tenant_id as "tenantId", t.id, t.connection_id as "connectionId", t.connection_slug as "connectionSlug", t.name,
         t.upstream_name as "upstreamName", t.operation, t.title, t.description, t.input_schema as "inputSchema",
         t.output_schema as "outputSchema", t.annotations, t.effect, t.definition_hash as "definitionHash",
         t.confirmed_hash as "confirmedHash", t.confirmed_at as "confirmedAt", t.seen_at as "seenAt", t.paused_at as "pausedAt",
         c.revision as "connectionRevision", c.paused_at as "connectionPausedAt", c.kind as "connectionKind",
         t.result_rules as "resultRules", c.result_rules as "connectionResultRules"`;

const offeredTools = `
  select ${toolColumns}
  from tools t join connections c on c.tenant_id = t.tenant_id and c.id = t.connection_id
  where t.tenant_id = $1 and t.gone_at is null and c.removed_at is null and t.connection_id = any ($2)`;

/**
 * Fingerprint of the tools of these connections. It differs as soon as a row is added, changed or gone: every change of
 * a row changes its xmin.
 */
export const toolsFingerprintSql = (tenant: string, connections: string): string => `
  (select coalesce(string_agg(concat_ws(' ', n.id, n.xmin, (
            select concat_ws(' ', count(*), bit_xor(uuid_hash_extended(p.id, p.xmin::text::bigint)))
            from tools p where p.tenant_id = ${tenant} and p.connection_id = n.id and p.gone_at is null)), ',' order by n.id), '')
   from ${connections} b(id) join connections n on n.tenant_id = ${tenant} and n.id = b.id
   where n.removed_at is null)`;

/** A row without a tool carries only the fingerprint: the list is empty or unchanged. */
type OfferedToolOrNone = { print: string } & (OfferedToolRow | Record<keyof OfferedToolRow, null>);

/** All tools if the fingerprint differs; always a row with the fingerprint. */
export const listOfferedSince = statement<
  [tenantId: string, connectionIds: readonly string[], knownFingerprint: string | null],
  OfferedToolOrNone
>(
  `
    with print as materialized (select ${toolsFingerprintSql('$1', 'unnest($2::uuid[])')} as print)
    select print.print, o.*
    from print left join (${offeredTools} and (select print from print) is distinct from $3) o on true
    order by o.name`,
  { name: 'tools-list-since' },
);

const connectionSelection = Object.entries(connectionColumns).map(
  ([property, column]) => `c.${column} as "its.${property}"`,
);

/** The tool with its connection and sealed secrets: everything that a call needs. */
export const openTool = statement<[tenantId: string, connectionSlug: string, name: string], ToolWithConnectionRow>(
  `
    select ${toolColumns}, t.definition -> 'server' as server, ${connectionSelection.join(', ')},
           array(select s.name from connection_secrets s
                 where s.tenant_id = c.tenant_id and s.connection_id = c.id order by s.name) as "secretNames",
           array(select s.sealed from connection_secrets s
                 where s.tenant_id = c.tenant_id and s.connection_id = c.id order by s.name) as sealed
    from connections c join tools t on t.tenant_id = c.tenant_id and t.connection_id = c.id
    where c.tenant_id = $1 and c.slug = $2 and c.removed_at is null and t.name = $3 and t.gone_at is null`,
  { name: 'tools-open' },
);

export const markToolsSeen = statement<[tenantId: string, connectionId: string, upstreamNames: string[]]>(`
  update tools set seen_at = now(), gone_at = null
  where tenant_id = $1 and connection_id = $2 and upstream_name = any ($3)`);

export const markToolsGone = statement<[tenantId: string, connectionId: string]>(
  'update tools set gone_at = now() where tenant_id = $1 and connection_id = $2 and gone_at is null',
);
