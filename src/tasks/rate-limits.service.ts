import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { rateLimited } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { type RequestKind, KeyUsageService, type StreamSlot } from './key-usage.service.js';

/** Per key, or person and product, and minute, on all processes together. */
@Injectable()
export class RateLimitsService {
  constructor(
    private readonly usage: KeyUsageService,
    private readonly config: Config,
  ) {}

  /** Throws where the caller has used up what there is; else the headers that tell how much is left. */
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
    throw rateLimited(`This credential may make ${limit} ${what} a minute.`, {
      headers: { ...headers, 'Retry-After': String(resetSeconds) },
    });
  }

  /** For calls that a task is about to make. Null: they may be made now; else in so many seconds. */
  consumeCalls(principal: Principal, amount: number): number | null {
    const { callsPerMinute } = this.config.limits;
    const { isAllowed, resetSeconds } = this.usage.count(principal, 'calls', callsPerMinute, amount);
    return isAllowed ? null : resetSeconds;
  }

  /** Throws where the caller has as many open as it may have. */
  openStream(principal: Principal): StreamSlot {
    const { streams } = this.config.limits;
    const slot = this.usage.openStream(principal, streams);
    if (slot) return slot;
    throw rateLimited(`This credential may have ${streams} streams open.`, { headers: { 'Retry-After': '5' } });
  }
}
