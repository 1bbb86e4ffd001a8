import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../../platform/database/database.service.js';
import { LogService } from '../../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../../principal/principal.js';
import { SpendVendorRegistry } from '../../spend-vendor-registry.service.js';
import { insertMissingFeeds, renewFeedLease, claimFeeds } from './feeds.system.sql.js';
import { setFeedWait } from './feeds.sql.js';
import { type FeedLease, FeedLeaseLost } from './feed-lease.js';

const leaseSeconds = 15;
const heartbeatMs = 4_000;

/** Leases connections to processes. The database decides, so at most one process syncs a connection. */
@Injectable()
export class FeedLeasesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly vendors: SpendVendorRegistry,
    private readonly log: LogService,
  ) {}

  claim(limit: number): Promise<FeedLease[]> {
    return this.database.system('spend due', async (tx) => {
      await tx.execute(insertMissingFeeds, [this.vendors.kinds()]);
      const claimed = await tx.run(claimFeeds, [limit, leaseSeconds]);
      return claimed.map(({ tenantId, connectionId, epoch }) => {
        return { principal: systemPrincipal(tenantId, 'Spend'), connectionId, epoch };
      });
    });
  }

  /**
   * Renews the lease while `work` runs and stores how long it waits for the vendor. Aborts it when the lease is lost.
   */
  async runWithLease<T>(
    lease: FeedLease,
    waitsUntil: () => Date | null,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const lost = new AbortController();
    let renewedAt = performance.now();
    const heartbeat = async () => {
      const startedAt = performance.now();
      try {
        if (await this.renew(lease, waitsUntil())) renewedAt = startedAt;
        else lost.abort(new FeedLeaseLost());
      } catch (error) {
        this.log.warn({ err: error, connectionId: lease.connectionId }, 'spend sync lease could not be renewed');
        if (performance.now() - renewedAt > leaseSeconds * 1000) lost.abort(new FeedLeaseLost());
      }
    };
    const timer = setInterval(() => void heartbeat(), heartbeatMs);
    try {
      return await work(AbortSignal.any([signal, lost.signal]));
    } finally {
      clearInterval(timer);
    }
  }

  private async renew({ principal, connectionId, epoch }: FeedLease, waitsUntil: Date | null): Promise<boolean> {
    const { tenantId } = principal;
    const renewed = await this.database.systemPool.execute(renewFeedLease, [
      tenantId,
      connectionId,
      epoch,
      leaseSeconds,
    ]);
    if (renewed && waitsUntil)
      await this.database.tenant(principal, (tx) =>
        tx.execute(setFeedWait, [tenantId, connectionId, epoch, waitsUntil]),
      );
    return renewed === 1;
  }
}
