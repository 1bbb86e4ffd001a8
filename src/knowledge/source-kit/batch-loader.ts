import { UnreadableDocument } from '../../connections/connections.error.js';
import { isSourceFault } from './source-request.error.js';

export interface BatchOptions<K> {
  /** The maximum number of items in a batch. */
  size: number;
  /** The estimated size of an item. */
  bytesOf?: (item: K) => number;
  /** The maximum estimated size of a batch. A larger item is a batch of its own. */
  maxBytes?: number;
}

/**
 * Loads the contents of documents in batches while they are read in order, as in a first sync, and one at a time
 * otherwise, because then most documents are unchanged. Splits a batch that the source cannot answer.
 */
export class BatchLoader<K, V> {
  private lastRead = -1;
  private count = 0;

  constructor(
    private readonly load: (items: K[]) => Promise<V[]>,
    private readonly options: BatchOptions<K>,
  ) {}

  /** Returns a function for each item of a page that loads its content. */
  page(items: readonly K[]): (() => Promise<V>)[] {
    const first = this.count;
    this.count += items.length;
    const loading = new Map<number, Promise<V>>();
    return items.map((item, at) => () => {
      const isInOrder = this.lastRead === first + at - 1;
      this.lastRead = first + at;
      const started = loading.get(at);
      loading.delete(at);
      if (started) return started;
      const batch = isInOrder ? this.batchFrom(items, at) : [item];
      const loaded = this.loadOrSplit(batch);
      for (let next = 1; next < batch.length; next++) {
        const one = loaded.then((values) => valueOf(values[next]));
        // its reader receives the error; without this, an error without a reader would be an unhandled rejection
        one.catch(() => undefined);
        loading.set(at + next, one);
      }
      return loaded.then(([value]) => valueOf(value));
    });
  }

  private batchFrom(items: readonly K[], from: number): K[] {
    const { size, bytesOf = () => 0, maxBytes = Infinity } = this.options;
    const batch: K[] = [];
    let bytes = 0;
    for (const item of items.slice(from, from + size)) {
      bytes += bytesOf(item);
      if (batch.length && bytes > maxBytes) break;
      batch.push(item);
    }
    return batch;
  }

  /** An oversized item does not fail the other items of the batch. */
  private async loadOrSplit(batch: K[]): Promise<(V | UnreadableDocument)[]> {
    try {
      return await this.load(batch);
    } catch (error) {
      if (!isSourceFault(error, 'unavailable', 'too-large')) throw error;
      if (batch.length === 1) {
        if (error.fault !== 'too-large') throw error;
        return [new UnreadableDocument('is larger than a response may be')];
      }
      const middle = batch.length >> 1;
      return [...(await this.loadOrSplit(batch.slice(0, middle))), ...(await this.loadOrSplit(batch.slice(middle)))];
    }
  }
}

function valueOf<V>(loaded: V | UnreadableDocument): V {
  if (loaded instanceof UnreadableDocument) throw loaded;
  return loaded;
}
