const minuteMs = 60_000;
const maxNetworks = 100_000;

/** Counts the requests of each network in the current minute, per process. */
export class RequestWindow {
  private minute = 0;
  private counts = new Map<string, number>();

  constructor(private readonly maxRequests: number) {}

  /** Counts one request. Returns the seconds to wait if there were too many; otherwise 0. */
  count(network: string): number {
    const now = Date.now();
    const minute = Math.floor(now / minuteMs);
    if (minute !== this.minute) [this.minute, this.counts] = [minute, new Map()];
    const known = this.counts.get(network);
    if (known === undefined && this.counts.size >= maxNetworks) return secondsLeftInMinute(minute, now);
    const count = (known ?? 0) + 1;
    this.counts.set(network, count);
    return count > this.maxRequests ? secondsLeftInMinute(minute, now) : 0;
  }
}

const secondsLeftInMinute = (minute: number, now: number) => Math.ceil(((minute + 1) * minuteMs - now) / 1000);
