import { setTimeout as rest } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Together for all that is under way: whoever stops a process kills it before long. */
const graceMs = 5000;
/** What was cut off after that still says what became of it. */
const farewellMs = 1000;

/** Said before the connections that are open are waited for: what only waits is to answer, and not to keep the process. */
@Injectable()
export class Closing {
  private readonly closing = new AbortController();
  private graceEndsAt = 0;

  get signal(): AbortSignal {
    return this.closing.signal;
  }

  begin(): void {
    this.graceEndsAt = performance.now() + graceMs;
    this.closing.abort(new Error('the server is being stopped'));
  }

  /** Lets work come to its end, for as long as there is time for that. */
  async letEnd(isUnderWay: () => boolean): Promise<void> {
    const until = Math.max(this.graceEndsAt, performance.now() + farewellMs);
    while (isUnderWay() && performance.now() < until) await rest(50);
  }
}
