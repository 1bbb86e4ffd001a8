import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { rateLimited } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';

/**
 * Requests that this process works on, by person and client. Some are held while somebody decides, and all of them go on
 * when their client has gone: without an end to it, one client could fill the memory for everybody.
 */
@Injectable()
export class OpenRequests {
  private readonly open = new Map<string, number>();

  constructor(private readonly config: Config) {}

  async within<T>({ tenantId, memberId, agentId, clientId }: Principal, work: () => Promise<T>): Promise<T> {
    const most = this.config.limits.openRequests;
    const key = JSON.stringify([tenantId, memberId, agentId, clientId]);
    const others = this.open.get(key) ?? 0;
    if (others >= most)
      throw rateLimited(`This credential may have ${most} requests open at a time.`, {
        headers: { 'Retry-After': '1' },
      });
    this.open.set(key, others + 1);
    try {
      return await work();
    } finally {
      const left = this.open.get(key)! - 1;
      if (left) this.open.set(key, left);
      else this.open.delete(key);
    }
  }
}
