import { advisoryLock } from '../../../platform/database/advisory-lock.js';
import { statement } from '../../../platform/database/statement.js';
import type { EvaluatedFile } from './evaluate-file.js';

export type PendingFile = EvaluatedFile & { parser: number };
/**
 * Files whose current state was not evaluated yet, with their entries, in one snapshot. `lastId`: the last file of the
 * previous batch.
 */
export const filesToEvaluate = statement<
  [tenantId: string, rulebook: string, lastId: string | null, limit: number],
  PendingFile
>(`
  select f.id, f.path, f.client, f.kind, f.scope, f.owner_email as "ownerEmail", f.status, f.problems, f.oddities,
         f.connection_id as "connectionId", f.version, f.gone_at is not null as "isGone", f.parser,
         coalesce((
           select json_agg(json_build_object(
             'id', e.id, 'serverId', e.server_id, 'name', e.name, 'definition', e.definition,
             'definitionHash', e.definition_hash, 'transport', e.transport, 'command', e.command, 'args', e.args,
             'package', e.package, 'url', e.url, 'urlScheme', e.url_scheme, 'host', e.host, 'authKind', e.auth_kind,
             'envNames', e.env_names, 'headerNames', e.header_names, 'envFile', e.env_file, 'secrets', e.secrets,
             'oddities', e.oddities, 'isDisabled', e.is_disabled,
             'approvedHash', a.definition_hash, 'approvedDefinition', a.definition, 'approvedAt', a.approved_at
           ) order by e.position)
           from estate_entries e
           left join estate_approved_entries a on a.tenant_id = e.tenant_id and a.entry_id = e.id
           where e.tenant_id = f.tenant_id and e.file_id = f.id and e.gone_at is null and f.gone_at is null
         ), '[]') as entries
  from estate_files f
  left join estate_judged j on j.tenant_id = f.tenant_id and j.file_id = f.id
  where f.tenant_id = $1 and ($3::uuid is null or f.id > $3)
    and (j.file_id is null or (j.version, j.parser, j.is_gone, j.rulebook) <> (f.version, f.parser, f.gone_at is not null, $2))
  order by f.id
  limit $4`);

export interface FileRevision {
  id: string;
  version: number;
  parser: number;
  isGone: boolean;
}
/** Those that still need evaluation, with their current revision. */
export const stillToEvaluate = statement<
  [tenantId: string, rulebook: string, fileIds: readonly string[]],
  FileRevision
>(`
  select f.id, f.version, f.parser, f.gone_at is not null as "isGone"
  from estate_files f
  left join estate_judged j on j.tenant_id = f.tenant_id and j.file_id = f.id
  where f.tenant_id = $1 and f.id = any($3::uuid[])
    and (j.file_id is null or (j.version, j.parser, j.is_gone, j.rulebook) <> (f.version, f.parser, f.gone_at is not null, $2))`);

export const markEvaluated = statement<
  [
    tenantId: string,
    rulebook: string,
    fileIds: readonly string[],
    versions: readonly number[],
    areGone: readonly boolean[],
    parsers: readonly number[],
  ]
>(`
  insert into estate_judged as j (tenant_id, file_id, version, is_gone, rulebook, parser, judged_at)
  select $1, file, version, is_gone, $2, parser, now()
  from unnest($3::uuid[], $4::int[], $5::boolean[], $6::int[]) as t (file, version, is_gone, parser)
  on conflict (tenant_id, file_id) do update
  set version = excluded.version, is_gone = excluded.is_gone, rulebook = excluded.rulebook, parser = excluded.parser,
      judged_at = excluded.judged_at`);

/** `entries`: with definitions, as JSON. */
export const upsertApprovedEntries = statement<[tenantId: string, entries: string]>(`
  insert into estate_approved_entries as a (tenant_id, entry_id, definition_hash, definition, approved_at)
  select $1, id, hash, definition, now() from json_to_recordset($2) as t (id uuid, hash text, definition jsonb)
  on conflict (tenant_id, entry_id) do update
  set definition_hash = excluded.definition_hash, definition = excluded.definition, approved_at = excluded.approved_at`);

export const deleteApprovedEntries = statement<[tenantId: string, entryIds: readonly string[]]>(
  `delete from estate_approved_entries where tenant_id = $1 and entry_id = any($2)`,
);

/** Serializes evaluations. */
export const lockEvaluation = advisoryLock<[tenantId: string]>(`hashtext('estate judging'), hashtext($1::text)`);
