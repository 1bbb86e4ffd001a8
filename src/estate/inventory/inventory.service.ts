import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import {
  decodeCursor,
  toPage,
  type Page,
  type PageArgs,
  nestedPageColumns,
  type NestedPage,
  toNestedPages,
} from '../../platform/graphql/connection.js';
import { groupedBy } from '../../platform/graphql/request-loader.js';
import type { Principal } from '../../principal/principal.js';
import { PeopleVisibilityService } from '../../people/people-visibility.service.js';
import type { FileScope, FileStatus, Transport } from '../configuration-file.js';
import { estateNotFound } from './inventory.error.js';
import {
  countInventory,
  entriesOfFiles,
  entriesOfServers,
  filesById,
  listFiles,
  listServers,
  listSources,
  serversById,
  sourcesById,
  versionsOfFiles,
} from './inventory.sql.js';
import type {
  EntryRow,
  FileRow,
  InventoryCounts,
  InventoryEntry,
  InventoryFile,
  InventoryServer,
  InventorySource,
  InventoryVersion,
  SourceRow,
} from './inventory-rows.js';
import { type EstateOwner, type OwnedRow, OwnerVisibility } from '../owner-visibility.js';
import type { SourceKind } from '../enums.js';

export interface FileFilter {
  sourceId?: string | null;
  serverId?: string | null;
  connectionId?: string | null;
  scope?: FileScope | null;
  status?: FileStatus | null;
  search?: string | null;
  isGone?: boolean;
}
export interface ServerFilter {
  transport?: Transport | null;
  search?: string | null;
  isGone?: boolean;
}
export interface SourceFilter {
  kind?: SourceKind | null;
  notSeenSince?: Date | null;
}
export interface ServerEntriesPage extends NestedPage {
  server: InventoryServer;
}
/** `source`: null if it was removed meanwhile. `owner`: null if unknown, or if the caller may not see them. */
export interface FileOrigin {
  source: InventorySource | null;
  owner: EstateOwner | null;
}
const maxListedVersions = 100;

/** Reads the inventory. */
@Injectable()
export class InventoryService {
  constructor(
    private readonly database: DatabaseService,
    private readonly peopleVisibility: PeopleVisibilityService,
  ) {}

  counts(principal: Principal): Promise<InventoryCounts> {
    return this.database.tenant(principal, async (tx) => {
      const [counts] = await tx.run(countInventory, [principal.tenantId]);
      return counts;
    });
  }

  files(principal: Principal, { first, after }: PageArgs, filter: FileFilter = {}): Promise<Page<InventoryFile>> {
    const {
      sourceId = null,
      serverId = null,
      connectionId = null,
      scope = null,
      status = null,
      search = null,
    } = filter;
    // the cursor contains no path, which may identify the owner
    const [last] = after ? decodeCursor(after, ['id']) : [null];
    return this.database.tenant(principal, async (tx) => {
      const findsPeople = principal.permissions.has('estate:manage');
      const rows = await tx.run(listFiles, [
        principal.tenantId,
        sourceId,
        serverId,
        connectionId,
        scope,
        status,
        search,
        filter.isGone ?? false,
        last,
        first + 1,
        findsPeople,
      ]);
      const files = await this.visibleFiles(tx, principal, rows);
      return toPage(files, first, rows[0]?.total ?? 0, ({ id }) => [id]);
    });
  }

  file(principal: Principal, id: string): Promise<InventoryFile> {
    return this.database.tenant(principal, (tx) => this.getFile(tx, principal, id));
  }

  servers(principal: Principal, { first, after }: PageArgs, filter: ServerFilter = {}): Promise<Page<InventoryServer>> {
    const [lastName, lastId] = after ? decodeCursor(after, ['text', 'id']) : [null, null];
    const { transport = null, search = null } = filter;
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(listServers, [
        principal.tenantId,
        transport,
        search,
        filter.isGone ?? false,
        lastName,
        lastId,
        first + 1,
      ]);
      return toPage(rows, first, rows[0]?.total ?? 0, (row) => [row.place, row.id]);
    });
  }

  server(principal: Principal, id: string): Promise<InventoryServer> {
    return this.database.tenant(principal, async (tx) => {
      const server = await tx.one(serversById, [principal.tenantId, [id]]);
      return server ?? notInInventory('server');
    });
  }

  sources(principal: Principal, { first, after }: PageArgs, filter: SourceFilter = {}): Promise<Page<InventorySource>> {
    const { kind = null, notSeenSince = null } = filter;
    const [last] = after ? decodeCursor(after, ['id']) : [null];
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(listSources, [principal.tenantId, kind, notSeenSince, last, first + 1]);
      const sources = await this.visibleSources(tx, principal, rows);
      return toPage(sources, first, rows[0]?.total ?? 0, ({ id }) => [id]);
    });
  }

  source(principal: Principal, id: string): Promise<InventorySource> {
    return this.database.tenant(principal, (tx) => this.getSource(tx, principal, id));
  }

  /** The sources with these ids, in the order of the ids. */
  listSourcesById(principal: Principal, ids: readonly string[]): Promise<InventorySource[]> {
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(sourcesById, [principal.tenantId, ids]);
      const sources = byId(await this.visibleSources(tx, principal, rows));
      return ids.map((id) => sources.get(id) ?? notInInventory('device or folder'));
    });
  }

  /** Where each file is, and whose it is, in the order of the ids; null for a file that does not exist. */
  listOriginsOfFiles(principal: Principal, ids: readonly string[]): Promise<(FileOrigin | null)[]> {
    return this.database.tenant(principal, async (tx) => {
      const files = await tx.run(filesById, [principal.tenantId, ids]);
      const sourceIds = [...new Set(files.map(({ sourceId }) => sourceId))];
      const sources = await tx.run(sourcesById, [principal.tenantId, sourceIds]);
      const owners = await this.ownerVisibility(tx, principal, [...files, ...sources]);
      const fileOf = byId(files);
      const sourceOf = byId(sources.map((row) => visibleSource(owners, row)));
      return ids.map((id) => {
        const file = fileOf.get(id);
        return file ? { source: sourceOf.get(file.sourceId) ?? null, owner: owners.ownerOf(file) } : null;
      });
    });
  }

  /** The current entries of each file with their servers, in the order of the ids. */
  listEntriesOfFiles(principal: Principal, ids: readonly string[]): Promise<InventoryEntry[][]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const place = await this.entryPlacer(tx, principal, ids);
      const entries = await tx.run(entriesOfFiles, [tenantId, ids]);
      const serverIds = [...new Set(entries.map(({ serverId }) => serverId))];
      const servers = byId(await tx.run(serversById, [tenantId, serverIds]));
      const shown = entries.map((entry) => ({ ...place(entry), server: servers.get(entry.serverId)! }));
      return groupedBy(ids, shown, ({ fileId }) => fileId);
    });
  }

  /** The current entries of each server with their files: one page per server, in the order of `pages`. */
  listEntriesOfServers(principal: Principal, pages: readonly ServerEntriesPage[]): Promise<Page<InventoryEntry>[]> {
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(entriesOfServers, [principal.tenantId, ...nestedPageColumns(pages)]);
      const place = await this.entryPlacer(tx, principal, [...new Set(rows.map(({ fileId }) => fileId))]);
      const entries = rows.map((entry) => ({ ...place(entry), server: pages[entry.nth - 1].server }));
      return toNestedPages(pages, entries, ({ id }) => [id]);
    });
  }

  /** The versions of each file, newest first, in the order of the ids. */
  listVersions(principal: Principal, ids: readonly string[]): Promise<InventoryVersion[][]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(filesById, [tenantId, ids]);
      const owners = await this.ownerVisibility(tx, principal, rows);
      const files = byId(rows);
      const versions = await tx.run(versionsOfFiles, [tenantId, ids, maxListedVersions]);
      const shown = versions.map((version) => {
        const { fileId, entries, problems } = version;
        return { ...version, ...owners.mask({ entries, problems }, files.get(fileId)!) };
      });
      return groupedBy(ids, shown, ({ fileId }) => fileId);
    });
  }

  /** For callers that have a transaction. */
  async getSource(tx: Tx, principal: Principal, id: string): Promise<InventorySource> {
    const rows = await tx.run(sourcesById, [principal.tenantId, [id]]);
    const [source] = await this.visibleSources(tx, principal, rows);
    return source ?? notInInventory('device or folder');
  }

  /** For callers that have a transaction. */
  async getFile(tx: Tx, principal: Principal, id: string): Promise<InventoryFile> {
    const rows = await tx.run(filesById, [principal.tenantId, [id]]);
    const [file] = await this.visibleFiles(tx, principal, rows);
    return file ?? notInInventory('file');
  }

  private async visibleFiles(tx: Tx, principal: Principal, rows: readonly FileRow[]): Promise<InventoryFile[]> {
    const owners = await this.ownerVisibility(tx, principal, rows);
    return rows.map((row) => visibleFile(owners, row));
  }

  /** Returns a function that adds its file to an entry, and masks what the caller may not see of the owner. */
  private async entryPlacer(
    tx: Tx,
    principal: Principal,
    fileIds: readonly string[],
  ): Promise<<T extends EntryRow>(entry: T) => T & Pick<InventoryEntry, 'file'>> {
    const rows = await tx.run(filesById, [principal.tenantId, fileIds]);
    const owners = await this.ownerVisibility(tx, principal, rows);
    const files = byId(rows);
    return (entry) => {
      const row = files.get(entry.fileId)!;
      const { definition, args, envFile, oddities } = entry;
      return {
        ...entry,
        ...owners.mask({ definition, args, envFile, oddities }, row),
        file: visibleFile(owners, row),
      };
    };
  }

  private async visibleSources(tx: Tx, principal: Principal, rows: readonly SourceRow[]): Promise<InventorySource[]> {
    const owners = await this.ownerVisibility(tx, principal, rows);
    return rows.map((row) => visibleSource(owners, row));
  }

  /** Records when an analyst reads data about individual people, as reports do. */
  private async ownerVisibility(tx: Tx, principal: Principal, rows: readonly OwnedRow[]): Promise<OwnerVisibility> {
    const owners = new OwnerVisibility(principal, await this.peopleVisibility.resolve(principal, tx));
    const isAnalyst = principal.permissions.has('spend:people');
    if (isAnalyst && rows.some((row) => owners.ownerOf(row)))
      await this.peopleVisibility.recordRead(tx, principal, { report: 'estate' });
    return owners;
  }
}

const byId = <T extends { id: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));

function visibleFile(owners: OwnerVisibility, row: FileRow): InventoryFile {
  const masked = owners.mask({ problems: row.problems, oddities: row.oddities }, row);
  return { ...row, ...masked, owner: owners.ownerOf(row), path: owners.pathOf(row.path, row) };
}

function visibleSource(owners: OwnerVisibility, row: SourceRow): InventorySource {
  const masked = owners.mask({ failure: row.failure, problems: row.problems }, row);
  return { ...row, ...masked, owner: owners.ownerOf(row), name: owners.deviceName(row.name, row) };
}

function notInInventory(what: string): never {
  throw estateNotFound(`The ${what} was not found.`);
}
