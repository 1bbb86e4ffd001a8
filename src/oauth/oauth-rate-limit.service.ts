import { Injectable } from '@nestjs/common';
import { LoginThrottle } from '../access/login-throttle.service.js';
import { Config } from '../platform/config/config.js';
import { RequestWindow } from '../platform/http/request-window.js';

/** Within a quarter of an hour, on all processes together. */
const maxRefusals = { pair: 300, client: 10_000, address: 3000 };
const deviceRequests = 60;
/** Of people who are not signed in: an office behind one address comes in at nine. */
const maxAnonymousRequests = 1000;

/**
 * How much the endpoints for programs take. Requests are counted here, refusals in the database, for all processes. An
 * address that is over is not listened to; a client that is over is told nothing any more but what is right: nobody can
 * lock out somebody else's product by failing in its name.
 */
@Injectable()
export class OauthRateLimitService {
  private readonly requests: RequestWindow;
  private readonly blockedUntil = new Map<string, number>();

  constructor(
    private readonly loginThrottle: LoginThrottle,
    config: Config,
  ) {
    this.requests = new RequestWindow(config.limits.tokensPerMinute);
  }

  /** Seconds that this address has to wait; 0, go on. */
  secondsToWait(address: string): number {
    const now = Date.now();
    const until = this.blockedUntil.get(address) ?? 0;
    if (until > now) return Math.ceil((until - now) / 1000);
    this.blockedUntil.delete(address);
    return this.requests.count(address);
  }

  /** After a refusal: seconds to wait where there were too many; 0, there were not. `client`: whoever it claimed to be. */
  async countRefusal(address: string, client: string): Promise<number> {
    // a client's name is whatever it claims: it must not count for an address that is written the same
    const byAddress = JSON.stringify(['refused address', address]);
    const over = await this.loginThrottle.findExceeded({
      [byAddress]: maxRefusals.address,
      [JSON.stringify(['refused client', client])]: maxRefusals.client,
      [JSON.stringify(['refused pair', client, address])]: maxRefusals.pair,
    });
    const seconds = over.get(byAddress);
    if (seconds) this.blockedUntil.set(address, Date.now() + seconds * 1000);
    return Math.max(0, ...over.values());
  }

  /** Every device that starts costs a row and a code: seconds to wait where an address started too many. */
  countDeviceRequest(address: string): Promise<number> {
    return this.count('device', address, deviceRequests);
  }

  /** So does every request that waits for somebody to sign in. What a page loads as a part of itself keeps no person out. */
  countAnonymousRequest(address: string, isEmbedded: boolean): Promise<number> {
    return this.count(isEmbedded ? 'embedded stranger' : 'stranger', address, maxAnonymousRequests);
  }

  private async count(what: string, address: string, most: number): Promise<number> {
    const over = await this.loginThrottle.findExceeded({ [`${what} ${address}`]: most });
    return Math.max(0, ...over.values());
  }
}
