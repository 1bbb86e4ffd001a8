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
/** Hashing a batch blocks the event loop for about 20 ms. */
const batchSize = 1000;
/** A tenant with constant events gets a head this often; otherwise each event gets one within a second. */
const headIntervalMs = 10_000;

interface SealedBatch {
  heads: AuditHead[];
  /** Where the next batch starts. */
  last?: SettledEvent;
  /** Undefined: another process seals. */
  isLast?: boolean;
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
    // the snapshot of this statement is newer than the lock, so it sees what the sealer before has sealed
    const settled = await tx.run(settledEvents, [
      batchSize,
      !this.hasSealedRestoredEvents,
      from?.transactionId ?? null,
      from?.id ?? null,
    ]);
    const isLast = settled.length < batchSize;
    const events = settled.filter(({ isSealed }) => !isSealed);
    const trees = await this.openTrees(tx, events, headFor);
    const grown = appendAll(events, trees);
    const treesWithHead = [...trees.values()].filter((tree) => tree.needsHead(isLast && tree.tenantId === headFor));
    const epoch = treesWithHead.length ? await this.signingKey.findEpoch(tx) : 0;
    const heads = treesWithHead.map((tree) => this.signHead(tree, epoch));
    const reached = settled.findLast(({ isOfThisServer }) => isOfThisServer);
    await tx.commitWith(() =>
      Promise.all([
        ...(events.length ? [tx.execute(insertSeals, grown.seals)] : []),
        ...(grown.nodes[0].length ? [tx.execute(insertNodes, grown.nodes)] : []),
        ...heads.map(({ row }) => tx.execute(insertHead, row)),
        ...[...trees.values()].filter(({ isChanged }) => isChanged).map((tree) => tx.execute(setTree, tree.toRow())),
        ...(events.length && reached ? [tx.execute(setSealingProgress, [reached.transactionId, reached.id])] : []),
      ]),
    );
    return { heads: heads.map(({ head }) => head), last: settled.at(-1), isLast };
  }

  private async openTrees(tx: Tx, events: readonly SettledEvent[], headFor?: string): Promise<Map<string, TenantTree>> {
    const tenantIds = new Set(events.map((event) => event.tenantId));
    if (headFor) tenantIds.add(headFor);
    const rows = await tx.run(treesToSeal, [[...tenantIds]]);
    const trees = new Map(rows.map((row) => [row.tenantId, new TenantTree(row)]));
    for (const tenantId of tenantIds)
      if (!trees.has(tenantId))
        trees.set(
          tenantId,
          new TenantTree({ tenantId, size: 0, frontier: Buffer.alloc(0), headSize: 0, headHash: null, headAt: null }),
        );
    return trees;
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

/** The rows that the events add to their trees. */
function appendAll(
  events: readonly SettledEvent[],
  trees: ReadonlyMap<string, TenantTree>,
): { seals: ParamsOf<typeof insertSeals>; nodes: ParamsOf<typeof insertNodes> } {
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
