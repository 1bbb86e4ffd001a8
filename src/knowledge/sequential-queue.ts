/** Runs one piece of work after the other while more of it is found; work that fails ends it. */
export class SequentialQueue {
  private readonly waiting: Promise<void>[] = [];
  private last: Promise<void> = Promise.resolve();
  private readonly capacity: number;

  constructor(most: number) {
    this.capacity = most;
  }

  /** Resolves when there is room for more. */
  async add(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(work);
    this.last.catch(() => undefined); // thrown by `end`
    this.waiting.push(this.last);
    if (this.waiting.length >= this.capacity) await this.waiting.shift();
  }

  drain(): Promise<void> {
    return this.last;
  }
}
