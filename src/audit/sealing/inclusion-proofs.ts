import type { Tx } from '../../platform/database/tx.js';
import { type MerkleTree, nodeHash, storedLevelStep } from './merkle-tree.js';
import { leavesBetween, nodesBetween } from './seals.sql.js';

const tileSize = 2 ** storedLevelStep;
const maxCachedHashes = 100_000;

/** Inclusion proofs (RFC 6962, section 2.1.1) for the tree of a tenant at one size. */
export class InclusionProofs {
  /** Hashes of ranges of leaves, by first leaf and number of leaves. */
  private readonly hashes = new Map<string, Buffer>();

  private readonly removed: ReadonlyMap<string, Buffer>;

  /** `removed`: the tree of the events that retention removed. Their leaves are no longer stored. */
  constructor(
    private readonly tenantId: string,
    private readonly size: number,
    removed: MerkleTree | null = null,
  ) {
    const subtrees = removed?.subtrees() ?? [];
    this.removed = new Map(subtrees.map(({ start, count, hash }) => [nameOf(start, count), hash]));
  }

  /** The siblings from the leaf up to the root. Null if somebody has removed stored hashes. */
  async proofOf(tx: Tx, position: number): Promise<Buffer[] | null> {
    if (this.hashes.size > maxCachedHashes) this.hashes.clear();
    const siblings: [start: number, count: number][] = [];
    for (let start = 0, count = this.size; count > 1;) {
      const half = leftHalf(count);
      if (position < start + half) {
        siblings.push([start + half, count - half]);
        count = half;
      } else {
        siblings.push([start, half]);
        start += half;
        count -= half;
      }
    }
    const proof: Buffer[] = [];
    for (const [start, count] of siblings.reverse()) {
      const hash = await this.hashOf(tx, start, count);
      if (!hash) return null;
      proof.push(hash);
    }
    return proof;
  }

  private async hashOf(tx: Tx, start: number, count: number): Promise<Buffer | null> {
    const name = nameOf(start, count);
    const cached = this.hashes.get(name) ?? this.removed.get(name);
    if (cached) return cached;
    const level = Math.log2(count);
    if (level % storedLevelStep === 0) {
      await this.loadTile(tx, level, Math.floor(start / count / tileSize) * tileSize);
      return this.hashes.get(name) ?? null;
    }
    const half = leftHalf(count);
    const left = await this.hashOf(tx, start, half);
    const right = await this.hashOf(tx, start + half, count - half);
    if (!left || !right) return null;
    const hash = nodeHash(left, right);
    this.hashes.set(name, hash);
    return hash;
  }

  private async loadTile(tx: Tx, level: number, first: number): Promise<void> {
    const { tenantId } = this;
    const rows = level
      ? await tx.run(nodesBetween, [tenantId, level, first, first + tileSize])
      : await tx.run(leavesBetween, [tenantId, first, first + tileSize]);
    const count = 2 ** level;
    for (const { position, hash } of rows) this.hashes.set(nameOf(position * count, count), hash);
  }
}

const nameOf = (start: number, count: number): string => `${start}+${count}`;

/** The largest power of two below the count. */
const leftHalf = (count: number): number => 2 ** (Math.ceil(Math.log2(count)) - 1);
