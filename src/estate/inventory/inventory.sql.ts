import { statement } from '../../platform/database/statement.js';
import type { FileScope, FileStatus, Transport } from '../configuration-file.js';
import type { SourceKind } from '../enums.js';
import type {
  EntryRow,
  FileRow,
  InventoryCounts,
  InventoryServer,
  InventoryVersion,
  SourceRow,
} from './inventory-rows.js';

/** Columns with the property names of the entities. */
const file = `
  f.tenant_id as "tenantId", f.id, f.source_id as "sourceId", f.connection_id as "connectionId", f.client, f.kind, f.scope, f.path,
  f.owner_email as "ownerEmail", f.status, f.digest, f.size, f.modified_at as "modifiedAt", f.problems, f.oddities,
  f.entry_count as "entryCount", f.version, f.first_seen as "firstSeen", f.last_seen as "lastSeen", f.changed_at as "changedAt",
  f.gone_at as "goneAt", p.id as "personId", p.name as "personName", p.pseudonym, p.pseudonym_id as "pseudonymId",
  p.group_id as "groupId"`;
// the current owner: an alias also applies to files found before it was added
const ownerOf = (row: 'f' | 's') => `
  left join spend_aliases a on a.tenant_id = ${row}.tenant_id and a.kind = 'email' and a.vendor = '' and a.key = ${row}.owner_email
  left join spend_people p on p.tenant_id = a.tenant_id and p.id = a.person_id`;
/** Removes home folders, whose names identify people. */
const maskedPath = `regexp_replace(f.path, '(^|/)(home|Users)/[^/]+', '', 'gi')`;
const source = `
  s.tenant_id as "tenantId", s.id, s.kind, s.name, s.key_id as "keyId", s.device_secret_hash is not null as "hasDeviceSecret",
  s.connection_id as "connectionId", s.platform, s.owner_email as "ownerEmail",
  s.first_seen as "firstSeen", s.last_seen as "lastSeen", s.complete_at as "completeAt", s.next_at as "nextAt",
  s.running_until as "runningUntil", s.failure, s.problems, s.problem_count as "problemCount", p.id as "personId",
  p.name as "personName", p.pseudonym, p.pseudonym_id as "pseudonymId",
  p.group_id as "groupId"`;
const server = `
  v.tenant_id as "tenantId", v.id, v.name, v.transport, v.command, v.package, v.url, v.host, v.first_seen as "firstSeen",
  v.last_seen as "lastSeen", v.gone_at as "goneAt"`;
const entry = `
  e.tenant_id as "tenantId", e.id, e.file_id as "fileId", e.server_id as "serverId", e.name, e.position, e.definition,
  e.definition_hash as "definitionHash", e.transport, e.command, e.args, e.package, e.url, e.url_scheme as "urlScheme", e.host,
  e.auth_kind as "authKind", e.env_names as "envNames", e.header_names as "headerNames", e.env_file as "envFile", e.secrets,
  e.oddities, e.is_disabled as "isDisabled", e.first_seen as "firstSeen", e.last_seen as "lastSeen", e.changed_at as "changedAt",
  e.gone_at as "goneAt"`;

/**
 * `search`: part of the path. `lastId`: of the previous page. `searchesHomeFolders`: the search may match names of
 * people.
 */
export const listFiles = statement<
  [
    tenantId: string,
    sourceId: string | null,
    serverId: string | null,
    connectionId: string | null,
    scope: FileScope | null,
    status: FileStatus | null,
    search: string | null,
    isGone: boolean,
    lastId: string | null,
    limit: number,
    searchesHomeFolders: boolean,
  ],
  FileRow & { total: number }
>(`
  with found as (
    select f.* from estate_files f
    where f.tenant_id = $1 and (f.gone_at is not null) = $8 and ($2::uuid is null or f.source_id = $2)
      and ($4::uuid is null or f.connection_id = $4) and ($5::text is null or f.scope = $5)
      and ($6::text is null or f.status = $6) and ($7::text is null or strpos(lower(case when $11 then f.path else ${maskedPath} end), lower($7)) > 0)
      and ($3::uuid is null or exists (select from estate_entries e
        where e.tenant_id = $1 and e.server_id = $3 and e.file_id = f.id and (e.gone_at is null or $8)))
  )
  select ${file}, (select count(*)::int from found) as total
  from found f ${ownerOf('f')}
  where $9::uuid is null or (f.path, f.id) > (select c.path, c.id from estate_files c where c.tenant_id = $1 and c.id = $9)
  order by f.path, f.id limit $10`);

export const filesById = statement<[tenantId: string, ids: readonly string[]], FileRow>(
  `select ${file} from estate_files f ${ownerOf('f')} where f.tenant_id = $1 and f.id = any($2::uuid[])`,
);

export const entriesOfFiles = statement<[tenantId: string, fileIds: readonly string[]], EntryRow>(`
  select ${entry} from estate_entries e
  where e.tenant_id = $1 and e.file_id = any($2::uuid[]) and e.gone_at is null order by e.position, e.id`);

/** One page per server. `lastIds`: of the previous pages. */
export const entriesOfServers = statement<
  [tenantId: string, serverIds: readonly string[], limits: readonly number[], lastIds: readonly (string | null)[]],
  EntryRow & { nth: number; total: number }
>(`
  select asked.nth::int, total.total, e.*
  from unnest($2::uuid[], $3::int[], $4::uuid[]) with ordinality asked(server, most, after, nth)
  cross join lateral (
    select count(*)::int as total from estate_entries c
    where c.tenant_id = $1 and c.server_id = asked.server and c.gone_at is null
  ) total
  cross join lateral (
    select ${entry} from estate_entries e
    where e.tenant_id = $1 and e.server_id = asked.server and e.gone_at is null and (asked.after is null or e.id > asked.after)
    order by e.id limit asked.most
  ) e
  order by asked.nth, e.id`);

export const versionsOfFiles = statement<
  [tenantId: string, fileIds: readonly string[], limitPerFile: number],
  InventoryVersion
>(`
  select v.* from unnest($2::uuid[]) asked(id)
  cross join lateral (
    select tenant_id as "tenantId", file_id as "fileId", number, seen_at as "seenAt", is_gone as "isGone", status, problems, entries
    from estate_versions where tenant_id = $1 and file_id = asked.id order by number desc limit $3
  ) v
  order by v."fileId", v.number desc`);

/** Aggregates over the current entries of a server. */
const serverSpread = `
  cross join lateral (
    select count(distinct e.file_id)::int as "fileCount", count(distinct f.source_id)::int as "sourceCount",
           count(distinct f.owner_email)::int as "ownerCount", coalesce(array_agg(distinct e.name), '{}') as names,
           coalesce(array_agg(distinct coalesce(e.package ->> 'versionSpec', '')) filter (where e.package is not null), '{}')
             as "versionSpecs",
           count(distinct e.definition_hash)::int as "definitionCount"
    from estate_entries e join estate_files f on f.tenant_id = e.tenant_id and f.id = e.file_id
    where e.tenant_id = v.tenant_id and e.server_id = v.id and e.gone_at is null
  ) spread`;

/**
 * `search`: part of a name, a package, a command or a host. `lastName` and `lastId`: of the last row of the previous
 * page.
 */
export const listServers = statement<
  [
    tenantId: string,
    transport: Transport | null,
    search: string | null,
    isGone: boolean,
    lastName: string | null,
    lastId: string | null,
    limit: number,
  ],
  InventoryServer & { place: string; total: number }
>(`
  with found as (
    select * from estate_servers v
    where v.tenant_id = $1 and (v.gone_at is not null) = $4 and ($2::text is null or v.transport = $2)
      and ($3::text is null
        or strpos(lower(concat_ws(' ', v.name, v.command, v.host, v.package ->> 'name')), lower($3)) > 0)
  ), shown as (
    select * from found v
    where $5::text is null or (lower(v.name), v.id) > ($5, $6::uuid)
    order by lower(v.name), v.id limit $7
  )
  select ${server}, spread.*, lower(v.name) as place, (select count(*)::int from found) as total
  from shown v ${serverSpread}
  order by lower(v.name), v.id`);

export const serversById = statement<[tenantId: string, ids: readonly string[]], InventoryServer>(`
  select ${server}, spread.* from estate_servers v ${serverSpread} where v.tenant_id = $1 and v.id = any($2::uuid[])`);

/** `lastId`: of the previous page. */
export const listSources = statement<
  [tenantId: string, kind: SourceKind | null, notSeenSince: Date | null, lastId: string | null, limit: number],
  SourceRow & { total: number }
>(`
  with found as (
    select * from estate_sources s
    where s.tenant_id = $1 and ($2::text is null or s.kind = $2)
      and ($3::timestamptz is null or coalesce(s.last_seen, s.first_seen) < $3)
  )
  select ${source}, (select count(*)::int from found) as total,
         (select count(*)::int from estate_files f where f.tenant_id = $1 and f.source_id = s.id and f.gone_at is null) as "fileCount"
  from found s ${ownerOf('s')}
  where $4::uuid is null
    or (lower(s.name), s.id) > (select lower(c.name), c.id from estate_sources c where c.tenant_id = $1 and c.id = $4)
  order by lower(s.name), s.id limit $5`);

export const sourcesById = statement<[tenantId: string, ids: readonly string[]], SourceRow>(`
  select ${source},
         (select count(*)::int from estate_files f where f.tenant_id = $1 and f.source_id = s.id and f.gone_at is null) as "fileCount"
  from estate_sources s ${ownerOf('s')} where s.tenant_id = $1 and s.id = any($2::uuid[])`);

export const countInventory = statement<[tenantId: string], InventoryCounts>(`
  select
    (select count(*)::int from estate_sources where tenant_id = $1 and kind = 'device') as devices,
    (select count(*)::int from estate_sources where tenant_id = $1 and kind = 'folder' and next_at is not null) as folders,
    (select count(*)::int from estate_files where tenant_id = $1 and gone_at is null) as files,
    (select count(*)::int from estate_servers where tenant_id = $1 and gone_at is null) as servers`);

/** No row: the source is not a connected folder. */
export const scheduleScanNow = statement<[tenantId: string, sourceId: string], { id: string }>(`
  update estate_sources set next_at = now() where tenant_id = $1 and id = $2 and kind = 'folder' and next_at is not null returning id`);

/**
 * No row: not quarantined. Parser version 0 is older than any parser, so the next upload or scan reads the file again.
 */
export const releaseFile = statement<[tenantId: string, id: string], { digest: string }>(`
  update estate_files
  set status = 'unreadable', parser = 0, problems = '[{"place": "", "reason": "is read again with the next upload or scan"}]'
  where tenant_id = $1 and id = $2 and status = 'quarantined'
  returning digest`);
