import type { Readable } from 'node:stream';

/**
 * Reads no more than so many bytes a second on average: whoever writes more finds the pipe full, and waits. It costs us no
 * more than that, whatever a child writes.
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
