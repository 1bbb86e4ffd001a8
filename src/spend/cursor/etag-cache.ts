import { LRUCache } from 'lru-cache';

interface CachedResponse {
  etag: string;
  body: string;
}

/** Caches the most recent responses with an ETag. A conditional request costs nothing while the data is unchanged. */
export class EtagCache {
  private readonly entries = new LRUCache<string, CachedResponse>({
    maxSize: 2 ** 23,
    maxEntrySize: 2 ** 20,
    sizeCalculation: ({ etag, body }) => etag.length + body.length,
  });

  find(cacheKey: string): CachedResponse | null {
    return this.entries.get(cacheKey) ?? null;
  }

  store(cacheKey: string, etag: string | null, body: string): void {
    if (etag && etag.length <= 200) this.entries.set(cacheKey, { etag, body });
    else this.entries.delete(cacheKey);
  }
}
