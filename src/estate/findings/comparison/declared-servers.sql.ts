import { statement } from '../../../platform/database/statement.js';
import type { Package } from '../../configuration-file.js';

const presentEntries = `
  estate_entries e
  join estate_files f on f.tenant_id = e.tenant_id and f.id = e.file_id and f.gone_at is null
  where e.tenant_id = $1 and e.gone_at is null`;

export interface DefinedServer {
  serverId: string;
  name: string;
  package: Package | null;
  host: string | null;
  urlScheme: string | null;
  definitionHash: string;
  command: string | null;
  identity: string;
  entries: number;
  files: string[];
  connectionId: string | null;
}
/** All definitions of each server, and the files that contain them. */
export const definedServers = statement<[tenantId: string], DefinedServer>(`
  select e.server_id as "serverId", min(s.name) as name, e.package, e.host, e.url_scheme as "urlScheme",
         e.definition_hash as "definitionHash", min(s.command) as command, min(s.identity) as identity,
         count(*)::int as entries, array_agg(distinct e.file_id) as files, min(f.connection_id::text) as "connectionId"
  from estate_servers s
  join estate_entries e on e.tenant_id = s.tenant_id and e.server_id = s.id
  join estate_files f on f.tenant_id = e.tenant_id and f.id = e.file_id and f.gone_at is null
  where s.tenant_id = $1 and e.gone_at is null
  group by e.server_id, e.package, e.host, e.url_scheme, e.definition_hash
  order by e.server_id, e.definition_hash`);

export interface ShadowedEntry {
  entryId: string;
  fileId: string;
  serverId: string;
  connectionId: string | null;
  name: string;
  path: string;
  isSameServer: boolean;
  isOnSameDevice: boolean;
  userPath: string;
  userEntries: number;
}
/**
 * Project entries that have the name of a user's entry but another definition. A project on a device is compared with
 * the user entries of that device; a project in a connected folder with those of all devices, since anyone may open it.
 */
export const shadowedEntries = statement<[tenantId: string], ShadowedEntry>(`
  with present as materialized (
    select e.id, e.name, e.file_id, e.server_id, e.definition_hash, f.scope, f.client, f.path, f.source_id, f.connection_id,
           src.kind
    from estate_entries e
    join estate_files f on f.tenant_id = e.tenant_id and f.id = e.file_id and f.gone_at is null
    join estate_sources src on src.tenant_id = f.tenant_id and src.id = f.source_id
    where e.tenant_id = $1 and e.gone_at is null and f.kind = 'mcp_client_configuration'
  ), projects as (select * from present where scope = 'project'),
  users as materialized (
    select client, name, server_id, definition_hash, source_id, min(path) as path, count(*)::int as entries
    from present where scope = 'user' group by 1, 2, 3, 4, 5
  ), elsewhere as materialized (
    select client, name, server_id, definition_hash, min(path) as path, sum(entries)::int as entries
    from users group by 1, 2, 3, 4
  ), met as (
    select p.id, u.server_id = p.server_id as same, true as here, u.path, u.entries
    from projects p join users u on (u.client, u.name, u.source_id) = (p.client, p.name, p.source_id)
    where u.definition_hash <> p.definition_hash
    union all
    select p.id, u.server_id = p.server_id, false, u.path, u.entries
    from projects p join elsewhere u on (u.client, u.name) = (p.client, p.name)
    where p.kind = 'folder' and u.server_id <> p.server_id
  )
  select p.id as "entryId", p.file_id as "fileId", p.server_id as "serverId", p.connection_id as "connectionId", p.name, p.path,
         bool_and(m.same) as "isSameServer", bool_or(m.here) as "isOnSameDevice", min(m.path) as "userPath",
         sum(m.entries)::int as "userEntries"
  from projects p join met m on m.id = p.id
  group by 1, 2, 3, 4, 5, 6
  order by 1`);

export interface DeclaredName {
  name: string;
  isEverybodys: boolean;
  owners: string[];
}
/** Declared names and their owners. A file without an owner counts for everyone. */
export const declaredNames = statement<[tenantId: string, client: string], DeclaredName>(`
  select e.name, bool_or(f.owner_email is null) as "isEverybodys",
         array_remove(array_agg(distinct f.owner_email), null) as owners
  from ${presentEntries} and f.client = $2
  group by 1`);

/** The owners of known files, and the number of files. */
export const knownFileOwners = statement<
  [tenantId: string, client: string],
  { owners: string[] | null; files: number }
>(`
  select array_remove(array_agg(distinct owner_email), null) as owners, count(*)::int as files
  from estate_files where tenant_id = $1 and client = $2 and gone_at is null`);

export interface DeclaredServer {
  serverId: string;
  name: string;
  names: string[];
  files: number;
  owners: number;
  hasSecrets: boolean;
  since: Date;
}
/** Enabled servers in its files, with their names there. */
export const declaredServers = statement<[tenantId: string, client: string], DeclaredServer>(`
  select e.server_id as "serverId", min(e.name) as name, array_agg(distinct e.name) as names,
         count(distinct e.file_id)::int as files, count(distinct f.owner_email)::int as owners,
         bool_or(jsonb_array_length(e.secrets) > 0) as "hasSecrets",
         min(least(e.first_seen, f.modified_at)) as since
  from ${presentEntries} and f.client = $2 and not e.is_disabled
  group by 1
  order by 1`);
