/** Requests a minute, as the vendor documents them for a team. The first that matches a path counts. */
const documented: [RegExp, number][] = [
  [/^\/teams\/filtered-usage-events$/, 60],
  [/^\/teams\//, 20],
  [/^\/analytics\/by-user\//, 50],
  [/^\/analytics\//, 100],
];

export interface LimitOptions {
  /** How long a count lasts; a minute when omitted. */
  windowMs?: number;
  /** For each endpoint, instead of the documented numbers. */
  requests?: number;
  /** Whether a refusal says when to come again. */
  retryAfter?: boolean;
}

/** The vendor's limits: each endpoint counts by itself, and the count begins anew with each window. */
export class Limits {
  private readonly options: LimitOptions | undefined;
  private readonly windows = new Map<string, { until: number; count: number }>();

  /** Undefined: no limits, as tests of other things want it. */
  constructor(options: LimitOptions | undefined) {
    this.options = options;
  }

  /** Counts a request. A number: refused, and so many milliseconds until the next is answered. */
  take(path: string): number | undefined {
    if (!this.options) return undefined;
    const now = Date.now();
    const known = this.windows.get(path);
    const window = known && known.until > now ? known : { until: now + (this.options.windowMs ?? 60_000), count: 0 };
    this.windows.set(path, window);
    const most = this.options.requests ?? documented.find(([pattern]) => pattern.test(path))?.[1] ?? 20;
    return ++window.count > most ? window.until - now : undefined;
  }

  /** Answers from the client's own cache are not counted. */
  giveBack(path: string): void {
    const window = this.windows.get(path);
    if (window) window.count--;
  }

  get tellsWhen(): boolean {
    return this.options?.retryAfter ?? true;
  }
}
