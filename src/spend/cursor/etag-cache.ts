interface CachedResponse {
  etag: string;
  body: string;
}

const maxCacheLength = 2 ** 23;
const maxCachedBodyLength = 2 ** 20;

/** Answers that the vendor marks with a tag, the last ones asked for: asking with the tag costs nothing while nothing is new. */
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
