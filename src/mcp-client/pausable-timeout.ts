import { onAbort } from '../platform/events/on-abort.js';

/** A timeout for an answer that does not count the time spent waiting for a person. */
export class PausableTimeout {
  /** For the SDK’s timeouts, which cannot pause: the maximum of a timer. */
  static readonly maxTimeoutMs = 2 ** 31 - 1;

  private readonly controller = new AbortController();
  private readonly unfollow: () => void;
  private since = performance.now();
  private pauses = 0;
  private timer?: NodeJS.Timeout;

  constructor(
    private leftMs: number,
    call: AbortSignal,
  ) {
    this.run();
    this.unfollow = onAbort(call, (reason) => this.controller.abort(reason));
  }

  /** Aborts with a TimeoutError, or with the call. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  async pauseWhile<T>(work: () => Promise<T>): Promise<T> {
    if (this.pauses++ === 0) this.stop();
    try {
      return await work();
    } finally {
      if (--this.pauses === 0) this.run();
    }
  }

  end(): void {
    this.pauses = Infinity;
    this.unfollow();
    this.stop();
  }

  private run(): void {
    this.since = performance.now();
    const onTimeout = () =>
      this.controller.abort(new DOMException('The server did not answer in time.', 'TimeoutError'));
    this.timer = setTimeout(onTimeout, this.leftMs);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.leftMs = Math.max(0, this.leftMs - (performance.now() - this.since));
  }
}
