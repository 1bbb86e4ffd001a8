import { isSourceFault } from './source-request.error.js';

export interface BatchOptions<K> {
  /** How many are loaded together at most. */
  size: number;
  /** The expected bytes of one. */
  bytesOf?: (item: K) => number;
  /** The expected bytes of a batch at most. */
  maxBytes?: number;
}

/**
 * Loads what documents of a page need together, if they are read one after the other as in a first sync, and alone if
 * only some of them are new. A batch that the source cannot answer is split.
 */
export class BatchLoader<K, V> {
  private lastRead = -1;
  private count = 0;

  constructor(
    private readonly load: (items: K[]) => Promise<V[]>,
    private readonly options: BatchOptions<K>,
  ) {}

  /** The functions that load the items of a page, in order. */
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
      // each is awaited by its reader only, and a pass that ends early reads no more
      loaded.catch(() => undefined);
      for (let next = 1; next < batch.length; next++) {
        const one = loaded.then((values) => values[next]);
        one.catch(() => undefined);
        loading.set(at + next, one);
      }
      return loaded.then(([value]) => value);
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

  private async loadOrSplit(batch: K[]): Promise<V[]> {
    try {
      return await this.load(batch);
    } catch (error) {
      if (batch.length === 1 || !isSourceFault(error, 'unavailable', 'too-large')) throw error;
      const middle = batch.length >> 1;
      return [...(await this.loadOrSplit(batch.slice(0, middle))), ...(await this.loadOrSplit(batch.slice(middle)))];
    }
  }
}
