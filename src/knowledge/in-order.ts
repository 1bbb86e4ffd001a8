/** Runs one piece of work after the other while more of it is found; work that fails ends it. */
export class InOrder {
  private readonly waiting: Promise<void>[] = [];
  private last: Promise<void> = Promise.resolve();
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  /** Resolves when there is room for more. */
  async add(work: () => Promise<void>): Promise<void> {
    this.last = this.last.then(work);
    this.last.catch(() => undefined); // thrown by `end`
    this.waiting.push(this.last);
    if (this.waiting.length >= this.most) await this.waiting.shift();
  }

  end(): Promise<void> {
    return this.last;
  }
}
