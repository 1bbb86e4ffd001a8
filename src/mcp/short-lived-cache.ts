/** A cache with a time to live. Concurrent lookups of one key share one load. */
export class ShortLivedCache<T> {
  private readonly entries = new Map<string, { until: number; value: Promise<T> }>();

  constructor(
    private readonly ttlMs: number,
    private readonly maxEntries: number,
  ) {}

  get(key: string, load: () => Promise<T>): Promise<T> {
    const cached = this.entries.get(key);
    if (cached && cached.until > performance.now()) return cached.value;
    const value = load();
    this.entries.delete(key);
    this.entries.set(key, { until: performance.now() + this.ttlMs, value });
    if (this.entries.size > this.maxEntries) this.entries.delete(this.entries.keys().next().value!); // the oldest
    value.catch(() => this.entries.delete(key));
    return value;
  }
}
