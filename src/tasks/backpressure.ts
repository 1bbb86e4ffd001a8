/** A sample with fewer new messages never counts as overload. */
const minAcceptedPerSample = 100;

/**
 * Accepting messages has priority over running tasks: a stored message can wait, its sender is waiting for a response.
 * While at least twice as many messages arrive as tasks end, the process runs one task at a time, for a fifth of the
 * time.
 */
export class Backpressure {
  private isOverloaded = false;
  private idleUntil = 0;
  private last = { accepted: 0, ended: 0 };

  /** Call periodically with the totals of messages accepted and tasks ended in this process. */
  sample(accepted: number, ended: number): void {
    const arrived = accepted - this.last.accepted;
    this.isOverloaded = arrived >= minAcceptedPerSample && arrived >= 2 * (ended - this.last.ended);
    this.last = { accepted, ended };
  }

  recordRun(ms: number, now: number): void {
    if (this.isOverloaded) this.idleUntil = now + 4 * ms;
  }

  /** How many tasks may run at once. */
  concurrency(normal: number, now: number): number {
    if (!this.isOverloaded) return normal;
    return now < this.idleUntil ? 0 : 1;
  }
}
