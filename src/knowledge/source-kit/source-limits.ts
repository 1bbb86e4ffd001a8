import { setTimeout as after } from 'node:timers/promises';
import { SourcePaused } from '../../connections/connections.error.js';
import type { SourceQuota } from '../../connections/knowledge-source.port.js';

/** The rate limits in a response. */
export interface LimitReading {
  /** When to retry, if the source rejected the request because of a limit. */
  retryAt?: Date;
  /** The remaining quota of each limit in the response. */
  quotas?: readonly SourceQuota[];
}

/** The input of `ReadLimits`. */
export interface LimitedAnswer {
  status: number;
  headers: Headers;
  /** Parsed JSON. Undefined if the body is not JSON. */
  body: unknown;
  /** The number of previous rejections of this request because of a limit. */
  rejections: number;
  now: number;
}

export type ReadLimits = (answer: LimitedAnswer) => LimitReading;

export interface LimitOptions {
  /** The name of the source, for example "GitHub". */
  system: string;
  /** The maximum share of each quota to use. 1 if a person waits for the response. */
  share: number;
  /** The maximum wait. A longer one throws `SourcePaused`. */
  maxWaitMs: number;
  signal: AbortSignal;
  quota?: (status: SourceQuota) => void;
}

/** Leaves a share of the quota to the other users of the credential, and waits for rate limits. */
export class RequestBudget {
  private readonly quotasByBucket = new Map<string, readonly SourceQuota[]>();

  constructor(private readonly options: LimitOptions) {}

  record(bucket: string, quotas: readonly SourceQuota[] | undefined): void {
    if (!quotas?.length) return;
    this.quotasByBucket.set(bucket, quotas);
    this.options.quota?.(quotas.reduce((least, one) => (leftOf(one) < leftOf(least) ? one : least)));
  }

  /** Waits until the next request of this bucket is within the share. */
  async admit(bucket: string): Promise<void> {
    const used = this.quotasByBucket.get(bucket)?.filter(({ limit, remaining, resetAt }) => {
      const reserve = limit - Math.floor(limit * this.options.share);
      return remaining <= reserve && resetAt.getTime() > Date.now();
    });
    if (!used?.length) return;
    const until = new Date(Math.max(...used.map(({ resetAt }) => resetAt.getTime())));
    const percent = Math.round(this.options.share * 100);
    await this.waitUntil(until, 0, `${percent}% of the rate limit of ${this.options.system} is used`);
    this.quotasByBucket.delete(bucket);
  }

  /** Returns the wait in ms. `waited` is the previous wait of this request and counts towards the maximum. */
  async waitUntil(until: Date, waited: number, why: string): Promise<number> {
    const wait = Math.max(0, until.getTime() - Date.now());
    if (waited + wait > this.options.maxWaitMs) throw new SourcePaused(`${why}, until ${until.toISOString()}`, until);
    await after(wait, undefined, { signal: this.options.signal });
    return wait;
  }
}

const leftOf = ({ limit, remaining }: SourceQuota): number => (limit > 0 ? remaining / limit : 0);
