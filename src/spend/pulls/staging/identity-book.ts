import type { EntityManager } from 'typeorm';
import type { OwnConnection } from '../../../platform/database/own-connections.service.js';
import type { Day, UsageRow, VendorIdentity } from '../../usage-row.js';
import { sameIdentity } from '../../vendor-identity.js';
import { hold, type Lease } from '../feeds/lease.js';
import {
  addIdentities,
  addModels,
  allIdentities,
  type AnyIdentity,
  findIdentities,
  findModels,
  type FoundIdentity,
  nameIdentities,
  noteVersions,
} from './identities.sql.js';

/** So that it stays small, however many people there are. */
const mostKept = 120_000;
const atOnce = 5000;
const versionsAtOnce = 25_000;

/** What is kept of each: a few words, no texts of its own. */
interface Known {
  id: number;
  hasEmail: boolean;
  hasVendorUserId: boolean;
  hasName: boolean;
  version: string | null;
  versionDay: Day | null;
}
/** Somebody with a seat, as the vendor describes them. */
export interface Seat {
  role?: string;
}

/** Numbers of those whom a vendor names, and of its models: looked up, or given, a page at a time. */
export class IdentityBook {
  private readonly known = new Map<string, Known>();
  private readonly models = new Map<string, number>();
  /** One text of each version and day, however many people have it. */
  private readonly texts = new Map<string, string>();
  private readonly updated = new Set<Known>();
  private hasNewcomers = false;
  /** All that the connection has are in here: who is not is new. */
  private isComplete?: boolean;

  constructor(
    private readonly connection: OwnConnection,
    private readonly lease: Lease,
  ) {}

  /** One number for each, in their order. `seats`: whoever is new has one of them. */
  async numbers(identities: readonly VendorIdentity[], seats?: readonly Seat[]): Promise<number[]> {
    const numbers: number[] = [];
    for (let at = 0; at < identities.length; at += atOnce) {
      const some = identities.slice(at, at + atOnce);
      await this.acquaint(some, seats?.slice(at, at + atOnce));
      for (const identity of some) numbers.push(this.known.get(sameIdentity(identity))!.id);
    }
    return numbers;
  }

  /** With which version of the client somebody was last seen. Only of those whose number was asked for just now. */
  async noteVersions(rows: readonly UsageRow[]): Promise<void> {
    for (const { identity, clientVersion: version, day } of rows) {
      const known = version && this.known.get(sameIdentity(identity));
      if (!known || (known.versionDay && known.versionDay > day)) continue;
      if (known.versionDay === day && known.version === version) continue;
      known.version = this.one(version);
      known.versionDay = this.one(day);
      this.updated.add(known);
    }
    if (this.updated.size >= versionsAtOnce) await this.writeVersions();
  }

  /** Many together, because each time costs a look at all of them. */
  async writeVersions(): Promise<void> {
    const updated = [...this.updated];
    this.updated.clear();
    if (!updated.length) return;
    await this.write((tx) =>
      tx.query(noteVersions, [
        this.tenantId,
        updated.map(({ id }) => id),
        updated.map(({ version }) => version),
        updated.map(({ versionDay }) => versionDay),
      ]),
    );
  }

  async modelNumbers(names: readonly string[]): Promise<number[]> {
    const missing = [...new Set(names)].filter((name) => !this.models.has(name));
    if (missing.length)
      await this.write(async (tx) => {
        await tx.query(addModels, [this.tenantId, missing]);
        const found = await tx.query<{ id: number; name: string }[]>(findModels, [this.tenantId, missing]);
        for (const { id, name } of found) this.models.set(name, id);
      });
    return names.map((name) => this.models.get(name)!);
  }

  /** Whether somebody appeared since the last time this was asked. */
  takeNewcomers(): boolean {
    const { hasNewcomers } = this;
    this.hasNewcomers = false;
    return hasNewcomers;
  }

  private async acquaint(identities: readonly VendorIdentity[], seats?: readonly Seat[]): Promise<void> {
    this.isComplete ??= await this.readAll();
    if (this.known.size > mostKept) this.forget();
    const missing = new Map<string, { identity: VendorIdentity; seat?: Seat }>();
    identities.forEach((identity, at) => {
      const name = sameIdentity(identity);
      if (!this.known.has(name)) missing.set(name, { identity, seat: seats?.[at] });
    });
    if (missing.size) await this.write((tx) => this.learn(tx, [...missing.values()]));
    const told = identities.filter((identity) => saysMore(identity, this.known.get(sameIdentity(identity))!));
    if (told.length) await this.write((tx) => this.rename(tx, told));
  }

  /** Reads all at once, unless they are too many. */
  private async readAll(): Promise<boolean> {
    await this.write(async (tx) => {
      const all = await tx.query<AnyIdentity[]>(allIdentities, [this.tenantId, this.lease.connectionId, mostKept + 1]);
      for (const found of all) this.keep(found, found);
    });
    return this.known.size <= mostKept;
  }

  private forget(): void {
    this.known.clear();
    this.isComplete = false;
  }

  private async learn(tx: EntityManager, people: { identity: VendorIdentity; seat?: Seat }[]): Promise<void> {
    const isMissing = ({ identity }: (typeof people)[number]) => !this.known.has(sameIdentity(identity));
    if (!this.isComplete)
      await this.look(
        tx,
        people.map(({ identity }) => identity),
      );
    const unknown = people.filter(isMissing);
    if (!unknown.length) return;
    const added = unknown.map(({ identity }) => identity);
    const seats = [unknown.map(({ seat }) => Boolean(seat)), unknown.map(({ seat }) => seat?.role ?? null)];
    const values = [this.tenantId, this.lease.connectionId, ...names(added), ...descriptions(added), ...seats];
    for (const found of await tx.query<AnyIdentity[]>(addIdentities, values)) this.keep(found, found);
    this.hasNewcomers = true;
  }

  private async look(tx: EntityManager, identities: VendorIdentity[]): Promise<void> {
    const values = [this.tenantId, this.lease.connectionId, ...names(identities)];
    for (const found of await tx.query<(FoundIdentity & { at: number })[]>(findIdentities, values))
      this.keep(identities[found.at - 1], found);
  }

  private keep(identity: Pick<VendorIdentity, 'kind' | 'key'>, found: FoundIdentity): void {
    const { id, hasEmail, hasVendorUserId, hasName, version, versionDay } = found;
    this.known.set(sameIdentity(identity), {
      id,
      hasEmail,
      hasVendorUserId,
      hasName,
      version: version && this.one(version),
      versionDay: versionDay && this.one(versionDay),
    });
  }

  private async rename(tx: EntityManager, identities: VendorIdentity[]): Promise<void> {
    const known = identities.map((identity) => this.known.get(sameIdentity(identity))!);
    await tx.query(nameIdentities, [this.tenantId, known.map(({ id }) => id), ...descriptions(identities)]);
    known.forEach((one, at) => {
      one.hasEmail ||= identities[at].email !== undefined;
      one.hasVendorUserId ||= identities[at].vendorUserId !== undefined;
      one.hasName ||= identities[at].name !== undefined;
    });
  }

  private write(work: (tx: EntityManager) => Promise<unknown>): Promise<void> {
    return this.connection.tenant(this.lease.principal, async (tx) => {
      await hold(tx, this.lease);
      await work(tx);
    });
  }

  private one(text: string): string {
    const kept = this.texts.get(text);
    if (kept === undefined) this.texts.set(text, text);
    return kept ?? text;
  }

  private get tenantId(): string {
    return this.lease.principal.tenantId;
  }
}

const names = (identities: readonly VendorIdentity[]) => [
  identities.map(({ kind }) => kind),
  identities.map(({ key }) => key),
];
const descriptions = (identities: readonly VendorIdentity[]) => [
  identities.map(({ email }) => email ?? null),
  identities.map(({ vendorUserId }) => vendorUserId ?? null),
  identities.map(({ name }) => name ?? null),
];

/** Interfaces of one vendor may name somebody differently; what was said first stays, so that pulls do not write in turns. */
const saysMore = (said: VendorIdentity, known: Known): boolean =>
  (!known.hasEmail && said.email !== undefined) ||
  (!known.hasVendorUserId && said.vendorUserId !== undefined) ||
  (!known.hasName && said.name !== undefined);
