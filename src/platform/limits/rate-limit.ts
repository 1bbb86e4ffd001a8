export interface RateLimitResult {
  isAllowed: boolean;
  remaining: number;
  /** Until the window ends. */
  resetSeconds: number;
}

interface WindowCount {
  /** Counted by this process. */
  here: number;
  /** The part of `here` that the other processes know. */
  shared: number;
  elsewhere: number;
}

/** Counts of one window that the other processes do not know yet. */
export interface UnsharedCounts {
  window: number;
  amounts: { key: string; amount: number }[];
}

interface RateLimitOptions {
  windowMs?: number;
  /** Further keys are refused until the next window, so that many keys cannot exhaust the memory. */
  maxKeys?: number;
}

/** Limits the requests of each key within fixed windows of time. Each process counts in memory. */
export class RateLimit {
  private readonly windowMs: number;
  private readonly maxKeys: number;
  private window = 0;
  private counts = new Map<string, WindowCount>();

  constructor({ windowMs = 60_000, maxKeys = 100_000 }: RateLimitOptions = {}) {
    this.windowMs = windowMs;
    this.maxKeys = maxKeys;
  }

  /** Counts `amount` if the key is below its limit. The last amount may exceed the limit. */
  consume(key: string, limit: number, amount = 1): RateLimitResult {
    const now = Date.now();
    this.startWindow(now);
    const resetSeconds = Math.ceil((this.windowMs - (now % this.windowMs)) / 1000);
    const count = this.countOf(key);
    if (!count) return { isAllowed: false, remaining: 0, resetSeconds };
    const used = count.here + count.elsewhere;
    const isAllowed = used < limit;
    if (isAllowed) count.here += amount;
    return { isAllowed, remaining: Math.max(0, limit - used - amount), resetSeconds };
  }

  /** Counts one request. Returns the seconds to wait if there were too many; otherwise 0. */
  secondsToWait(key: string, limit: number): number {
    const { isAllowed, resetSeconds } = this.consume(key, limit);
    return isAllowed ? 0 : resetSeconds;
  }

  unshared(): UnsharedCounts {
    this.startWindow(Date.now());
    const amounts = [...this.counts]
      .map(([key, { here, shared }]) => ({ key, amount: here - shared }))
      .filter(({ amount }) => amount > 0);
    return { window: this.window, amounts };
  }

  /** `total`: the sum of all processes after `amount` was added to it. */
  recordShared(window: number, { key, amount, total }: { key: string; amount: number; total: number }): void {
    const count = this.counts.get(key);
    if (!count || window !== this.window) return; // the next window has begun
    count.shared += amount;
    count.elsewhere = total - count.shared;
  }

  private startWindow(now: number): void {
    const window = Math.floor(now / this.windowMs);
    if (window !== this.window) [this.window, this.counts] = [window, new Map()];
  }

  /** Null: it counts as many keys as it may. */
  private countOf(key: string): WindowCount | null {
    const known = this.counts.get(key);
    if (known) return known;
    if (this.counts.size >= this.maxKeys) return null;
    const count = { here: 0, shared: 0, elsewhere: 0 };
    this.counts.set(key, count);
    return count;
  }
}
