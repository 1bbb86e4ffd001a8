import { setImmediate } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Config } from '../../platform/config/config.js';
import { SealerDatabaseService } from '../../platform/database/sealer-database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { ParamsOf } from '../../platform/database/statement.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { type AuditHead, eventText, headHash, signedText } from './audit-head.js';
import { AuditSigningKeyService } from './audit-signing-key.service.js';
import { leafHash, MerkleTree, storedLevelStep, type SubtreeRoot } from './merkle-tree.js';
import {
  insertHead,
  insertNodes,
  insertSeals,
  lockSealing,
  setSealingProgress,
  settledEvents,
  type SettledEvent,
  setTree,
  type TreeRow,
  treesToSeal,
  tryLockSealing,
} from './sealer.sql.js';

const sealEveryMs = 1000;
/** Hashing a page blocks the event loop for about 20 ms. */
const pageSize = 1000;
/** A transaction seals at most this many pages, because events that start after it wait for its end. */
const maxPages = 10;
/** A tenant with constant events gets a head this often; otherwise each event gets one within a second. */
const headIntervalMs = 10_000;

interface SealedBatch {
  heads: AuditHead[];
  /** Where the next batch starts. */
  last?: SettledEvent;
  /** Undefined: another process seals. */
  isLast?: boolean;
}

/** Settled events in their order. */
interface SettledPage {
  /** Those that have no position yet. */
  events: SettledEvent[];
  last?: SettledEvent;
  /** The last one of this server. */
  reached?: SettledEvent;
  isLast: boolean;
}

const ignoreRejection = () => undefined;

/**
 * Seals the audit log: gives new events their positions in the tree of their tenant, and signs the heads of the trees.
 * Writers of events never wait for it.
 */
@Injectable()
export class AuditSealerService implements OnApplicationShutdown {
  private sealing?: Promise<void>;
  private isStopping = false;
  /** Events of another server appear in a restore only, and not while this process runs. */
  private hasSealedRestoredEvents = false;

  constructor(
    private readonly database: SealerDatabaseService,
    private readonly config: Config,
    private readonly signingKey: AuditSigningKeyService,
    private readonly log: LogService,
  ) {}

  @Interval(sealEveryMs)
  protected sealPeriodically(): void {
    if (this.config.isWorker && !this.isStopping)
      this.sealing ??= this.sealLogged().finally(() => (this.sealing = undefined));
  }

  /** Seals everything that can be sealed now, and signs a head of this tenant. */
  sealNow(tenantId: string): Promise<void> {
    return this.sealAll(tenantId);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.sealing;
  }

  private async sealLogged(): Promise<void> {
    try {
      await this.sealAll();
    } catch (error) {
      this.log.error({ err: error }, 'audit events could not be sealed; the next attempt follows');
    }
  }

  private async sealAll(headFor?: string): Promise<void> {
    for (let from: SettledEvent | undefined; ;) {
      const { heads, last, isLast } = await this.database.transaction((tx) => this.sealBatch(tx, from, headFor));
      for (const head of heads) this.log.info({ head }, 'audit log sealed');
      if (isLast) this.hasSealedRestoredEvents = true;
      if (isLast !== false) return;
      from = last;
    }
  }

  private async sealBatch(tx: Tx, from?: SettledEvent, headFor?: string): Promise<SealedBatch> {
    if (headFor) await tx.run(lockSealing);
    else if (!(await tx.one(tryLockSealing))!.isAlone) return { heads: [] };
    const trees = new Map<string, TenantTree>();
    // the snapshot of this statement is newer than the lock, so it sees what the sealer before has sealed
    let page = await this.readPage(tx, from);
    await this.openTrees(tx, trees, page, headFor);
    let reached = page.reached;
    let writing: Promise<unknown> = Promise.resolve();
    for (let pages = 1; !page.isLast && pages < maxPages; pages++) {
      // the database writes the page before, and reads the next one, while this one is hashed
      const reading = this.readPage(tx, page.last);
      reading.catch(ignoreRejection);
      await setImmediate();
      const rows = appendAll(page.events, trees);
      page = await reading;
      reached = page.reached ?? reached;
      await writing;
      writing = writeRows(tx, rows);
      writing.catch(ignoreRejection);
      await this.openTrees(tx, trees, page);
    }
    const rows = appendAll(page.events, trees);
    const { isLast, last } = page;
    const opened = [...trees.values()];
    const hasSealed = opened.some(({ isChanged }) => isChanged);
    const treesWithHead = opened.filter((tree) => tree.needsHead(isLast && tree.tenantId === headFor));
    const epoch = treesWithHead.length ? await this.signingKey.findEpoch(tx) : 0;
    const heads = treesWithHead.map((tree) => this.signHead(tree, epoch));
    await writing;
    await tx.commitWith(() =>
      Promise.all([
        writeRows(tx, rows),
        ...heads.map(({ row }) => tx.execute(insertHead, row)),
        ...opened.filter(({ isChanged }) => isChanged).map((tree) => tx.execute(setTree, tree.toRow())),
        ...(hasSealed && reached ? [tx.execute(setSealingProgress, [reached.transactionId, reached.id])] : []),
      ]),
    );
    return { heads: heads.map(({ head }) => head), last, isLast };
  }

  private async readPage(tx: Tx, from?: SettledEvent): Promise<SettledPage> {
    const settled = await tx.run(settledEvents, [
      pageSize,
      !this.hasSealedRestoredEvents,
      from?.transactionId ?? null,
      from?.id ?? null,
    ]);
    return {
      // the last event of the page before is read again, and may not be written yet
      events: settled.filter(({ isSealed, id }) => !isSealed && id !== from?.id),
      last: settled.at(-1),
      reached: settled.findLast(({ isOfThisServer }) => isOfThisServer),
      isLast: settled.length < pageSize,
    };
  }

  /** Adds the trees of the events that are not open yet; with the first page, also those without a current head. */
  private async openTrees(
    tx: Tx,
    trees: Map<string, TenantTree>,
    { events }: SettledPage,
    headFor?: string,
  ): Promise<void> {
    const tenantIds = new Set(events.map((event) => event.tenantId));
    if (headFor) tenantIds.add(headFor);
    const missing = [...tenantIds].filter((tenantId) => !trees.has(tenantId));
    if (!missing.length && trees.size) return;
    for (const row of await tx.run(treesToSeal, [missing]))
      if (!trees.has(row.tenantId)) trees.set(row.tenantId, new TenantTree(row));
    for (const tenantId of missing)
      if (!trees.has(tenantId))
        trees.set(
          tenantId,
          new TenantTree({ tenantId, size: 0, frontier: Buffer.alloc(0), headSize: 0, headHash: null, headAt: null }),
        );
  }

  private signHead(tree: TenantTree, epoch: number): { head: AuditHead; row: ParamsOf<typeof insertHead> } {
    const at = new Date();
    const { tenantId, headHash: previous, merkle } = tree;
    const root = merkle.root();
    const head = {
      tenantId,
      size: merkle.size,
      root: root.toString('hex'),
      previous: previous?.toString('hex') ?? null,
      at: at.toISOString(),
      epoch,
    };
    const signature = this.signingKey.sign(signedText(head));
    tree.recordHead(headHash(head), at);
    return {
      head: { ...head, signature: signature.toString('hex') },
      row: [tenantId, merkle.size, root, previous, at, epoch, signature],
    };
  }
}

/** The rows that events add to their trees. */
interface TreeRows {
  seals: ParamsOf<typeof insertSeals>;
  nodes: ParamsOf<typeof insertNodes>;
}

const writeRows = (tx: Tx, { seals, nodes }: TreeRows): Promise<unknown> =>
  Promise.all([
    ...(seals[0].length ? [tx.execute(insertSeals, seals)] : []),
    ...(nodes[0].length ? [tx.execute(insertNodes, nodes)] : []),
  ]);

function appendAll(events: readonly SettledEvent[], trees: ReadonlyMap<string, TenantTree>): TreeRows {
  const positions: number[] = [];
  const leaves: Buffer[] = [];
  const nodes: (SubtreeRoot & { tenantId: string })[] = [];
  for (const event of events) {
    const { tenantId } = event;
    const tree = trees.get(tenantId)!;
    const leaf = leafHash(eventText(event));
    positions.push(tree.merkle.size);
    leaves.push(leaf);
    for (const root of tree.append(leaf)) if (root.level % storedLevelStep === 0) nodes.push({ tenantId, ...root });
  }
  return {
    seals: [events.map(({ tenantId }) => tenantId), positions, events.map(({ id }) => id), leaves],
    nodes: [
      nodes.map(({ tenantId }) => tenantId),
      nodes.map(({ level }) => level),
      nodes.map(({ position }) => position),
      nodes.map(({ hash }) => hash),
    ],
  };
}

/** The tree of a tenant while a batch is added. */
class TenantTree {
  readonly tenantId: string;
  readonly merkle: MerkleTree;
  headHash: Buffer | null;
  isChanged = false;
  private headSize: number;
  private headAt: Date | null;

  constructor({ tenantId, size, frontier, headSize, headHash, headAt }: TreeRow) {
    this.tenantId = tenantId;
    this.merkle = new MerkleTree(size, frontier);
    this.headSize = headSize;
    this.headHash = headHash;
    this.headAt = headAt;
  }

  append(leaf: Buffer): SubtreeRoot[] {
    this.isChanged = true;
    return this.merkle.append(leaf);
  }

  needsHead(isRequested: boolean): boolean {
    if (this.merkle.size === this.headSize) return false;
    return isRequested || !this.headAt || Date.now() - this.headAt.getTime() >= headIntervalMs;
  }

  recordHead(hash: Buffer, at: Date): void {
    this.isChanged = true;
    this.headSize = this.merkle.size;
    this.headHash = hash;
    this.headAt = at;
  }

  toRow() {
    const { tenantId, merkle, headSize, headHash, headAt } = this;
    return [tenantId, merkle.size, merkle.packFrontier(), headSize, headHash, headAt] as const;
  }
}
