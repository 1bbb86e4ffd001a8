import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SharedRateLimitService } from '../limits/shared-rate-limit.service.js';
import { Config } from '../platform/config/config.js';
import { RateLimit } from '../platform/limits/rate-limit.js';

/** Per 15 minutes, summed over all processes. */
const maxRefusals = { pair: 300, client: 10_000, address: 3000 };
const maxDeviceRequests = 60;
/** For people who are not signed in. High enough for an office behind one address that starts work at the same time. */
const maxAnonymousRequests = 1000;
/** An address beyond these is counted in the database again. */
const maxBlockedAddresses = 10_000;

/**
 * Limits requests to the endpoints for programs. Each process counts requests in memory; refusals are counted in the
 * database for all processes. An address over its limit is blocked. For a client over its limit only error responses
 * are replaced, so nobody can lock out another product by failing in its name.
 */
@Injectable()
export class OauthRateLimitService {
  private readonly requests = new RateLimit();
  private readonly blockedUntil = new LRUCache<string, number>({ max: maxBlockedAddresses });

  constructor(
    private readonly sharedRateLimit: SharedRateLimitService,
    private readonly config: Config,
  ) {}

  /** Seconds that this address has to wait, or 0. */
  secondsToWait(address: string): number {
    const now = Date.now();
    const until = this.blockedUntil.get(address) ?? 0;
    if (until > now) return Math.ceil((until - now) / 1000);
    this.blockedUntil.delete(address);
    return this.requests.secondsToWait(address, this.config.limits.tokensPerMinute);
  }

  /**
   * Counts a refusal. Returns the seconds to wait, or 0 within the limits. `client` is the claimed, unverified client
   * id.
   */
  async countRefusal(address: string, client: string): Promise<number> {
    // the claimed client id is arbitrary text; JSON keeps its key distinct from an address with the same spelling
    const byAddress = JSON.stringify(['refused address', address]);
    const over = await this.sharedRateLimit.findExceeded({
      [byAddress]: maxRefusals.address,
      [JSON.stringify(['refused client', client])]: maxRefusals.client,
      [JSON.stringify(['refused pair', client, address])]: maxRefusals.pair,
    });
    const seconds = over.get(byAddress);
    if (seconds) this.blockedUntil.set(address, Date.now() + seconds * 1000);
    return Math.max(0, ...over.values());
  }

  /** Every device request costs a row and a code. Returns the seconds to wait if an address started too many. */
  countDeviceRequest(address: string): Promise<number> {
    return this.count('device', address, maxDeviceRequests);
  }

  /**
   * Every request that waits for a sign-in costs a row. Embedded requests count separately, so they cannot block
   * people.
   */
  countAnonymousRequest(address: string, isEmbedded: boolean): Promise<number> {
    return this.count(isEmbedded ? 'anonymous embedded' : 'anonymous', address, maxAnonymousRequests);
  }

  private async count(what: string, address: string, most: number): Promise<number> {
    const over = await this.sharedRateLimit.findExceeded({ [`${what} ${address}`]: most });
    return Math.max(0, ...over.values());
  }
}
