import { sha256 } from '../../platform/crypto/digest.js';

/* The Merkle tree of RFC 6962: a prefix separates the hashes of leaves from those of nodes. */

const hashBytes = 32;
/** Levels of stored subtree roots: 8, 16, 24, … */
export const storedLevelStep = 8;

export const leafHash = (data: string): Buffer => sha256(`\0${data}`);

const nodeData = Buffer.alloc(1 + 2 * hashBytes, 1);
export function nodeHash(left: Buffer, right: Buffer): Buffer {
  left.copy(nodeData, 1);
  right.copy(nodeData, 1 + hashBytes);
  return sha256(nodeData);
}

/** The root of a complete subtree of 2^level leaves. */
export interface SubtreeRoot {
  level: number;
  /** Among the subtrees of its level. */
  position: number;
  hash: Buffer;
}

/** A growing tree. It needs only the roots of its complete subtrees: one for each bit of its size. */
export class MerkleTree {
  private readonly frontier: Buffer[];

  constructor(
    public size: number = 0,
    frontier: Buffer = Buffer.alloc(0),
  ) {
    this.frontier = Array.from({ length: frontier.length / hashBytes }, (_, at) =>
      frontier.subarray(at * hashBytes, (at + 1) * hashBytes),
    );
  }

  /** Returns the subtrees that this leaf completes. */
  append(leaf: Buffer): SubtreeRoot[] {
    const completed: SubtreeRoot[] = [];
    let hash = leaf;
    let position = this.size;
    for (let level = 1; position % 2 === 1; level++) {
      hash = nodeHash(this.frontier.pop()!, hash);
      position = (position - 1) / 2;
      completed.push({ level, position, hash });
    }
    this.frontier.push(hash);
    this.size++;
    return completed;
  }

  root(): Buffer {
    return this.frontier.length ? this.frontier.reduceRight((right, left) => nodeHash(left, right)) : sha256('');
  }

  /** The complete subtrees, the largest first: one for each bit of the size. */
  subtrees(): { start: number; count: number; hash: Buffer }[] {
    let start = 0;
    return this.frontier.map((hash) => {
      const count = 2 ** Math.floor(Math.log2(this.size - start));
      const subtree = { start, count, hash };
      start += count;
      return subtree;
    });
  }

  packFrontier(): Buffer {
    return Buffer.concat(this.frontier);
  }
}
