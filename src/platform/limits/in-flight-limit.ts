/** One of the requests or streams that a key may have at the same time. */
export interface InFlightSlot {
  /** Further calls have no effect. */
  release(): void;
}

interface InFlightCount {
  here: number;
  elsewhere: number;
}

/** Limits the requests or streams that each key has at the same time. Each process counts in memory. */
export class InFlightLimit {
  private readonly counts = new Map<string, InFlightCount>();

  /** Null: the key has reached its limit. */
  acquire(key: string, limit: number): InFlightSlot | null {
    const count = this.counts.get(key) ?? { here: 0, elsewhere: 0 };
    if (count.here + count.elsewhere >= limit) return null;
    this.counts.set(key, count);
    count.here += 1;
    let isReleased = false;
    return {
      release: () => {
        if (isReleased) return;
        isReleased = true;
        count.here -= 1;
        if (!count.here && !count.elsewhere) this.counts.delete(key);
      },
    };
  }

  /** What this process has in progress, by key. */
  get here(): Map<string, number> {
    return new Map([...this.counts].map(([key, { here }]) => [key, here]));
  }

  /** `elsewhere`: what other processes have in progress. */
  recordElsewhere(key: string, elsewhere: number): void {
    const count = this.counts.get(key);
    if (!count) return;
    count.elsewhere = elsewhere;
    if (!count.here) this.counts.delete(key);
  }
}
