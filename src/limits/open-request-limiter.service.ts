import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { rateLimited } from '../platform/errors/general.error.js';
import { InFlightLimit } from '../platform/limits/in-flight-limit.js';
import type { Principal } from '../principal/principal.js';

/**
 * Limits the requests that one caller and client have open in this process. Requests may wait for an approval, and they
 * continue after a disconnect. Without a limit, one client could exhaust the memory for everyone.
 */
@Injectable()
export class OpenRequestLimiter {
  private readonly openRequests = new InFlightLimit();

  constructor(private readonly config: Config) {}

  async run<T>({ tenantId, memberId, agentId, clientId }: Principal, work: () => Promise<T>): Promise<T> {
    const limit = this.config.limits.openRequests;
    const slot = this.openRequests.acquire(JSON.stringify([tenantId, memberId, agentId, clientId]), limit);
    if (!slot)
      throw rateLimited(
        `This credential already has ${limit} open requests, the maximum. Wait until one of them ends.`,
        {
          headers: { 'Retry-After': '1' },
        },
      );
    try {
      return await work();
    } finally {
      slot.release();
    }
  }
}
