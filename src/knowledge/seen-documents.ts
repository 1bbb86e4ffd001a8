import { sha256 } from '../platform/crypto/digest.js';

const markBytes = 16;

/** The documents that a listing has seen. Stores a digest of each name, because there may be a million. */
export class SeenDocuments {
  private readonly marks = new Set<string>();
  /** Marks since the last checkpoint. */
  private unstored = new Set<string>();

  /** `stored`: blocks that `takeUnstored` returned in earlier runs of the listing. */
  constructor(stored: readonly Buffer[] = []) {
    for (const block of stored)
      for (let at = 0; at < block.length; at += markBytes) this.marks.add(block.toString('latin1', at, at + markBytes));
  }

  has(externalId: string): boolean {
    return this.marks.has(markOf(externalId));
  }

  /** Returns false if it was seen before. */
  add(externalId: string): boolean {
    const mark = markOf(externalId);
    if (this.marks.has(mark)) return false;
    this.marks.add(mark);
    this.unstored.add(mark);
    return true;
  }

  /** Has no effect on stored marks, so it is only for documents added after the last checkpoint. */
  delete(externalId: string): void {
    const mark = markOf(externalId);
    this.marks.delete(mark);
    this.unstored.delete(mark);
  }

  /** Returns the marks since the last checkpoint, to be stored. */
  takeUnstored(): Buffer {
    const block = Buffer.from([...this.unstored].join(''), 'latin1');
    this.unstored = new Set();
    return block;
  }
}

const markOf = (externalId: string): string => sha256(externalId).toString('latin1', 0, markBytes);
