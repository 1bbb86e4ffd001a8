import { onAbort } from '../platform/events/on-abort.js';

/** The time that an upstream is given for one call. It stands still while the upstream waits for an answer of the caller. */
export class CallDeadline {
  private readonly controller = new AbortController();
  private readonly unsubscribe?: () => void;
  private timer?: NodeJS.Timeout;
  private runningSince = 0;
  private activePauses = 0;
  private hasEnded = false;

  /** `caller`: whose going ends it, too. */
  constructor(
    private budgetMs: number,
    caller?: AbortSignal,
  ) {
    this.start();
    this.unsubscribe = caller && onAbort(caller, (reason) => this.abort(reason));
  }

  /** Aborted when the time is over, or its caller has gone. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** What is left of it. */
  get remainingMs(): number {
    return this.activePauses ? this.budgetMs : Math.max(0, this.budgetMs - (performance.now() - this.runningSince));
  }

  /** However many wait at the same time, the clock goes on when the last of them has its answer. */
  async pauseWhile<T>(wait: () => Promise<T>): Promise<T> {
    if (this.activePauses++ === 0) this.stop();
    try {
      return await wait();
    } finally {
      if (--this.activePauses === 0) this.start();
    }
  }

  abort(reason: unknown): void {
    this.end();
    this.controller.abort(reason);
  }

  /** The call is over; nothing is aborted any more. */
  end(): void {
    this.hasEnded = true;
    this.unsubscribe?.();
    clearTimeout(this.timer);
  }

  private start(): void {
    if (this.hasEnded) return;
    this.runningSince = performance.now();
    this.timer = setTimeout(
      () => this.abort(new Error('the connected system did not answer in time')),
      Math.ceil(this.budgetMs),
    );
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.budgetMs = Math.max(0, this.budgetMs - (performance.now() - this.runningSince));
  }
}
