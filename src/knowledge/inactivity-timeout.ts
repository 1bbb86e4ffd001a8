/**
 * Waits for a connector with a time limit. It also stops waiting on abort, because a connector may ignore its signal.
 */
export class InactivityTimeout {
  private ownWork = 0;

  constructor(
    private readonly signal: AbortSignal,
    private readonly seconds: number,
  ) {}

  /** Pauses the timeout while the connector waits for our work. */
  async whileWeWork<T>(work: () => Promise<T>): Promise<T> {
    this.ownWork++;
    try {
      return await work();
    } finally {
      this.ownWork--;
    }
  }

  async waitFor<T>(work: Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    let end: () => void = () => undefined;
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      end = () => reject(this.signal.reason as Error);
      this.signal.addEventListener('abort', end);
      const expire = () => {
        if (this.ownWork) timer = setTimeout(expire, this.seconds * 1000);
        else reject(new Error(`The source sent nothing for ${this.seconds} seconds.`));
      };
      timer = setTimeout(expire, this.seconds * 1000);
    });
    try {
      return await Promise.race([work, timedOut]);
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener('abort', end);
    }
  }

  async *iterate<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = source[Symbol.asyncIterator]();
    let isDone = false;
    try {
      for (;;) {
        const next = await this.waitFor(iterator.next());
        isDone = next.done === true;
        if (next.done) return;
        yield next.value;
      }
    } finally {
      // Not awaited, because `return` may hang like the call that timed out. That error is reported, not one of `return`.
      if (!isDone) void iterator.return?.().catch(() => undefined);
    }
  }
}
