import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { Database } from '../../platform/database/database.service.js';
import {
  decodeCursor,
  page,
  type Page,
  type PageArgs,
  pageColumns,
  type PageOfRow,
  pagesOfRows,
} from '../../platform/graphql/connection.js';
import { groupedBy } from '../../platform/graphql/request-loader.js';
import { Queue } from '../../platform/queue/queue.service.js';
import type { Principal } from '../../principal/principal.js';
import { Sight } from '../../spend/people/sight.service.js';
import { scanJob, scanKey } from '../folders/folder-scans.service.js';
import { Intake } from '../intake/intake.service.js';
import { releaseDevice } from '../intake/sources.sql.js';
import type { FileScope, FileStatus, Transport } from '../parsed.js';
import type { EstateEntry } from './estate-entry.entity.js';
import type { EstateFile } from './estate-file.entity.js';
import type { EstateServer } from './estate-server.entity.js';
import type { EstateSource } from './estate-source.entity.js';
import type { EstateVersion } from './estate-version.entity.js';
import { estateNotFound, notAFolder, notQuarantined } from './inventory.error.js';
import {
  countInventory,
  entriesOfFiles,
  entriesOfServers,
  filesById,
  listFiles,
  listServers,
  listSources,
  lookSoon,
  releaseFile,
  serversById,
  sourcesById,
  versionsOfFiles,
} from './inventory.sql.js';
import { type OwnedRow, OwnersSeen } from './owner.js';
import type { SourceKind } from './words.js';

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
export interface PageOfServer extends PageOfRow {
  server: EstateServer;
}
export interface InventoryCounts {
  devices: number;
  folders: number;
  files: number;
  servers: number;
}

type Listed<T> = T & OwnedRow & { total: number };
type EntryOfPage = EstateEntry & { nth: number; total: number };
const mostVersions = 100;

/** What is configured where, as it is shown. */
@Injectable()
export class Inventory {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly queue: Queue,
    private readonly sight: Sight,
    private readonly intake: Intake,
  ) {}

  counts(principal: Principal): Promise<InventoryCounts> {
    return this.database.tenant(principal, async (tx) => {
      const [counts] = await tx.query<InventoryCounts[]>(countInventory, [principal.tenantId]);
      return counts;
    });
  }

  files(principal: Principal, { first, after }: PageArgs, filter: FileFilter = {}): Promise<Page<EstateFile>> {
    const { sourceId = null, serverId = null, connectionId = null, scope = null, status = null } = filter;
    const narrowed = [sourceId, serverId, connectionId, scope, status, filter.search ?? null, filter.isGone ?? false];
    // a position without the path, which may say whose it is
    const [last] = after ? decodeCursor(after, ['id']) : [null];
    return this.database.tenant(principal, async (tx) => {
      const findsPeople = principal.permissions.has('estate:manage');
      const values = [principal.tenantId, ...narrowed, last, first + 1, findsPeople];
      const rows = await tx.query<Listed<EstateFile>[]>(listFiles, values);
      const files = await this.shownFiles(tx, principal, rows);
      return page(files, first, rows[0]?.total ?? 0, ({ id }) => [id]);
    });
  }

  file(principal: Principal, id: string): Promise<EstateFile> {
    return this.database.tenant(principal, (tx) => this.fileOf(tx, principal, id));
  }

  servers(principal: Principal, { first, after }: PageArgs, filter: ServerFilter = {}): Promise<Page<EstateServer>> {
    const place = after ? decodeCursor(after, ['text', 'id']) : [null, null];
    const narrowed = [filter.transport ?? null, filter.search ?? null, filter.isGone ?? false];
    return this.database.tenant(principal, async (tx) => {
      const values = [principal.tenantId, ...narrowed, ...place, first + 1];
      const rows = await tx.query<(EstateServer & { total: number; place: string })[]>(listServers, values);
      return page(rows, first, rows[0]?.total ?? 0, (row) => [row.place, row.id]);
    });
  }

  server(principal: Principal, id: string): Promise<EstateServer> {
    return this.database.tenant(principal, async (tx) => {
      const [server] = await tx.query<EstateServer[]>(serversById, [principal.tenantId, [id]]);
      return server ?? missing('server');
    });
  }

  sources(principal: Principal, { first, after }: PageArgs, filter: SourceFilter = {}): Promise<Page<EstateSource>> {
    const [last] = after ? decodeCursor(after, ['id']) : [null];
    return this.database.tenant(principal, async (tx) => {
      const values = [principal.tenantId, filter.kind ?? null, filter.notSeenSince ?? null, last, first + 1];
      const rows = await tx.query<Listed<EstateSource>[]>(listSources, values);
      const sources = await this.shownSources(tx, principal, rows);
      return page(sources, first, rows[0]?.total ?? 0, ({ id }) => [id]);
    });
  }

  source(principal: Principal, id: string): Promise<EstateSource> {
    return this.database.tenant(principal, (tx) => this.sourceOf(tx, principal, id));
  }

  /** The same, of many, in their order. */
  sourcesOf(principal: Principal, ids: readonly string[]): Promise<EstateSource[]> {
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.query<(EstateSource & OwnedRow)[]>(sourcesById, [principal.tenantId, ids]);
      const sources = byId(await this.shownSources(tx, principal, rows));
      return ids.map((id) => sources.get(id) ?? missing('device or folder'));
    });
  }

  /** Entries that files declare now, with their servers: those of each file, in the order of the files. */
  entriesOfFiles(principal: Principal, ids: readonly string[]): Promise<EstateEntry[][]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const placed = await this.placing(tx, principal, ids);
      const entries = await tx.query<EstateEntry[]>(entriesOfFiles, [tenantId, ids]);
      const serverIds = [...new Set(entries.map(({ serverId }) => serverId))];
      const servers = byId(await tx.query<EstateServer[]>(serversById, [tenantId, serverIds]));
      const shown = entries.map((entry) => ({ ...placed(entry), server: servers.get(entry.serverId)! }));
      return groupedBy(ids, shown, ({ fileId }) => fileId);
    });
  }

  /** Wherever a server is declared now, with the files: a page for each, in their order. */
  entriesOfServers(principal: Principal, pages: readonly PageOfServer[]): Promise<Page<EstateEntry>[]> {
    return this.database.tenant(principal, async (tx) => {
      const values = [principal.tenantId, ...pageColumns(pages)];
      const rows = await tx.query<EntryOfPage[]>(entriesOfServers, values);
      const placed = await this.placing(tx, principal, [...new Set(rows.map(({ fileId }) => fileId))]);
      const entries = rows.map((entry) => ({ ...placed(entry), server: pages[entry.nth - 1].server }));
      return pagesOfRows(pages, entries, ({ id }) => [id]);
    });
  }

  /** What each file said and says, in the order of the ids, the newest first. */
  versionsOf(principal: Principal, ids: readonly string[]): Promise<EstateVersion[][]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.query<(EstateFile & OwnedRow)[]>(filesById, [tenantId, ids]);
      const owners = await this.owners(tx, principal, rows);
      const files = byId(rows);
      const versions = await tx.query<EstateVersion[]>(versionsOfFiles, [tenantId, ids, mostVersions]);
      const shown = versions.map((version) => {
        const { fileId, entries, problems } = version;
        return { ...version, ...owners.told({ entries, problems }, files.get(fileId)!) };
      });
      return groupedBy(ids, shown, ({ fileId }) => fileId);
    });
  }

  /** Looks through a folder now, or right after the look that is going on. */
  look(principal: Principal, id: string): Promise<EstateSource> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const source = await this.sourceOf(tx, principal, id);
      const [[soon]] = await tx.query<[unknown[], number]>(lookSoon, [tenantId, id]);
      if (!soon) throw notAFolder('This is no folder that is connected.');
      await this.queue.add(tx, scanJob, { tenantId, sourceId: id }, { key: scanKey(id), maxAttempts: 1 });
      await this.record(tx, principal, 'estate.scan_requested', source);
      return source;
    });
  }

  /** Releases a file from quarantine: it is read with the next upload of its device, or now where its folder can be scanned. */
  retryFile(principal: Principal, id: string): Promise<EstateFile> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const file = await this.fileOf(tx, principal, id);
      const [[released]] = await tx.query<[{ digest: string }[], number]>(releaseFile, [tenantId, id]);
      if (!released) throw notQuarantined('This file is not quarantined.');
      const source = await this.sourceOf(tx, principal, file.sourceId);
      if (source.kind === 'folder') {
        await tx.query(lookSoon, [tenantId, source.id]);
        const payload = { tenantId, sourceId: source.id };
        await this.queue.add(tx, scanJob, payload, { key: scanKey(source.id), maxAttempts: 1 });
      }
      await this.audit.record(tx, principal, {
        kind: 'estate.file_retried',
        subject: { type: 'estate_file', id, name: file.path },
        detail: { digest: released.digest },
      });
      return this.fileOf(tx, principal, id);
    });
  }

  /** Of a device that is no more: all it had is gone. Should it upload again, it is back. */
  forget(principal: Principal, id: string): Promise<EstateSource> {
    return this.database.tenant(principal, async (tx) => {
      const source = await this.sourceOf(tx, principal, id);
      if (source.kind !== 'device') throw notAFolder('A folder is forgotten by removing its connection.');
      const gone = await this.intake.withdraw(tx, principal, id, []);
      await this.record(tx, principal, 'estate.device_forgotten', source, { gone });
      return this.sourceOf(tx, principal, id);
    });
  }

  /** The next upload binds the device to its key and secret. The inventory stays. */
  async release(principal: Principal, id: string): Promise<EstateSource> {
    const { tenantId } = requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const source = await this.sourceOf(tx, principal, id);
      if (source.kind !== 'device') throw notAFolder('Only a device is bound to a key.');
      await tx.query(releaseDevice, [tenantId, id]);
      await this.record(tx, principal, 'estate.device_released', source, { keyId: source.keyId });
      return this.sourceOf(tx, principal, id);
    });
  }

  private async sourceOf(tx: EntityManager, principal: Principal, id: string): Promise<EstateSource> {
    const rows = await tx.query<(EstateSource & OwnedRow)[]>(sourcesById, [principal.tenantId, [id]]);
    const [source] = await this.shownSources(tx, principal, rows);
    return source ?? missing('device or folder');
  }

  private async fileOf(tx: EntityManager, principal: Principal, id: string): Promise<EstateFile> {
    const [file] = await this.filesOf(tx, principal, [id]);
    return file ?? missing('file');
  }

  private async filesOf(tx: EntityManager, principal: Principal, ids: readonly string[]): Promise<EstateFile[]> {
    const rows = await tx.query<(EstateFile & OwnedRow)[]>(filesById, [principal.tenantId, ids]);
    return this.shownFiles(tx, principal, rows);
  }

  private async shownFiles(
    tx: EntityManager,
    principal: Principal,
    rows: readonly (EstateFile & OwnedRow)[],
  ): Promise<EstateFile[]> {
    const owners = await this.owners(tx, principal, rows);
    return rows.map((row) => shownFile(owners, row));
  }

  /** What puts an entry into its file, and tells of it what may be told of whose that is. */
  private async placing(
    tx: EntityManager,
    principal: Principal,
    fileIds: readonly string[],
  ): Promise<<T extends EstateEntry>(entry: T) => T> {
    const rows = await tx.query<(EstateFile & OwnedRow)[]>(filesById, [principal.tenantId, fileIds]);
    const owners = await this.owners(tx, principal, rows);
    const files = byId(rows);
    return (entry) => {
      const row = files.get(entry.fileId)!;
      const { definition, args, envFile, oddities } = entry;
      return {
        ...entry,
        ...owners.told({ definition, args, envFile, oddities }, row),
        file: shownFile(owners, row),
      };
    };
  }

  private async shownSources(
    tx: EntityManager,
    principal: Principal,
    rows: readonly (EstateSource & OwnedRow)[],
  ): Promise<EstateSource[]> {
    const owners = await this.owners(tx, principal, rows);
    return rows.map((row) => {
      const told = owners.told({ failure: row.failure, problems: row.problems }, row);
      return { ...row, ...told, owner: owners.ownerOf(row), name: owners.device(row.name, row) };
    });
  }

  /** What an analyst reads of single people is recorded, as in reports. */
  private async owners(tx: EntityManager, principal: Principal, rows: readonly OwnedRow[]): Promise<OwnersSeen> {
    const owners = new OwnersSeen(principal, await this.sight.of(principal, tx));
    const isAnalyst = principal.permissions.has('spend:people');
    if (isAnalyst && rows.some((row) => owners.ownerOf(row)))
      await this.sight.recordRead(tx, principal, { report: 'estate' });
    return owners;
  }

  private record(
    tx: EntityManager,
    principal: Principal,
    kind: string,
    { id, name }: EstateSource,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    return this.audit.record(tx, principal, { kind, subject: { type: 'estate_source', id, name }, detail });
  }
}

const byId = <T extends { id: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));

function shownFile(owners: OwnersSeen, row: EstateFile & OwnedRow): EstateFile {
  const told = owners.told({ problems: row.problems, oddities: row.oddities }, row);
  return { ...row, ...told, owner: owners.ownerOf(row), path: owners.path(row.path, row) };
}

function missing(what: string): never {
  throw estateNotFound(`There is no such ${what}.`);
}
