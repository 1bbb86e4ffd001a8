import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { rateLimited } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';

/**
 * Requests that this process works on, by person and client. Some are held while somebody decides, and all of them go on
 * when their client has gone: without an end to it, one client could fill the memory for everybody.
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
      throw rateLimited(`This credential may have ${limit} requests open at a time.`, {
        headers: { 'Retry-After': '1' },
      });
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
