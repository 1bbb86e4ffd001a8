import type { BulkConnection } from '../../../platform/database/bulk-database.service.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { Day } from '../../../platform/time/day.js';
import type { UsageRow } from '../../usage-row.js';
import { type IdentityKind, type VendorIdentity, identityKey } from '../../../people/vendor-identity.port.js';
import { requireLease, type FeedLease } from '../feeds/feed-lease.js';
import {
  insertIdentities,
  insertModels,
  listStoredIdentities,
  findStoredIdentities,
  findModels,
  type StoredIdentity,
  addIdentityDetails,
  updateClientVersions,
} from './identities.sql.js';

/** Bounds memory independently of the number of people. */
const maxCachedIdentities = 120_000;
const identitiesPerStatement = 5000;
const versionsPerWrite = 25_000;

/** Small on purpose: its strings are interned. */
interface CachedIdentity {
  id: number;
  hasEmail: boolean;
  hasVendorUserId: boolean;
  hasName: boolean;
  version: string | null;
  versionDay: Day | null;
}
/** A seat as the vendor describes it. */
export interface VendorSeat {
  role?: string;
}

/** Maps vendor identities and models to ids. Loads or inserts missing ones a page at a time. */
export class IdentityCache {
  private readonly cached = new Map<string, CachedIdentity>();
  private readonly models = new Map<string, number>();
  /** Versions and days, one string instance for each value. */
  private readonly internedTexts = new Map<string, string>();
  private readonly updated = new Set<CachedIdentity>();
  private hasNew = false;
  /** The cache holds all identities of the connection, so a missing one is new. */
  private isComplete?: boolean;

  constructor(
    private readonly connection: BulkConnection,
    private readonly lease: FeedLease,
  ) {}

  /** Returns one id per identity, in the same order. `seats` belong to the identities at the same positions. */
  async idsOf(identities: readonly VendorIdentity[], seats?: readonly VendorSeat[]): Promise<number[]> {
    const numbers: number[] = [];
    for (let at = 0; at < identities.length; at += identitiesPerStatement) {
      const some = identities.slice(at, at + identitiesPerStatement);
      await this.ensureCached(some, seats?.slice(at, at + identitiesPerStatement));
      for (const identity of some) numbers.push(this.cached.get(identityKey(identity))!.id);
    }
    return numbers;
  }

  /** Records the client version each identity last used. Call `idsOf` for these identities first. */
  async recordVersions(rows: readonly UsageRow[]): Promise<void> {
    for (const { identity, clientVersion: version, day } of rows) {
      const known = version && this.cached.get(identityKey(identity));
      if (!known || (known.versionDay && known.versionDay > day)) continue;
      if (known.versionDay === day && known.version === version) continue;
      known.version = this.intern(version);
      known.versionDay = this.intern(day);
      this.updated.add(known);
    }
    if (this.updated.size >= versionsPerWrite) await this.flushVersions();
  }

  /** Writes many versions at once, because each write scans all identities. */
  async flushVersions(): Promise<void> {
    const updated = [...this.updated];
    this.updated.clear();
    if (!updated.length) return;
    await this.write((tx) =>
      tx.execute(updateClientVersions, [
        this.tenantId,
        updated.map(({ id }) => id),
        updated.map(({ version }) => version),
        updated.map(({ versionDay }) => versionDay),
      ]),
    );
  }

  async modelIdsOf(names: readonly string[]): Promise<number[]> {
    const missing = [...new Set(names)].filter((name) => !this.models.has(name));
    if (missing.length)
      await this.write(async (tx) => {
        await tx.execute(insertModels, [this.tenantId, missing]);
        const found = await tx.run(findModels, [this.tenantId, missing]);
        for (const { id, name } of found) this.models.set(name, id);
      });
    return names.map((name) => this.models.get(name)!);
  }

  /** Whether new identities appeared since the last call. */
  takeHasNew(): boolean {
    const { hasNew } = this;
    this.hasNew = false;
    return hasNew;
  }

  private async ensureCached(identities: readonly VendorIdentity[], seats?: readonly VendorSeat[]): Promise<void> {
    this.isComplete ??= await this.loadAll();
    if (this.cached.size > maxCachedIdentities) this.clear();
    const missing = new Map<string, { identity: VendorIdentity; seat?: VendorSeat }>();
    identities.forEach((identity, at) => {
      const name = identityKey(identity);
      if (!this.cached.has(name)) missing.set(name, { identity, seat: seats?.[at] });
    });
    if (missing.size) await this.write((tx) => this.insertMissing(tx, [...missing.values()]));
    const withNewDetails = identities.filter((identity) =>
      hasNewDetails(identity, this.cached.get(identityKey(identity))!),
    );
    if (withNewDetails.length) await this.write((tx) => this.addDetails(tx, withNewDetails));
  }

  /** Loads all identities at once. Returns false if there are too many. */
  private async loadAll(): Promise<boolean> {
    await this.write(async (tx) => {
      const all = await tx.run(listStoredIdentities, [this.tenantId, this.lease.connectionId, maxCachedIdentities + 1]);
      for (const found of all) this.cache(found, found);
    });
    return this.cached.size <= maxCachedIdentities;
  }

  private clear(): void {
    this.cached.clear();
    this.isComplete = false;
  }

  private async insertMissing(tx: Tx, people: { identity: VendorIdentity; seat?: VendorSeat }[]): Promise<void> {
    const isMissing = ({ identity }: (typeof people)[number]) => !this.cached.has(identityKey(identity));
    if (!this.isComplete)
      await this.loadMissing(
        tx,
        people.map(({ identity }) => identity),
      );
    const unknown = people.filter(isMissing);
    if (!unknown.length) return;
    const added = unknown.map(({ identity }) => identity);
    const inserted = await tx.run(insertIdentities, [
      this.tenantId,
      this.lease.connectionId,
      ...identityKeyColumns(added),
      ...identityDetailColumns(added),
      unknown.map(({ seat }) => Boolean(seat)),
      unknown.map(({ seat }) => seat?.role ?? null),
    ]);
    for (const found of inserted) this.cache(found, found);
    this.hasNew = true;
  }

  private async loadMissing(tx: Tx, identities: VendorIdentity[]): Promise<void> {
    const stored = await tx.run(findStoredIdentities, [
      this.tenantId,
      this.lease.connectionId,
      ...identityKeyColumns(identities),
    ]);
    for (const found of stored) this.cache(identities[found.at - 1], found);
  }

  private cache(identity: Pick<VendorIdentity, 'kind' | 'key'>, found: StoredIdentity): void {
    const { id, hasEmail, hasVendorUserId, hasName, version, versionDay } = found;
    this.cached.set(identityKey(identity), {
      id,
      hasEmail,
      hasVendorUserId,
      hasName,
      version: version && this.intern(version),
      versionDay: versionDay && this.intern(versionDay),
    });
  }

  private async addDetails(tx: Tx, identities: VendorIdentity[]): Promise<void> {
    const known = identities.map((identity) => this.cached.get(identityKey(identity))!);
    await tx.execute(addIdentityDetails, [
      this.tenantId,
      known.map(({ id }) => id),
      ...identityDetailColumns(identities),
    ]);
    known.forEach((one, at) => {
      one.hasEmail ||= identities[at].email !== undefined;
      one.hasVendorUserId ||= identities[at].vendorUserId !== undefined;
      one.hasName ||= identities[at].name !== undefined;
    });
  }

  private write(work: (tx: Tx) => Promise<unknown>): Promise<void> {
    return this.connection.tenant(this.lease.principal, async (tx) => {
      await requireLease(tx, this.lease);
      await work(tx);
    });
  }

  private intern(text: string): string {
    const interned = this.internedTexts.get(text);
    if (interned === undefined) this.internedTexts.set(text, text);
    return interned ?? text;
  }

  private get tenantId(): string {
    return this.lease.principal.tenantId;
  }
}

const identityKeyColumns = (identities: readonly VendorIdentity[]): [kinds: IdentityKind[], keys: string[]] => [
  identities.map(({ kind }) => kind),
  identities.map(({ key }) => key),
];
const identityDetailColumns = (
  identities: readonly VendorIdentity[],
): [emails: (string | null)[], vendorUserIds: (string | null)[], names: (string | null)[]] => [
  identities.map(({ email }) => email ?? null),
  identities.map(({ vendorUserId }) => vendorUserId ?? null),
  identities.map(({ name }) => name ?? null),
];

/**
 * APIs of one vendor may describe an identity differently. The first value stays, so that syncs do not overwrite in
 * turns.
 */
const hasNewDetails = (identity: VendorIdentity, cached: CachedIdentity): boolean =>
  (!cached.hasEmail && identity.email !== undefined) ||
  (!cached.hasVendorUserId && identity.vendorUserId !== undefined) ||
  (!cached.hasName && identity.name !== undefined);
