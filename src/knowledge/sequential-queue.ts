/** Runs work items one after another while more are added. A failed item ends the queue. */
export class SequentialQueue {
  private readonly waiting: Promise<void>[] = [];
  private last: Promise<void> = Promise.resolve();
  private readonly capacity: number;

  constructor(most: number) {
    this.capacity = most;
  }

  /** Resolves when the queue has capacity for more. */
  async add(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(work);
    this.last.catch(() => undefined); // `drain` rejects with it
    this.waiting.push(this.last);
    if (this.waiting.length >= this.capacity) await this.waiting.shift();
  }

  drain(): Promise<void> {
    return this.last;
  }
}
