/** A rate limit with a fixed window, which most vendors use. */
export class FixedWindow {
  limit: number;
  windowMs: number;
  used = 0;
  resetAt = 0;

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  /** Consumes this cost. Returns false if the quota of the window is exhausted. */
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
