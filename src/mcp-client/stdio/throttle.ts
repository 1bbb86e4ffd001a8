import type { Readable } from 'node:stream';

/**
 * Limits the average bytes per second that are read: a faster writer finds the pipe full and waits, so a child cannot
 * cost more than that.
 */
export class Throttle {
  private spent = 0;
  private since = performance.now();

  constructor(
    private readonly stream: Readable,
    private readonly bytesPerSecond: number,
  ) {}

  spend(bytes: number): void {
    const now = performance.now();
    this.spent = Math.max(0, this.spent - ((now - this.since) / 1000) * this.bytesPerSecond) + bytes;
    this.since = now;
    const debtMs = ((this.spent - this.bytesPerSecond) / this.bytesPerSecond) * 1000;
    if (debtMs <= 0 || this.stream.isPaused()) return;
    this.stream.pause();
    setTimeout(() => this.stream.resume(), debtMs).unref();
  }
}
