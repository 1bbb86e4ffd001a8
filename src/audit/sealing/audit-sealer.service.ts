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
  settledPageSize,
  setTree,
  type TreeRow,
  treesToSeal,
  tryLockSealing,
} from './sealer.sql.js';

const sealEveryMs = 1000;
/** Per transaction. Events that are recorded during a transaction can only be sealed by the next one. */
const maxPages = 10;
/** Hashed without a break, which blocks the event loop for about 1 ms. */
const eventsPerTurn = 100;
/** A tenant with constant events gets a head this often; otherwise each event gets one within a second. */
const headIntervalMs = 10_000;

interface SealedPages {
  heads: AuditHead[];
  /** Undefined: another process seals. */
  last?: SettledPage;
}

/** A part of the settled events, in their order. */
interface SettledPage {
  settled: readonly SettledEvent[];
  /** Those without a position. */
  unsealed: readonly SettledEvent[];
  isLast: boolean;
}

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
    for (let after: SettledPage | undefined; ;) {
      const { heads, last } = await this.database.transaction((tx) => this.sealPages(tx, after, headFor));
      for (const head of heads) this.log.info({ head }, 'audit log sealed');
      if (last?.isLast) this.hasSealedRestoredEvents = true;
      if (!last || last.isLast) return;
      after = last;
    }
  }

  /** While a page is hashed, the database writes the page before it and reads the next one. */
  private async sealPages(tx: Tx, after?: SettledPage, headFor?: string): Promise<SealedPages> {
    if (headFor) await tx.run(lockSealing);
    else if (!(await tx.one(tryLockSealing))!.isAlone) return { heads: [] };
    const trees = new Map<string, TenantTree>();
    // the snapshot of this statement is newer than the lock, so it sees what the sealer before has sealed
    let page = await this.readPage(tx, after);
    await this.openTrees(tx, trees, page, headFor);
    let reached = page.settled.findLast(isOfThisServer);
    let rows = noRows;
    for (let pages = 1; pages < maxPages && !page.isLast; pages++) {
      [, page, rows] = await Promise.all([
        writeRows(tx, rows),
        this.readPage(tx, page),
        appendAll(page.unsealed, trees),
      ]);
      reached = page.settled.findLast(isOfThisServer) ?? reached;
      await this.openTrees(tx, trees, page);
    }
    const lastRows = await appendAll(page.unsealed, trees);
    const opened = [...trees.values()];
    const hasSealed = opened.some(({ isChanged }) => isChanged);
    const treesWithHead = opened.filter((tree) => tree.needsHead(page.isLast && tree.tenantId === headFor));
    const epoch = treesWithHead.length ? await this.signingKey.findEpoch(tx) : 0;
    const heads = treesWithHead.map((tree) => this.signHead(tree, epoch));
    await tx.commitWith(() =>
      Promise.all([
        writeRows(tx, rows),
        writeRows(tx, lastRows),
        ...heads.map(({ row }) => tx.execute(insertHead, row)),
        ...opened.filter(({ isChanged }) => isChanged).map((tree) => tx.execute(setTree, tree.toRow())),
        ...(hasSealed && reached ? [tx.execute(setSealingProgress, [reached.transactionId, reached.id])] : []),
      ]),
    );
    return { heads: heads.map(({ head }) => head), last: page };
  }

  private async readPage(tx: Tx, before?: SettledPage): Promise<SettledPage> {
    const from = before?.settled.at(-1);
    const settled = await tx.run(settledEvents, [
      !this.hasSealedRestoredEvents,
      from?.transactionId ?? null,
      from?.id ?? null,
    ]);
    // the end of the page before is read again, and its positions may not be stored yet
    const repeated = new Set(before?.settled.filter(({ id }) => id === from?.id).map(({ tenantId }) => tenantId));
    return {
      settled,
      unsealed: settled.filter(
        ({ isSealed, id, tenantId }) => !isSealed && !(id === from?.id && repeated.has(tenantId)),
      ),
      isLast: settled.length < settledPageSize,
    };
  }

  /** Adds the trees of the events that are not open yet, and at first those that need a head. */
  private async openTrees(
    tx: Tx,
    trees: Map<string, TenantTree>,
    { unsealed }: SettledPage,
    headFor?: string,
  ): Promise<void> {
    const tenantIds = new Set(unsealed.map((event) => event.tenantId));
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
  seals: ParamsOf<typeof insertSeals> | null;
  nodes: ParamsOf<typeof insertNodes> | null;
}
const noRows: TreeRows = { seals: null, nodes: null };

const isOfThisServer = (event: SettledEvent): boolean => event.isOfThisServer;

async function appendAll(events: readonly SettledEvent[], trees: ReadonlyMap<string, TenantTree>): Promise<TreeRows> {
  const appended: { tenantId: string; start: number; count: number; skipped: number }[] = [];
  const eventIds: string[] = [];
  const leaves: Buffer[] = [];
  const nodes: (SubtreeRoot & { tenantId: string })[] = [];
  for (const [tenantId, own] of Map.groupBy(events, (event) => event.tenantId)) {
    const tree = trees.get(tenantId)!;
    appended.push({ tenantId, start: tree.merkle.size, count: own.length, skipped: leaves.length });
    for (const event of own) {
      // statements are sent and requests answered in between
      if (leaves.length % eventsPerTurn === 0) await setImmediate();
      const leaf = leafHash(eventText(event));
      eventIds.push(event.id);
      leaves.push(leaf);
      for (const root of tree.append(leaf)) if (root.level % storedLevelStep === 0) nodes.push({ tenantId, ...root });
    }
  }
  return {
    seals: events.length
      ? [
          appended.map(({ tenantId }) => tenantId),
          appended.map(({ start }) => start),
          appended.map(({ count }) => count),
          appended.map(({ skipped }) => skipped),
          eventIds,
          Buffer.concat(leaves),
        ]
      : null,
    nodes: nodes.length
      ? [
          nodes.map(({ tenantId }) => tenantId),
          nodes.map(({ level }) => level),
          nodes.map(({ position }) => position),
          nodes.map(({ hash }) => hash),
        ]
      : null,
  };
}

const writeRows = (tx: Tx, { seals, nodes }: TreeRows): Promise<unknown> =>
  Promise.all([seals && tx.execute(insertSeals, seals), nodes && tx.execute(insertNodes, nodes)]);

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
