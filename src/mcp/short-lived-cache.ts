import { LRUCache } from 'lru-cache';

/** A cache with a time to live. Concurrent lookups of one key share one load. */
export class ShortLivedCache<T> {
  private readonly entries: LRUCache<string, Promise<T>>;

  constructor(ttlMs: number, maxEntries: number) {
    this.entries = new LRUCache({ max: maxEntries, ttl: ttlMs });
  }

  get(key: string, load: () => Promise<T>): Promise<T> {
    const cached = this.entries.get(key);
    if (cached) return cached;
    const value = load();
    this.entries.set(key, value);
    value.catch(() => this.entries.delete(key));
    return value;
  }
}
