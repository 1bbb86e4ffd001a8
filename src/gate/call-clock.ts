import { follow } from '../platform/events/follow.js';

/** The time that an upstream is given for one call. It stands still while the upstream waits for an answer of the caller. */
export class CallClock {
  private readonly controller = new AbortController();
  private readonly letGo?: () => void;
  private timer?: NodeJS.Timeout;
  private goingSince = 0;
  private stops = 0;
  private hasEnded = false;

  /** `caller`: whose going ends it, too. */
  constructor(
    private leftMs: number,
    caller?: AbortSignal,
  ) {
    this.go();
    this.letGo = caller && follow(caller, (reason) => this.abort(reason));
  }

  /** Aborted when the time is over, or its caller has gone. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** What is left of it. */
  get ms(): number {
    return this.stops ? this.leftMs : Math.max(0, this.leftMs - (performance.now() - this.goingSince));
  }

  /** However many wait at the same time, the clock goes on when the last of them has its answer. */
  async standStill<T>(wait: () => Promise<T>): Promise<T> {
    if (this.stops++ === 0) this.halt();
    try {
      return await wait();
    } finally {
      if (--this.stops === 0) this.go();
    }
  }

  abort(reason: unknown): void {
    this.end();
    this.controller.abort(reason);
  }

  /** The call is over; nothing is aborted any more. */
  end(): void {
    this.hasEnded = true;
    this.letGo?.();
    clearTimeout(this.timer);
  }

  private go(): void {
    if (this.hasEnded) return;
    this.goingSince = performance.now();
    this.timer = setTimeout(
      () => this.abort(new Error('the connected system did not answer in time')),
      Math.ceil(this.leftMs),
    );
  }

  private halt(): void {
    clearTimeout(this.timer);
    this.leftMs = Math.max(0, this.leftMs - (performance.now() - this.goingSince));
  }
}
