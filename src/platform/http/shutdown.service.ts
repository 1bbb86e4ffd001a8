import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';

/** Minimum time for aborted work to record its outcome. */
const minRemainingMs = 1000;

/** Signals the shutdown before open connections are drained, so that waiting requests answer instead of blocking it. */
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
    this.controller.abort(new Error('the server is shutting down'));
  }

  /** The time that is left for work in progress. */
  get remainingMs(): number {
    return Math.max(this.graceEndsAt - performance.now(), minRemainingMs);
  }

  /** Waits for work in progress, until the grace period ends. */
  async drain(isInProgress: () => boolean): Promise<void> {
    const until = performance.now() + this.remainingMs;
    while (isInProgress() && performance.now() < until) await sleep(50);
  }
}
