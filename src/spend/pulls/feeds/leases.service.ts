import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.service.js';
import { Log } from '../../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../../principal/principal.js';
import { SpendVendors } from '../../vendors.service.js';
import { adoptFeeds, renewLease, type TakenFeed, takeFeeds } from './feeds.system.sql.js';
import { waitFeed } from './feeds.sql.js';
import { type Lease, Overtaken } from './lease.js';

const leaseSeconds = 15;
const heartbeatMs = 4_000;

/** Whose turn it is to pull which connection: the database decides, so that there is one process a connection. */
@Injectable()
export class FeedLeases {
  constructor(
    private readonly database: Database,
    private readonly vendors: SpendVendors,
    private readonly log: Log,
  ) {}

  take(most: number): Promise<Lease[]> {
    return this.database.system('spend due', async (tx) => {
      await tx.query(adoptFeeds, [this.vendors.kinds()]);
      const [taken] = await tx.query<[TakenFeed[], number]>(takeFeeds, [most, leaseSeconds]);
      return taken.map(({ tenantId, connectionId, epoch }) => {
        return { principal: systemPrincipal(tenantId, 'Spend'), connectionId, epoch };
      });
    });
  }

  /** Keeps the lease while `work` goes on, and tells people until when it waits; stops it when the lease is lost. */
  async during<T>(
    lease: Lease,
    waitsUntil: () => Date | null,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const lost = new AbortController();
    let renewedAt = performance.now();
    const beat = async () => {
      const askedAt = performance.now();
      try {
        if (await this.renew(lease, waitsUntil())) renewedAt = askedAt;
        else lost.abort(new Overtaken());
      } catch (error) {
        this.log.warn({ err: error, connectionId: lease.connectionId }, 'the lease of a pull was not renewed');
        if (performance.now() - renewedAt > leaseSeconds * 1000) lost.abort(new Overtaken());
      }
    };
    const heart = setInterval(() => void beat(), heartbeatMs);
    try {
      return await work(AbortSignal.any([signal, lost.signal]));
    } finally {
      clearInterval(heart);
    }
  }

  private async renew({ principal, connectionId, epoch }: Lease, waitsUntil: Date | null): Promise<boolean> {
    const values = [principal.tenantId, connectionId, epoch];
    const { rowCount } = await this.database.systemPool.query(renewLease, [...values, leaseSeconds]);
    if (rowCount && waitsUntil)
      await this.database.tenant(principal, (tx) => tx.query(waitFeed, [...values, waitsUntil]));
    return rowCount === 1;
  }
}
