import { FixedWindow } from '../fixed-window.ts';
import type { SimulatedReply } from '../http-simulator.ts';

export interface AtlassianLimitOptions {
  /** Requests per second. Default: no limit. */
  burst?: number;
  /** Points per hour: 1 for a request and 1 for each object. Default: no limit. */
  pointsPerHour?: number;
}

/** The rate limits of Jira and Confluence Cloud. */
export class AtlassianLimits {
  readonly burst: FixedWindow;
  readonly points: FixedWindow;
  private readonly hasPoints: boolean;

  constructor(options: AtlassianLimitOptions = {}) {
    this.burst = new FixedWindow(options.burst ?? Infinity, 1000);
    this.points = new FixedWindow(options.pointsPerHour ?? Infinity, 3_600_000);
    this.hasPoints = options.pointsPerHour !== undefined;
  }

  /** The rejection of a request. Undefined if it is within the limits. */
  take(): SimulatedReply | undefined {
    if (!this.burst.take()) return this.rejection('jira-burst-based', this.burst);
    if (!this.points.take()) return this.rejection('jira-quota-global-based', this.points);
    return undefined;
  }

  /** Charges points for the objects in a response. */
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
      headers: { 'ratelimit-reason': reason, ...this.headers, ...when },
      body: { errorMessages: ['Rate limit exceeded.'] },
    };
  }
}
