import { statement } from '../../platform/database/statement.js';
import type { FileStatus, ParseProblem } from '../configuration-file.js';

/* Rows are passed as JSON. */

export interface StoredFile {
  id: string;
  digest: string;
  parser: number;
  version: number;
  status: FileStatus;
  problems: ParseProblem[];
  goneAt: Date | null;
}
const storedFiles = `
  select id, digest, parser, version, status, problems, gone_at as "goneAt" from estate_files
  where tenant_id = $1 and id = any($2::uuid[])`;
export const selectStoredFiles = statement<[tenantId: string, ids: readonly string[]], StoredFile>(storedFiles);
/** The same, with row locks. */
export const lockStoredFiles = statement<[tenantId: string, ids: readonly string[]], StoredFile>(
  `${storedFiles} order by id for update`,
);

/** The connection whose inventory lists the files, if there is exactly one of this kind. */
export const findInventory = statement<[tenantId: string, kind: string], { id: string }>(`
  select min(id::text) as id from connections where tenant_id = $1 and kind = $2 and removed_at is null having count(*) = 1`);

/** Unchanged files: `[{ id, connectionId, ownerEmail, modifiedAt }]`, as JSON. */
export const touchFiles = statement<[tenantId: string, files: string, now: Date]>(`
  update estate_files f
  set last_seen = $3, connection_id = x."connectionId", owner_email = x."ownerEmail", modified_at = x."modifiedAt"
  from jsonb_to_recordset($2::jsonb) as x(id uuid, "connectionId" uuid, "ownerEmail" text, "modifiedAt" timestamptz)
  where f.tenant_id = $1 and f.id = x.id`);
export const touchEntries = statement<[tenantId: string, fileIds: readonly string[], now: Date]>(`
  update estate_entries set last_seen = $3 where tenant_id = $1 and file_id = any($2::uuid[]) and gone_at is null`);

export const upsertFiles = statement<[tenantId: string, rows: string, now: Date]>(`
  insert into estate_files
    (tenant_id, id, source_id, connection_id, client, kind, scope, path, owner_email, status, digest, parser, size, modified_at,
     problems, oddities, entry_count, version, first_seen, last_seen, changed_at)
  select $1, x.id, x."sourceId", x."connectionId", x.client, x.kind, x.scope, x.path, x."ownerEmail", x.status, x.digest, x.parser,
         x.size, x."modifiedAt", x.problems, x.oddities, x."entryCount", x.version, $3, $3, $3
  from jsonb_to_recordset($2::jsonb) as x(
    id uuid, "sourceId" uuid, "connectionId" uuid, client text, kind text, scope text, path text, "ownerEmail" text, status text,
    digest text, parser int, size int, "modifiedAt" timestamptz, problems jsonb, oddities jsonb, "entryCount" int, version int)
  on conflict (tenant_id, id) do update set
    connection_id = excluded.connection_id, scope = excluded.scope, owner_email = excluded.owner_email, status = excluded.status,
    digest = excluded.digest, parser = excluded.parser, size = excluded.size, modified_at = excluded.modified_at,
    problems = excluded.problems, oddities = excluded.oddities, entry_count = excluded.entry_count, last_seen = excluded.last_seen,
    changed_at = case when estate_files.version = excluded.version then estate_files.changed_at else excluded.changed_at end,
    version = excluded.version, gone_at = null`);

/** Inserted in the order of their identities, so that concurrent writers cannot deadlock. */
export const insertServers = statement<[tenantId: string, rows: string, now: Date]>(`
  insert into estate_servers (tenant_id, id, identity, name, transport, command, package, url, host, first_seen, last_seen)
  select $1, x.id, x.identity, x.name, x.transport, x.command, x.package, x.url, x.host, $3, $3
  from jsonb_to_recordset($2::jsonb) as x(
    id uuid, identity text, name text, transport text, command text, package jsonb, url text, host text)
  order by x.identity
  on conflict (tenant_id, identity) do nothing`);
export const serversByIdentity = statement<
  [tenantId: string, identities: readonly string[]],
  { id: string; identity: string }
>(`
  select id, identity from estate_servers where tenant_id = $1 and identity = any($2::text[])`);

export const upsertEntries = statement<[tenantId: string, rows: string, now: Date]>(`
  insert into estate_entries
    (tenant_id, id, file_id, server_id, name, position, definition, definition_hash, transport, command, args, package, url,
     url_scheme, host, auth_kind, env_names, header_names, env_file, secrets, oddities, is_disabled, first_seen, last_seen, changed_at)
  select $1, x.id, x."fileId", x."serverId", x.name, x.position, x.definition, x."definitionHash", x.transport, x.command, x.args,
         x.package, x.url, x."urlScheme", x.host, x."authKind", array(select jsonb_array_elements_text(x."envNames")),
         array(select jsonb_array_elements_text(x."headerNames")), x."envFile", x.secrets, x.oddities, x."isDisabled", $3, $3, $3
  from jsonb_to_recordset($2::jsonb) as x(
    id uuid, "fileId" uuid, "serverId" uuid, name text, position int, definition jsonb, "definitionHash" text, transport text,
    command text, args jsonb, package jsonb, url text, "urlScheme" text, host text, "authKind" text, "envNames" jsonb,
    "headerNames" jsonb, "envFile" text, secrets jsonb, oddities jsonb, "isDisabled" boolean)
  on conflict (tenant_id, id) do update set
    server_id = excluded.server_id, position = excluded.position, definition = excluded.definition,
    definition_hash = excluded.definition_hash, transport = excluded.transport, command = excluded.command, args = excluded.args,
    package = excluded.package, url = excluded.url, url_scheme = excluded.url_scheme, host = excluded.host,
    auth_kind = excluded.auth_kind, env_names = excluded.env_names, header_names = excluded.header_names,
    env_file = excluded.env_file, secrets = excluded.secrets, oddities = excluded.oddities, is_disabled = excluded.is_disabled,
    last_seen = excluded.last_seen, gone_at = null,
    changed_at = case
      when (estate_entries.definition, estate_entries.secrets, estate_entries.is_disabled)
        is distinct from (excluded.definition, excluded.secrets, excluded.is_disabled)
      then excluded.changed_at else estate_entries.changed_at end`);

export const markEntriesGone = statement<
  [tenantId: string, fileIds: readonly string[], presentIds: readonly string[], now: Date]
>(`
  update estate_entries set gone_at = $4
  where tenant_id = $1 and file_id = any($2::uuid[]) and gone_at is null and not id = any($3::uuid[])`);
/** The servers of their current entries, before these are rewritten. */
export const serversOfFiles = statement<[tenantId: string, fileIds: readonly string[]], { serverId: string }>(`
  select distinct server_id as "serverId" from estate_entries where tenant_id = $1 and file_id = any($2::uuid[]) and gone_at is null`);

/** Run after their entries are written; updates at most hourly, because all devices share these rows. */
export const markServersSeen = statement<[tenantId: string, ids: readonly string[], now: Date]>(`
  update estate_servers set gone_at = null, last_seen = $3
  where tenant_id = $1 and id in (
    select id from estate_servers
    where tenant_id = $1 and id = any($2::uuid[]) and (gone_at is not null or last_seen < $3::timestamptz - interval '1 hour')
    order by id for no key update)`);
/**
 * Waits for transactions that write their entries, so that the next statement sees these entries.
 */
export const lockServers = statement<[tenantId: string, ids: readonly string[]], { id: string }>(`
  select id from estate_servers where tenant_id = $1 and id = any($2::uuid[]) order by id for update`);
/** Those that have lost their last entry. */
export const markServersGone = statement<[tenantId: string, ids: readonly string[], now: Date]>(`
  update estate_servers s set gone_at = $3
  where s.tenant_id = $1 and s.id = any($2::uuid[]) and s.gone_at is null
    and not exists (select from estate_entries e where e.tenant_id = $1 and e.server_id = s.id and e.gone_at is null)`);

export const insertVersions = statement<[tenantId: string, rows: string, now: Date]>(`
  insert into estate_versions (tenant_id, file_id, number, seen_at, is_gone, status, digest, problems, entries)
  select $1, x."fileId", x.number, $3, x."isGone", x.status, x.digest, x.problems, x.entries
  from jsonb_to_recordset($2::jsonb) as x(
    "fileId" uuid, number int, "isGone" boolean, status text, digest text, problems jsonb, entries jsonb)
  on conflict do nothing`);
export const deleteOldVersions = statement<[tenantId: string, fileIds: readonly string[], storedPerFile: number]>(`
  delete from estate_versions v using estate_files f
  where v.tenant_id = $1 and f.tenant_id = $1 and f.id = v.file_id and f.id = any($2::uuid[]) and v.number <= f.version - $3`);

export interface MissingFile {
  id: string;
  version: number;
  status: FileStatus;
  digest: string;
}
/** `unreadableFolders`: path prefixes. */
export const lockMissingFiles = statement<
  [tenantId: string, sourceId: string, presentIds: readonly string[], unreadableFolders: readonly string[]],
  MissingFile
>(`
  select id, version, status, digest from estate_files f
  where tenant_id = $1 and source_id = $2 and gone_at is null and not id = any($3::uuid[])
    and not exists (select from unnest($4::text[]) closed where starts_with(f.path, closed))
  order by id for update`);
export const markFilesGone = statement<[tenantId: string, ids: readonly string[], now: Date]>(`
  update estate_files set gone_at = $3, version = version + 1, changed_at = $3 where tenant_id = $1 and id = any($2::uuid[])`);
