import type { EntityManager } from 'typeorm';
import type { OwnConnection } from '../../../platform/database/own-connections.service.js';
import type { Day, UsageRow, VendorIdentity } from '../../usage-row.js';
import { sameIdentity } from '../../vendor-identity.js';
import { hold, type Lease } from '../feeds/lease.js';
import {
  addIdentities,
  addModels,
  findIdentities,
  findModels,
  type KnownIdentity,
  nameIdentities,
  noteVersions,
} from './identities.sql.js';

/** So that it stays small, however many people there are. */
const mostKept = 150_000;
const atOnce = 5000;

/** Numbers of those whom a vendor names, and of its models: looked up, or given, a page at a time. */
export class IdentityBook {
  private readonly known = new Map<string, KnownIdentity>();
  private readonly models = new Map<string, number>();
  private hasNewcomers = false;

  constructor(
    private readonly connection: OwnConnection,
    private readonly lease: Lease,
  ) {}

  /** One number for each, in their order. */
  async numbers(identities: readonly VendorIdentity[]): Promise<number[]> {
    if (this.known.size > mostKept) this.known.clear();
    const missing = new Map<string, VendorIdentity>();
    const renamed = new Map<number, VendorIdentity>();
    for (const identity of identities) {
      const name = sameIdentity(identity);
      const known = this.known.get(name);
      if (!known) missing.set(name, identity);
      else if (saysMore(identity, known)) renamed.set(known.id, identity);
    }
    for (const some of inParts([...missing.values()])) await this.write((tx) => this.learn(tx, some));
    for (const some of inParts([...renamed])) await this.write((tx) => this.rename(tx, some));
    return identities.map((identity) => this.known.get(sameIdentity(identity))!.id);
  }

  /** With which version of the client somebody was last seen. Only of those who have a number. */
  async noteVersions(rows: readonly UsageRow[]): Promise<void> {
    const newer = new Map<KnownIdentity, { version: string; day: Day }>();
    for (const { identity, clientVersion: version, day } of rows) {
      if (!version) continue;
      const known = this.known.get(sameIdentity(identity))!;
      const { clientVersion, clientVersionDay } = known;
      if (clientVersionDay && (clientVersionDay > day || (clientVersionDay === day && clientVersion === version)))
        continue;
      newer.set(known, { version, day });
      Object.assign(known, { clientVersion: version, clientVersionDay: day });
    }
    for (const some of inParts([...newer]))
      await this.write((tx) =>
        tx.query(noteVersions, [
          this.tenantId,
          some.map(([{ id }]) => id),
          some.map(([, { version }]) => version),
          some.map(([, { day }]) => day),
        ]),
      );
  }

  /** Whether somebody appeared since the last time this was asked. */
  takeNewcomers(): boolean {
    const { hasNewcomers } = this;
    this.hasNewcomers = false;
    return hasNewcomers;
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

  private async learn(tx: EntityManager, identities: VendorIdentity[]): Promise<void> {
    await this.look(tx, identities);
    const unknown = identities.filter((identity) => !this.known.has(sameIdentity(identity)));
    if (unknown.length) {
      const named = unknown.map(({ email, vendorUserId, name }) => ({ email, vendorUserId, name }));
      await tx.query(addIdentities, [
        this.tenantId,
        this.lease.connectionId,
        unknown.map(({ kind }) => kind),
        unknown.map(({ key }) => key),
        ...columns(named),
      ]);
      await this.look(tx, unknown);
      this.hasNewcomers = true;
    }
    const renamed = identities.flatMap((identity): [number, VendorIdentity][] => {
      const known = this.known.get(sameIdentity(identity))!;
      return saysMore(identity, known) ? [[known.id, identity]] : [];
    });
    if (renamed.length) await this.rename(tx, renamed);
  }

  private async look(tx: EntityManager, identities: VendorIdentity[]): Promise<void> {
    const found = await tx.query<KnownIdentity[]>(findIdentities, [
      this.tenantId,
      this.lease.connectionId,
      identities.map(({ kind }) => kind),
      identities.map(({ key }) => key),
    ]);
    for (const known of found) this.known.set(`${known.kind}:${known.key}`, known);
  }

  private async rename(tx: EntityManager, renamed: [number, VendorIdentity][]): Promise<void> {
    const said = renamed.map(([, { email, vendorUserId, name }]) => ({ email, vendorUserId, name }));
    await tx.query(nameIdentities, [this.tenantId, renamed.map(([id]) => id), ...columns(said)]);
    for (const [, identity] of renamed) {
      const known = this.known.get(sameIdentity(identity))!;
      known.email ??= identity.email ?? null;
      known.vendorUserId ??= identity.vendorUserId ?? null;
      known.name ??= identity.name ?? null;
    }
  }

  private write(work: (tx: EntityManager) => Promise<unknown>): Promise<void> {
    return this.connection.tenant(this.lease.principal, async (tx) => {
      await hold(tx, this.lease);
      await work(tx);
    });
  }

  private get tenantId(): string {
    return this.lease.principal.tenantId;
  }
}

type Named = Pick<VendorIdentity, 'email' | 'vendorUserId' | 'name'>;

const columns = (named: Named[]) => [
  named.map(({ email }) => email ?? null),
  named.map(({ vendorUserId }) => vendorUserId ?? null),
  named.map(({ name }) => name ?? null),
];

/** Interfaces of one vendor may name somebody differently; what was said first stays, so that pulls do not write in turns. */
const saysMore = (said: Named, known: KnownIdentity): boolean =>
  (known.email === null && said.email !== undefined) ||
  (known.vendorUserId === null && said.vendorUserId !== undefined) ||
  (known.name === null && said.name !== undefined);

function* inParts<T>(all: T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += atOnce) yield all.slice(at, at + atOnce);
}
