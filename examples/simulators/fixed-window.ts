/** A rate limit with a fixed window, as most vendors have it. */
export class FixedWindow {
  limit: number;
  windowMs: number;
  used = 0;
  resetAt = 0;

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  /** Counts a request of this cost. False: the window is used up. */
  take(cost = 1, now = Date.now()): boolean {
    if (now >= this.resetAt) {
      this.used = 0;
      this.resetAt = now + this.windowMs;
    }
    if (this.used + cost > this.limit) return false;
    this.used += cost;
    return true;
  }

  get remaining(): number {
    return Math.max(0, this.limit - this.used);
  }
}
