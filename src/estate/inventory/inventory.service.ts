import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import { Database } from '../../platform/database/database.service.js';
import { decodeCursor, page, type Page, type PageArgs } from '../../platform/graphql/connection.js';
import { Queue } from '../../platform/queue/queue.service.js';
import type { Principal } from '../../principal/principal.js';
import { Sight } from '../../spend/people/sight.service.js';
import { scanJob, scanKey } from '../folders/folder-scans.service.js';
import { Intake } from '../intake/intake.service.js';
import type { FileScope, FileStatus, Transport } from '../parsed.js';
import type { EstateEntry } from './estate-entry.entity.js';
import type { EstateFile } from './estate-file.entity.js';
import type { EstateServer } from './estate-server.entity.js';
import type { EstateSource } from './estate-source.entity.js';
import type { EstateVersion } from './estate-version.entity.js';
import { estateNotFound, notAFolder } from './inventory.error.js';
import {
  countInventory,
  entriesOfFile,
  entriesOfServer,
  filesById,
  listFiles,
  listServers,
  listSources,
  lookSoon,
  serversById,
  sourcesById,
  versionsOfFile,
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
export interface InventoryCounts {
  devices: number;
  folders: number;
  files: number;
  servers: number;
}

type Listed<T> = T & OwnedRow & { total: number };
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
    return this.database.tenant(principal, async (tx) => {
      const [file] = await this.filesOf(tx, principal, [id]);
      return file ?? missing('file');
    });
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

  /** Entries that a file declares now, with their servers. */
  entriesOfFile(principal: Principal, file: EstateFile): Promise<EstateEntry[]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const entries = await tx.query<EstateEntry[]>(entriesOfFile, [tenantId, file.id]);
      const ids = [...new Set(entries.map(({ serverId }) => serverId))];
      const servers = byId(await tx.query<EstateServer[]>(serversById, [tenantId, ids]));
      return entries.map((entry) => ({ ...entry, file, server: servers.get(entry.serverId)! }));
    });
  }

  /** Wherever a server is declared now, with the files. */
  entriesOfServer(principal: Principal, server: EstateServer, { first, after }: PageArgs): Promise<Page<EstateEntry>> {
    const [last] = after ? decodeCursor(after, ['id']) : [null];
    return this.database.tenant(principal, async (tx) => {
      const values = [principal.tenantId, server.id, last, first + 1];
      const rows = await tx.query<(EstateEntry & { total: number })[]>(entriesOfServer, values);
      const ids = rows.map(({ fileId }) => fileId);
      const files = byId(await this.filesOf(tx, principal, ids));
      const entries = rows.map((entry) => ({ ...entry, server, file: files.get(entry.fileId)! }));
      return page(entries, first, rows[0]?.total ?? 0, ({ id }) => [id]);
    });
  }

  versions(principal: Principal, { id }: EstateFile): Promise<EstateVersion[]> {
    return this.database.tenant(principal, (tx) => tx.query(versionsOfFile, [principal.tenantId, id, mostVersions]));
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

  private async sourceOf(tx: EntityManager, principal: Principal, id: string): Promise<EstateSource> {
    const rows = await tx.query<(EstateSource & OwnedRow)[]>(sourcesById, [principal.tenantId, [id]]);
    const [source] = await this.shownSources(tx, principal, rows);
    return source ?? missing('device or folder');
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
    return rows.map((row) => ({ ...row, owner: owners.ownerOf(row), path: owners.path(row.path, row) }));
  }

  private async shownSources(
    tx: EntityManager,
    principal: Principal,
    rows: readonly (EstateSource & OwnedRow)[],
  ): Promise<EstateSource[]> {
    const owners = await this.owners(tx, principal, rows);
    return rows.map((row) => ({ ...row, owner: owners.ownerOf(row), name: owners.device(row.name, row) }));
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

function missing(what: string): never {
  throw estateNotFound(`There is no such ${what}.`);
}
