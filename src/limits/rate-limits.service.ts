import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { rateLimited } from '../platform/errors/general.error.js';
import type { InFlightSlot } from '../platform/limits/in-flight-limit.js';
import type { Principal } from '../principal/principal.js';
import { type RequestKind, KeyUsageService } from './key-usage.service.js';

/** Limits per minute for each key, or each person and product, across all processes. */
@Injectable()
export class RateLimitsService {
  constructor(
    private readonly usage: KeyUsageService,
    private readonly config: Config,
  ) {}

  /** Throws if the caller has reached its limit; else returns headers with the remaining quota. */
  consume(principal: Principal, what: RequestKind): Record<string, string> {
    const { limits } = this.config;
    const limit = what === 'sends' ? limits.sendsPerMinute : limits.readsPerMinute;
    const { isAllowed, remaining, resetSeconds } = this.usage.count(principal, what, limit);
    const headers = {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(resetSeconds),
    };
    if (isAllowed) return headers;
    throw rateLimited(`This credential is limited to ${limit} ${what} per minute.`, {
      headers: { ...headers, 'Retry-After': String(resetSeconds) },
    });
  }

  /** For calls that a task is about to make. Null: allowed now; else the seconds to wait. */
  consumeCalls(principal: Principal, amount: number): number | null {
    const { callsPerMinute } = this.config.limits;
    const { isAllowed, resetSeconds } = this.usage.count(principal, 'calls', callsPerMinute, amount);
    return isAllowed ? null : resetSeconds;
  }

  /** Throws if the caller has reached its limit of open streams. */
  openStream(principal: Principal): InFlightSlot {
    const { streams } = this.config.limits;
    const slot = this.usage.openStream(principal, streams);
    if (slot) return slot;
    throw rateLimited(`This credential is limited to ${streams} open streams.`, { headers: { 'Retry-After': '5' } });
  }
}
