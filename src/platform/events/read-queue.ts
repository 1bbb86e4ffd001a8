/**
 * Reads for many readers together. Readers that are added in one turn of the event loop share a batch; readers that are
 * added during a read are in the next one. After an error the queue is idle until a reader is added.
 */
export class ReadQueue<Reader> {
  private readonly pending = new Set<Reader>();
  private isReading = false;

  constructor(
    private readonly read: (batch: Reader[]) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  add(readers: Iterable<Reader>): void {
    for (const reader of readers) this.pending.add(reader);
    if (this.isReading || !this.pending.size) return;
    this.isReading = true;
    setImmediate(() => void this.drain());
  }

  delete(reader: Reader): void {
    this.pending.delete(reader);
  }

  private async drain(): Promise<void> {
    try {
      while (this.pending.size) {
        const batch = [...this.pending];
        this.pending.clear();
        await this.read(batch);
      }
    } catch (error) {
      this.onError(error);
    } finally {
      this.isReading = false;
    }
  }
}
