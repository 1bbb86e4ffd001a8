/**
 * Reads the contents of listed documents in batches. While contents are wanted one after another, as in a first sync,
 * batches double, up to the limit of the source. If only single documents changed, only few others are read in vain.
 */
export class ReadAhead<T> {
  private size = 1;
  /** The last page was read to its end, so that the next one goes on with the size of its batches. */
  private isEndRead = false;

  constructor(
    private readonly maxBatch: number,
    private readonly readBatch: (ids: readonly string[]) => Promise<Map<string, T>>,
  ) {}

  /** Reads the contents of one page. The result is undefined for what the source no longer has. */
  openPage(ids: readonly string[]): (id: string) => Promise<T | undefined> {
    const pending = new Map<string, Promise<Map<string, T>>>();
    let next = this.isEndRead ? 0 : -1;
    this.isEndRead = false;
    const startBatch = (at: number): Promise<Map<string, T>> => {
      this.size = at === next ? Math.min(this.size * 2, this.maxBatch) : 1;
      next = Math.min(at + this.size, ids.length);
      this.isEndRead = next === ids.length;
      const wanted = ids.slice(at, next).filter((id) => !pending.has(id));
      const batch = this.readBatch(wanted);
      batch.catch(() => undefined); // each reader of the batch sees the error
      for (const id of wanted) pending.set(id, batch);
      return batch;
    };
    return async (id) => {
      const contents = await (pending.get(id) ?? startBatch(ids.indexOf(id)));
      const content = contents.get(id);
      contents.delete(id);
      return content;
    };
  }
}
