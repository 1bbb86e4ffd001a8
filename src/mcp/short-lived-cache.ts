/** What is looked up again after a while, and by everybody who asks at the same time only once. */
export class ShortLivedCache<T> {
  private readonly entries = new Map<string, { until: number; value: Promise<T> }>();

  constructor(
    private readonly ttlMs: number,
    private readonly maxEntries: number,
  ) {}

  get(key: string, find: () => Promise<T>): Promise<T> {
    const known = this.entries.get(key);
    if (known && known.until > performance.now()) return known.value;
    const value = find();
    this.entries.delete(key);
    this.entries.set(key, { until: performance.now() + this.ttlMs, value });
    if (this.entries.size > this.maxEntries) this.entries.delete(this.entries.keys().next().value!); // the oldest
    value.catch(() => this.entries.delete(key));
    return value;
  }
}
