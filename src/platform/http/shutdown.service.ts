import { setTimeout as rest } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';

/** What was cut off after that still says what became of it. */
const minRemainingMs = 1000;

/** Said before the connections that are open are waited for: what only waits is to answer, and not to keep the process. */
@Injectable()
export class ShutdownService {
  private readonly controller = new AbortController();
  private graceEndsAt = 0;

  constructor(private readonly config: Config) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  begin(): void {
    this.graceEndsAt = performance.now() + this.config.shutdownGraceMs;
    this.controller.abort(new Error('the server is being stopped'));
  }

  /** How much time is left for work in progress. */
  get remainingMs(): number {
    return Math.max(this.graceEndsAt - performance.now(), minRemainingMs);
  }

  /** Lets work come to its end, for as long as there is time for that. */
  async drain(isUnderWay: () => boolean): Promise<void> {
    const until = performance.now() + this.remainingMs;
    while (isUnderWay() && performance.now() < until) await rest(50);
  }
}
