import type { EntityManager } from 'typeorm';
import { derivedId, newId } from '../../platform/crypto/ids.js';
import type { KeptEntry } from '../inventory/kept-entry.js';
import type { ParsedEntry, ParsedFile, ParseProblem } from '../parsed.js';
import { parserVersion } from '../parsing/parse.js';
import {
  entriesGone,
  filesGone,
  forgetVersions,
  inventoryOf,
  lockServers,
  serversBy,
  serversGone,
  serversOf,
  serversSeen,
  touchEntries,
  touchFiles,
  writeEntries,
  writeFiles,
  writeServers,
  writeVersions,
} from './intake.sql.js';
import type { Recognized } from './read-file.js';

export interface ReadFile extends Recognized {
  parsed: ParsedFile;
  version: number;
  /** It says something else than before, or is there again. */
  isNews: boolean;
}
export interface MissingFile {
  id: string;
  version: number;
  status: string;
  digest: string;
}
interface Version {
  fileId: string;
  number: number;
  isGone: boolean;
  status: string;
  digest: string;
  problems: ParseProblem[];
  entries: KeptEntry[];
}

const keptVersions = 100;

/** Writes the rows of one intake, many at once. */
export class Writing {
  private readonly now = new Date();

  constructor(
    private readonly tx: EntityManager,
    private readonly tenantId: string,
    private readonly sourceId: string,
  ) {}

  async touch(files: readonly Recognized[]): Promise<void> {
    if (!files.length) return;
    await this.run(touchFiles, JSON.stringify(await this.placed(files)), this.now);
    await this.run(touchEntries, idsOf(files), this.now);
  }

  async write(files: readonly ReadFile[]): Promise<void> {
    if (!files.length) return;
    const placed = await this.placed(files);
    const rows = files.map((file, index) => ({ ...rowOf(file), ...placed[index], sourceId: this.sourceId }));
    await this.run(writeFiles, JSON.stringify(rows), this.now);
    const before = await this.tx.query<{ serverId: string }[]>(serversOf, [this.tenantId, idsOf(files)]);
    const servers = await this.servers(files.flatMap(({ parsed }) => parsed.entries));
    await this.entries(files, servers);
    await this.versions(files.filter(({ isNews }) => isNews).map(versionOf));
    const present = new Set(servers.values());
    if (present.size) await this.run(serversSeen, [...present], this.now);
    await this.retire(before.map(({ serverId }) => serverId).filter((id) => !present.has(id)));
  }

  async withdraw(files: readonly MissingFile[]): Promise<void> {
    if (!files.length) return;
    await this.run(filesGone, idsOf(files), this.now);
    const before = await this.tx.query<{ serverId: string }[]>(serversOf, [this.tenantId, idsOf(files)]);
    await this.run(entriesGone, idsOf(files), [], this.now);
    await this.versions(files.map(goneVersionOf));
    await this.retire(before.map(({ serverId }) => serverId));
  }

  /** With what may change though the file does not: whose it is, and in whose inventory it stands. */
  private async placed(files: readonly Recognized[]) {
    const inventories = new Map<string, string | null>();
    for (const client of new Set(files.map(({ known }) => known.client))) {
      const [inventory] = await this.tx.query<{ id: string }[]>(inventoryOf, [this.tenantId, client]);
      inventories.set(client, inventory?.id ?? null);
    }
    return files.map(({ id, known, found: { ownerEmail, modifiedAt } }) => ({
      id,
      ownerEmail,
      modifiedAt,
      connectionId: inventories.get(known.client) ?? null,
    }));
  }

  /** The row of each identity. */
  private async servers(entries: readonly ParsedEntry[]): Promise<Map<string, string>> {
    // of several in one go the first one names it
    const byIdentity = new Map(entries.toReversed().map((entry) => [entry.identity, entry]));
    const rows = [...byIdentity.values()].map(({ identity, name, transport, command, package: from, url, host }) => ({
      ...{ id: newId(), identity, name, transport, command, package: from, url, host },
    }));
    if (rows.length) await this.run(writeServers, JSON.stringify(rows), this.now);
    const found = await this.tx.query<{ id: string; identity: string }[]>(serversBy, [
      this.tenantId,
      [...byIdentity.keys()],
    ]);
    return new Map(found.map(({ id, identity }) => [identity, id]));
  }

  private async entries(files: readonly ReadFile[], servers: ReadonlyMap<string, string>): Promise<void> {
    const rows = files.flatMap(({ id: fileId, parsed }) =>
      parsed.entries.map((entry, position) => ({
        ...entry,
        id: derivedId(fileId, entry.name),
        fileId,
        position,
        serverId: servers.get(entry.identity),
      })),
    );
    if (rows.length) await this.run(writeEntries, JSON.stringify(rows), this.now);
    await this.run(entriesGone, idsOf(files), idsOf(rows), this.now);
  }

  private async versions(versions: readonly Version[]): Promise<void> {
    if (!versions.length) return;
    await this.run(writeVersions, JSON.stringify(versions), this.now);
    const fileIds = versions.filter(({ number }) => number > keptVersions).map(({ fileId }) => fileId);
    if (fileIds.length) await this.run(forgetVersions, fileIds, keptVersions);
  }

  /** Servers that may have lost their last entry. */
  private async retire(serverIds: readonly string[]): Promise<void> {
    if (!serverIds.length) return;
    await this.run(lockServers, serverIds);
    await this.run(serversGone, serverIds, this.now);
  }

  private run(statement: string, ...values: unknown[]): Promise<unknown> {
    return this.tx.query(statement, [this.tenantId, ...values]);
  }
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

const rowOf = ({ path, known, found, digest, parsed, version }: ReadFile) => ({
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

const versionOf = ({ id, version, digest, parsed }: ReadFile): Version => ({
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

const goneVersionOf = ({ id, version, status, digest }: MissingFile): Version => ({
  fileId: id,
  number: version + 1,
  isGone: true,
  status,
  digest,
  problems: [],
  entries: [],
});
