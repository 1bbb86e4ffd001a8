import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { rateLimited } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';

/**
 * Limits the requests that one caller and client have open in this process. Requests may wait for an approval, and they
 * continue after a disconnect. Without a limit, one client could exhaust the memory for everyone.
 */
@Injectable()
export class OpenRequestLimiter {
  private readonly openCounts = new Map<string, number>();

  constructor(private readonly config: Config) {}

  async run<T>({ tenantId, memberId, agentId, clientId }: Principal, work: () => Promise<T>): Promise<T> {
    const limit = this.config.limits.openRequests;
    const key = JSON.stringify([tenantId, memberId, agentId, clientId]);
    const others = this.openCounts.get(key) ?? 0;
    if (others >= limit)
      throw rateLimited(
        `This credential already has ${limit} open requests, the maximum. Wait until one of them ends.`,
        {
          headers: { 'Retry-After': '1' },
        },
      );
    this.openCounts.set(key, others + 1);
    try {
      return await work();
    } finally {
      const left = this.openCounts.get(key)! - 1;
      if (left) this.openCounts.set(key, left);
      else this.openCounts.delete(key);
    }
  }
}
