/**
 * Reads the contents of a page of documents in batches. While contents are wanted one after another, as in a first sync,
 * batches double, up to the limit of the source. If only single documents changed, only few others are read in vain.
 */
export class ReadAhead<T> {
  private readonly pending = new Map<string, Promise<Map<string, T>>>();
  private size = 1;
  private last = -2;

  constructor(
    private readonly ids: readonly string[],
    private readonly maxBatch: number,
    private readonly readBatch: (ids: readonly string[]) => Promise<Map<string, T>>,
  ) {}

  /** Undefined if the source no longer has it. */
  async read(id: string): Promise<T | undefined> {
    let batch = this.pending.get(id);
    if (!batch) {
      const at = this.ids.indexOf(id);
      this.size = at === this.last + 1 ? Math.min(this.size * 2, this.maxBatch) : 1;
      const ids = this.ids.slice(at, at + this.size).filter((one) => !this.pending.has(one));
      this.last = at + this.size - 1;
      batch = this.readBatch(ids);
      batch.catch(() => undefined); // each reader of the batch sees the error
      for (const one of ids) this.pending.set(one, batch);
    }
    const contents = await batch;
    const content = contents.get(id);
    contents.delete(id);
    return content;
  }
}
