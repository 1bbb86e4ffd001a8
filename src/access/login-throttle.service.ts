import { Injectable } from '@nestjs/common';
import { type LimitKey, SharedRateLimitService } from '../limits/shared-rate-limit.service.js';
import { rateLimited } from '../platform/errors/general.error.js';
import { networkOf } from '../platform/http/network-of.js';

/**
 * Attempts per 15 minutes. `pair` stops one address from guessing one account early. `account` (all addresses) is
 * generous, so that a stranger cannot easily lock out a member. `address` (all accounts) stops password spraying.
 */
const limits = { pair: 5, account: 50, address: 100, begun: 100 };

export interface LoginAttempt {
  /** Attempts from this address on this account (or on anything, if no account is known), including this one. */
  count: number;
  isLast: boolean;
  forgive(): Promise<void>;
}

/** Limits attempts to sign in, in the database and across all processes. */
@Injectable()
export class LoginThrottle {
  constructor(private readonly rateLimit: SharedRateLimitService) {}

  /** `account`: any key for the account, whether it exists or not. Throws `rate-limited`. */
  async count(account: string, address: string): Promise<LoginAttempt> {
    const network = networkOf(address);
    return this.countKeys({
      pair: ['pair', account, network],
      account: ['account', account],
      address: ['address', network],
    });
  }

  /**
   * For requests that create a row before anyone authenticates but guess nothing. They have their own count, so that
   * many started sign-ins do not block a password sign-in. Throws `rate-limited`.
   */
  async countByAddress(address: string): Promise<LoginAttempt> {
    return this.countKeys({ begun: begunKey(address) });
  }

  /** The started sign-in succeeded. */
  forgiveByAddress(address: string): Promise<void> {
    return this.rateLimit.forgive([begunKey(address)]);
  }

  private async countKeys(keyOf: Partial<Record<keyof typeof limits, LimitKey>>): Promise<LoginAttempt> {
    const keys = Object.values(keyOf);
    const shared = await this.rateLimit.count(keys);
    const counts = Object.keys(keyOf).map((kind, index) => ({
      limit: limits[kind as keyof typeof limits],
      ...shared[index],
    }));
    const over = counts.filter(({ count, limit }) => count > limit);
    if (over.length) throw tooManyAttempts(Math.max(...over.map(({ secondsLeft }) => secondsLeft)));
    const [{ count, limit }] = counts;
    return { count, isLast: count === limit, forgive: () => this.rateLimit.forgive(keys, keyOf.pair) };
  }
}

const begunKey = (address: string): LimitKey => ['begun', networkOf(address)];

function tooManyAttempts(seconds: number) {
  const minutes = Math.ceil(seconds / 60);
  return rateLimited(`Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`, {
    headers: { 'Retry-After': String(Math.max(1, seconds)) },
  });
}
