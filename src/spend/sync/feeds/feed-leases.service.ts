import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../../platform/database/database.service.js';
import { LogService } from '../../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../../principal/principal.js';
import { SpendVendorRegistry } from '../../spend-vendor-registry.service.js';
import { insertMissingFeeds, renewFeedLease, type ClaimedFeed, claimFeeds } from './feeds.system.sql.js';
import { setFeedWait } from './feeds.sql.js';
import { type FeedLease, FeedLeaseLost } from './feed-lease.js';

const leaseSeconds = 15;
const heartbeatMs = 4_000;

/** Whose turn it is to pull which connection: the database decides, so that there is one process a connection. */
@Injectable()
export class FeedLeasesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly vendors: SpendVendorRegistry,
    private readonly log: LogService,
  ) {}

  claim(limit: number): Promise<FeedLease[]> {
    return this.database.system('spend due', async (tx) => {
      await tx.query(insertMissingFeeds, [this.vendors.kinds()]);
      const [claimed] = await tx.query<[ClaimedFeed[], number]>(claimFeeds, [limit, leaseSeconds]);
      return claimed.map(({ tenantId, connectionId, epoch }) => {
        return { principal: systemPrincipal(tenantId, 'Spend'), connectionId, epoch };
      });
    });
  }

  /** Keeps the lease while `work` goes on, and tells people until when it waits; stops it when the lease is lost. */
  async runWithLease<T>(
    lease: FeedLease,
    waitsUntil: () => Date | null,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const lost = new AbortController();
    let renewedAt = performance.now();
    const heartbeat = async () => {
      const askedAt = performance.now();
      try {
        if (await this.renew(lease, waitsUntil())) renewedAt = askedAt;
        else lost.abort(new FeedLeaseLost());
      } catch (error) {
        this.log.warn({ err: error, connectionId: lease.connectionId }, 'the lease of a pull was not renewed');
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
    const values = [principal.tenantId, connectionId, epoch];
    const { rowCount } = await this.database.systemPool.query(renewFeedLease, [...values, leaseSeconds]);
    if (rowCount && waitsUntil)
      await this.database.tenant(principal, (tx) => tx.query(setFeedWait, [...values, waitsUntil]));
    return rowCount === 1;
  }
}
