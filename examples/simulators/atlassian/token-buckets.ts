import type { SimulatedReply } from '../http-simulator.ts';
import type { RequestLimits } from './atlassian-simulator.ts';

export interface TokenBucketOptions {
  /** The maximum number of requests that an account can send at once. Default: no limit. */
  limit?: number;
  /** Requests that each interval adds. */
  fillRate?: number;
  intervalSeconds?: number;
}

/** The rate limiting of Data Center: a token bucket per account. */
export class TokenBuckets implements RequestLimits {
  private readonly options: TokenBucketOptions;
  private readonly buckets = new Map<string, { tokens: number; filledAt: number }>();
  private last = 0;

  constructor(options: TokenBucketOptions = {}) {
    this.options = options;
  }

  take(account: string): SimulatedReply | undefined {
    const { limit, fillRate = 10, intervalSeconds = 1 } = this.options;
    if (limit === undefined) return undefined;
    const now = Date.now();
    const bucket = this.buckets.get(account) ?? { tokens: limit, filledAt: now };
    const intervals = Math.floor((now - bucket.filledAt) / (intervalSeconds * 1000));
    bucket.tokens = Math.min(limit, bucket.tokens + intervals * fillRate);
    bucket.filledAt += intervals * intervalSeconds * 1000;
    this.buckets.set(account, bucket);
    if (bucket.tokens > 0) bucket.tokens--;
    else return { status: 429, headers: { ...this.headers, 'retry-after': String(intervalSeconds) }, body: tooMany };
    this.last = bucket.tokens;
    return undefined;
  }

  get headers(): Record<string, string> {
    const { limit, fillRate = 10, intervalSeconds = 1 } = this.options;
    if (limit === undefined) return {};
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(this.last),
      'x-ratelimit-fillrate': String(fillRate),
      'x-ratelimit-interval-seconds': String(intervalSeconds),
      'retry-after': '0',
    };
  }
}

const tooMany = { message: 'Rate limit exceeded.' };
