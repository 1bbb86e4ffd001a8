import { follow } from '../../platform/events/follow.js';

/** How long an answer is waited for, without the time in which a person is waited for who was asked something. */
export class Patience {
  /** For the SDK’s own clocks, which stand still for nobody: the longest that a timer takes. */
  static readonly forever = 2 ** 31 - 1;

  private readonly controller = new AbortController();
  private readonly letGo: () => void;
  private since = performance.now();
  private waiting = 0;
  private timer?: NodeJS.Timeout;

  constructor(
    private leftMs: number,
    call: AbortSignal,
  ) {
    this.run();
    this.letGo = follow(call, (reason) => this.controller.abort(reason));
  }

  /** Aborts with a TimeoutError, or with the call. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  async suspend<T>(work: () => Promise<T>): Promise<T> {
    if (this.waiting++ === 0) this.stop();
    try {
      return await work();
    } finally {
      if (--this.waiting === 0) this.run();
    }
  }

  end(): void {
    this.waiting = Infinity;
    this.letGo();
    this.stop();
  }

  private run(): void {
    this.since = performance.now();
    const late = () => this.controller.abort(new DOMException('There was no answer in time.', 'TimeoutError'));
    this.timer = setTimeout(late, this.leftMs);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.leftMs = Math.max(0, this.leftMs - (performance.now() - this.since));
  }
}
