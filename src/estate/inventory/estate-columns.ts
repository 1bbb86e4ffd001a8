import type { CsvColumn } from '../../platform/http/csv.js';
import type { ApprovedKind } from '../findings/approved/approved-list.js';
import type { InventoryEntry, InventoryFile, InventorySource } from './inventory-rows.js';

/** A file, or a server that it declares. */
export interface EstateExportRow {
  file: InventoryFile;
  source: InventorySource | null;
  /** Null for the row of the file. */
  entry: InventoryEntry | null;
  approvedBy: ApprovedKind | null;
}

/** `estate.csv`. Never reuse a column name with another meaning. */
export const estateColumns: readonly CsvColumn<EstateExportRow>[] = [
  { name: 'resource_kind', text: ({ file, entry }) => (entry ? 'mcp_server_deployment' : file.kind) },
  { name: 'resource_id', text: ({ file, entry }) => (entry ?? file).id },
  { name: 'source_kind', text: ({ source }) => source && source.kind },
  { name: 'source', text: ({ source }) => source && source.name },
  { name: 'owner', text: ({ file }) => file.owner && file.owner.name },
  { name: 'owner_email', text: ({ file }) => file.owner && file.owner.email },
  { name: 'client', text: ({ file }) => file.client },
  { name: 'scope', text: ({ file }) => file.scope },
  { name: 'path', text: ({ file }) => file.path },
  { name: 'status', text: ({ file }) => file.status },
  { name: 'servers', number: ({ file, entry }) => (entry ? null : file.entryCount) },
  { name: 'server_id', text: ({ entry }) => entry && entry.serverId },
  { name: 'server', text: ({ entry }) => entry && entry.name },
  { name: 'transport', text: ({ entry }) => entry && entry.transport },
  { name: 'command', text: ({ entry }) => entry && entry.command },
  { name: 'package', text: ({ entry }) => entry && entry.package && entry.package.name },
  { name: 'package_version', text: ({ entry }) => entry && entry.package && entry.package.versionSpec },
  { name: 'url', text: ({ entry }) => entry && entry.url },
  { name: 'authentication', text: ({ entry }) => entry && entry.authKind },
  { name: 'disabled', text: ({ entry }) => entry && String(entry.isDisabled) },
  { name: 'approved_by', text: ({ approvedBy }) => approvedBy },
  { name: 'definition_hash', text: ({ entry }) => entry && entry.definitionHash },
  { name: 'first_seen', text: ({ file, entry }) => (entry ?? file).firstSeen.toISOString() },
  { name: 'last_seen', text: ({ file, entry }) => (entry ?? file).lastSeen.toISOString() },
];
