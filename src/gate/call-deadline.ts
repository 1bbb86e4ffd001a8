import { onAbort } from '../platform/events/on-abort.js';

/** The time limit of one call. The clock stops while the connected system waits for an answer from the caller. */
export class CallDeadline {
  private readonly controller = new AbortController();
  private readonly unsubscribe?: () => void;
  private timer?: NodeJS.Timeout;
  private runningSince = 0;
  private activePauses = 0;
  private pausedSince = 0;
  private pausedBeforeMs = 0;
  private hasEnded = false;

  /** `caller`: aborts the call, too, when the caller disconnects. */
  constructor(
    private budgetMs: number,
    caller?: AbortSignal,
  ) {
    this.start();
    this.unsubscribe = caller && onAbort(caller, (reason) => this.abort(reason));
  }

  /** Aborted when the time limit is exceeded or the caller disconnects. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get remainingMs(): number {
    return this.activePauses ? this.budgetMs : Math.max(0, this.budgetMs - (performance.now() - this.runningSince));
  }

  /** The total time of all waits. Concurrent waits count once. */
  get pausedMs(): number {
    return this.pausedBeforeMs + (this.activePauses ? performance.now() - this.pausedSince : 0);
  }

  /** The clock resumes when the last of several concurrent waits has its answer. */
  async pauseWhile<T>(wait: () => Promise<T>): Promise<T> {
    if (this.activePauses === 0) this.pause();
    this.activePauses += 1;
    try {
      return await wait();
    } finally {
      this.activePauses -= 1;
      if (this.activePauses === 0) this.resume();
    }
  }

  abort(reason: unknown): void {
    this.end();
    this.controller.abort(reason);
  }

  /** The call has ended: nothing is aborted after this. */
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

  private pause(): void {
    clearTimeout(this.timer);
    this.pausedSince = performance.now();
    this.budgetMs = Math.max(0, this.budgetMs - (this.pausedSince - this.runningSince));
  }

  private resume(): void {
    this.pausedBeforeMs += performance.now() - this.pausedSince;
    this.start();
  }
}
