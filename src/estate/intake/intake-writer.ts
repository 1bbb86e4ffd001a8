import { derivedId, newId } from '../../platform/crypto/ids.js';
import type { Tx } from '../../platform/database/tx.js';
import type { VersionEntry } from '../version-entry.js';
import type { ParsedEntry, ParsedFile, ParseProblem } from '../configuration-file.js';
import { parserVersion } from '../parsing/parse.js';
import {
  markEntriesGone,
  markFilesGone,
  type MissingFile,
  deleteOldVersions,
  findInventory,
  lockServers,
  serversByIdentity,
  markServersGone,
  serversOfFiles,
  markServersSeen,
  touchEntries,
  touchFiles,
  upsertEntries,
  upsertFiles,
  insertServers,
  insertVersions,
} from './intake.sql.js';
import type { RecognizedFile } from './recognize-file.js';

export interface FileVersion extends RecognizedFile {
  parsed: ParsedFile;
  version: number;
  /** The content changed, or the file reappeared. */
  isNewVersion: boolean;
}
interface Version {
  fileId: string;
  number: number;
  isGone: boolean;
  status: string;
  digest: string;
  problems: ParseProblem[];
  entries: VersionEntry[];
}

const maxStoredVersions = 100;

/** Writes the rows of one intake in bulk. */
export class IntakeWriter {
  private readonly now = new Date();

  constructor(
    private readonly tx: Tx,
    private readonly tenantId: string,
    private readonly sourceId: string,
  ) {}

  async touch(files: readonly RecognizedFile[]): Promise<void> {
    if (!files.length) return;
    await this.tx.execute(touchFiles, [this.tenantId, JSON.stringify(await this.withPlacement(files)), this.now]);
    await this.tx.execute(touchEntries, [this.tenantId, idsOf(files), this.now]);
  }

  async store(files: readonly FileVersion[]): Promise<void> {
    if (!files.length) return;
    const placed = await this.withPlacement(files);
    const rows = files.map((file, index) => ({ ...fileRowOf(file), ...placed[index], sourceId: this.sourceId }));
    await this.tx.execute(upsertFiles, [this.tenantId, JSON.stringify(rows), this.now]);
    const before = await this.tx.run(serversOfFiles, [this.tenantId, idsOf(files)]);
    const servers = await this.storeServers(files.flatMap(({ parsed }) => parsed.entries));
    await this.storeEntries(files, servers);
    await this.storeVersions(files.filter(({ isNewVersion }) => isNewVersion).map(versionRowOf));
    const present = new Set(servers.values());
    if (present.size) await this.tx.execute(markServersSeen, [this.tenantId, [...present], this.now]);
    await this.retireServers(before.map(({ serverId }) => serverId).filter((id) => !present.has(id)));
  }

  async markMissing(files: readonly MissingFile[]): Promise<void> {
    if (!files.length) return;
    await this.tx.execute(markFilesGone, [this.tenantId, idsOf(files), this.now]);
    const before = await this.tx.run(serversOfFiles, [this.tenantId, idsOf(files)]);
    await this.tx.execute(markEntriesGone, [this.tenantId, idsOf(files), [], this.now]);
    await this.storeVersions(files.map(removalVersionOf));
    await this.retireServers(before.map(({ serverId }) => serverId));
  }

  /** Adds what can change without a change of the file: its owner and its inventory. */
  private async withPlacement(files: readonly RecognizedFile[]) {
    const inventories = new Map<string, string | null>();
    for (const client of new Set(files.map(({ known }) => known.client))) {
      const inventory = await this.tx.one(findInventory, [this.tenantId, client]);
      inventories.set(client, inventory?.id ?? null);
    }
    return files.map(({ id, known, found: { ownerEmail, modifiedAt } }) => ({
      id,
      ownerEmail,
      modifiedAt,
      connectionId: inventories.get(known.client) ?? null,
    }));
  }

  /** Returns the server id of each identity. */
  private async storeServers(entries: readonly ParsedEntry[]): Promise<Map<string, string>> {
    // the first entry of an identity names the server
    const byIdentity = new Map(entries.toReversed().map((entry) => [entry.identity, entry]));
    const rows = [...byIdentity.values()].map(({ identity, name, transport, command, package: from, url, host }) => ({
      ...{ id: newId(), identity, name, transport, command, package: from, url, host },
    }));
    if (rows.length) await this.tx.execute(insertServers, [this.tenantId, JSON.stringify(rows), this.now]);
    const found = await this.tx.run(serversByIdentity, [this.tenantId, [...byIdentity.keys()]]);
    return new Map(found.map(({ id, identity }) => [identity, id]));
  }

  private async storeEntries(files: readonly FileVersion[], servers: ReadonlyMap<string, string>): Promise<void> {
    const rows = files.flatMap(({ id: fileId, parsed }) =>
      parsed.entries.map((entry, position) => ({
        ...entry,
        id: derivedId(fileId, entry.name),
        fileId,
        position,
        serverId: servers.get(entry.identity),
      })),
    );
    if (rows.length) await this.tx.execute(upsertEntries, [this.tenantId, JSON.stringify(rows), this.now]);
    await this.tx.execute(markEntriesGone, [this.tenantId, idsOf(files), idsOf(rows), this.now]);
  }

  private async storeVersions(versions: readonly Version[]): Promise<void> {
    if (!versions.length) return;
    await this.tx.execute(insertVersions, [this.tenantId, JSON.stringify(versions), this.now]);
    const fileIds = versions.filter(({ number }) => number > maxStoredVersions).map(({ fileId }) => fileId);
    if (fileIds.length) await this.tx.execute(deleteOldVersions, [this.tenantId, fileIds, maxStoredVersions]);
  }

  /** `serverIds`: servers that may have lost their last entry. */
  private async retireServers(serverIds: readonly string[]): Promise<void> {
    if (!serverIds.length) return;
    await this.tx.execute(lockServers, [this.tenantId, serverIds]);
    await this.tx.execute(markServersGone, [this.tenantId, serverIds, this.now]);
  }
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

const fileRowOf = ({ path, known, found, digest, parsed, version }: FileVersion) => ({
  path,
  digest,
  version,
  client: known.client,
  kind: known.kind,
  scope: known.scope,
  status: parsed.status,
  parser: parserVersion,
  size: found.size,
  problems: parsed.problems,
  oddities: parsed.oddities,
  entryCount: parsed.entries.length,
});

const versionRowOf = ({ id, version, digest, parsed }: FileVersion): Version => ({
  fileId: id,
  number: version,
  isGone: false,
  status: parsed.status,
  digest,
  problems: parsed.problems,
  entries: parsed.entries.map(({ name, definition, definitionHash, secrets }) => ({
    ...{ name, definition, definitionHash, secrets },
  })),
});

const removalVersionOf = ({ id, version, status, digest }: MissingFile): Version => ({
  fileId: id,
  number: version + 1,
  isGone: true,
  status,
  digest,
  problems: [],
  entries: [],
});
