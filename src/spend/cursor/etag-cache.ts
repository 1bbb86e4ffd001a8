interface CachedResponse {
  etag: string;
  body: string;
}

const maxCacheLength = 2 ** 23;
const maxCachedBodyLength = 2 ** 20;

/** Caches the most recent responses with an ETag. A conditional request costs nothing while the data is unchanged. */
export class EtagCache {
  private readonly entries = new Map<string, CachedResponse>();
  private size = 0;

  find(cacheKey: string): CachedResponse | null {
    return this.entries.get(cacheKey) ?? null;
  }

  store(cacheKey: string, tag: string | null, body: string): void {
    this.evict(cacheKey);
    if (!tag || tag.length > 200 || body.length > maxCachedBodyLength) return;
    this.entries.set(cacheKey, { etag: tag, body });
    this.size += body.length;
    for (const oldest of this.entries.keys()) {
      if (this.size <= maxCacheLength) return;
      this.evict(oldest);
    }
  }

  private evict(cacheKey: string): void {
    this.size -= this.entries.get(cacheKey)?.body.length ?? 0;
    this.entries.delete(cacheKey);
  }
}
