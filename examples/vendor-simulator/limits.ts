/** Requests per minute, as the vendor documents them for a team. The first match of a path applies. */
const documented: [RegExp, number][] = [
  [/^\/teams\/filtered-usage-events$/, 60],
  [/^\/teams\//, 20],
  [/^\/analytics\/by-user\//, 50],
  [/^\/analytics\//, 100],
];

export interface LimitOptions {
  /** Length of a window; default: one minute. */
  windowMs?: number;
  /** Limit per endpoint, instead of the documented numbers. */
  requests?: number;
  /** Whether a 429 response contains Retry-After. */
  retryAfter?: boolean;
}

/** The vendor's rate limits: fixed windows, counted per endpoint. */
export class Limits {
  private readonly options: LimitOptions | undefined;
  private readonly windows = new Map<string, { until: number; count: number }>();

  /** Undefined: no limits. */
  constructor(options: LimitOptions | undefined) {
    this.options = options;
  }

  /** Counts a request. Returns undefined, or for a limited request the milliseconds until the next window. */
  take(path: string): number | undefined {
    if (!this.options) return undefined;
    const now = Date.now();
    const known = this.windows.get(path);
    const window = known && known.until > now ? known : { until: now + (this.options.windowMs ?? 60_000), count: 0 };
    this.windows.set(path, window);
    const most = this.options.requests ?? documented.find(([pattern]) => pattern.test(path))?.[1] ?? 20;
    return ++window.count > most ? window.until - now : undefined;
  }

  /** Responses with 304 do not count. */
  giveBack(path: string): void {
    const window = this.windows.get(path);
    if (window) window.count--;
  }

  get tellsWhen(): boolean {
    return this.options?.retryAfter ?? true;
  }
}
