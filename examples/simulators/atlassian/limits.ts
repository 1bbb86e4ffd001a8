import { FixedWindow } from '../fixed-window.ts';
import type { SimulatedReply } from '../http-simulator.ts';

export interface AtlassianLimitOptions {
  /** Requests a second. Default: no limit. */
  burst?: number;
  /** Points an hour: 1 for a request and 1 for each object. Default: no limit. */
  pointsPerHour?: number;
  /** Rejections say how long to wait. Default: true. */
  tellsWhen?: boolean;
}

/** The rate limits of Jira and Confluence Cloud. */
export class AtlassianLimits {
  readonly burst: FixedWindow;
  readonly points: FixedWindow;
  private readonly hasPoints: boolean;
  private readonly tellsWhen: boolean;

  constructor(options: AtlassianLimitOptions = {}) {
    this.burst = new FixedWindow(options.burst ?? Infinity, 1000);
    this.points = new FixedWindow(options.pointsPerHour ?? Infinity, 3_600_000);
    this.hasPoints = options.pointsPerHour !== undefined;
    this.tellsWhen = options.tellsWhen ?? true;
  }

  /** The rejection of a request; undefined if it may run. */
  take(): SimulatedReply | undefined {
    if (!this.burst.take()) return this.rejection('jira-burst-based', this.burst);
    if (!this.points.take()) return this.rejection('jira-quota-global-based', this.points);
    return undefined;
  }

  /** Objects cost points after they were read. */
  charge(objects: number): void {
    this.points.used = Math.min(this.points.limit, this.points.used + objects);
  }

  get headers(): Record<string, string> {
    if (!this.hasPoints) return {};
    return {
      'x-ratelimit-limit': String(this.points.limit),
      'x-ratelimit-remaining': String(this.points.remaining),
      'x-ratelimit-reset': new Date(this.points.resetAt).toISOString(),
    };
  }

  private rejection(reason: string, { resetAt }: FixedWindow): SimulatedReply {
    const seconds = Math.max(1, Math.ceil((resetAt - Date.now()) / 1000));
    const when = { 'retry-after': String(seconds), 'x-ratelimit-reset': new Date(resetAt).toISOString() };
    return {
      status: 429,
      headers: { 'ratelimit-reason': reason, ...this.headers, ...(this.tellsWhen && when) },
      body: { errorMessages: ['Rate limit exceeded.'] },
    };
  }
}
