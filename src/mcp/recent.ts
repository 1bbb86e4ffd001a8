/** What is looked up again after a while, and by everybody who asks at the same time only once. */
export class Recent<T> {
  private readonly kept = new Map<string, { until: number; value: Promise<T> }>();

  constructor(
    private readonly forMs: number,
    private readonly most: number,
  ) {}

  of(key: string, find: () => Promise<T>): Promise<T> {
    const known = this.kept.get(key);
    if (known && known.until > performance.now()) return known.value;
    const value = find();
    this.kept.delete(key);
    this.kept.set(key, { until: performance.now() + this.forMs, value });
    if (this.kept.size > this.most) this.kept.delete(this.kept.keys().next().value!); // the oldest
    value.catch(() => this.kept.delete(key));
    return value;
  }
}
