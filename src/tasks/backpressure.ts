/** A window with fewer sends is no flood, whatever else is going on. */
const minAcceptedPerSample = 100;

/**
 * Taking in goes before working off: what was sent waits safely in its row, who sends waits for an answer. While at least
 * twice as much comes in as is finished, one task at a time is worked on, and a fifth of the time.
 */
export class Backpressure {
  private isOverloaded = false;
  private idleUntil = 0;
  private last = { accepted: 0, ended: 0 };

  /** To be told now and then how many tasks this process took in and finished so far. */
  sample(accepted: number, ended: number): void {
    const came = accepted - this.last.accepted;
    this.isOverloaded = came >= minAcceptedPerSample && came >= 2 * (ended - this.last.ended);
    this.last = { accepted, ended };
  }

  recordRun(ms: number, now: number): void {
    if (this.isOverloaded) this.idleUntil = now + 4 * ms;
  }

  /** How many may be worked on at once. */
  concurrency(usually: number, now: number): number {
    if (!this.isOverloaded) return usually;
    return now < this.idleUntil ? 0 : 1;
  }
}
