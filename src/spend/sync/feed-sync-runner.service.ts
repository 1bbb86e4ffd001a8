import { Injectable } from '@nestjs/common';
import { ConnectionsService } from '../../connections/connections.service.js';
import { ConnectorRegistry } from '../../connections/connector-registry.service.js';
import { cadenceSeconds } from '../../connections/pull-cadence.port.js';
import { BulkDatabaseService } from '../../platform/database/bulk-database.service.js';
import { SpendVendorRegistry } from '../spend-vendor-registry.service.js';
import type { FeedSync } from './feed-sync.js';
import { FeedSyncFactory } from './feed-sync-factory.service.js';
import type { FeedLease } from './feeds/feed-lease.js';
import { FeedLeasesService } from './feeds/feed-leases.service.js';

const defaultCadence = '1h';

/** The sync, once it has started: its step names what failed. */
export interface StartedSync {
  sync?: FeedSync;
}

/** Runs a sync while its lease is renewed, on one connection for bulk statements. */
@Injectable()
export class FeedSyncRunner {
  constructor(
    private readonly bulkDatabase: BulkDatabaseService,
    private readonly connections: ConnectionsService,
    private readonly connectors: ConnectorRegistry,
    private readonly vendors: SpendVendorRegistry,
    private readonly leases: FeedLeasesService,
    private readonly feedSyncFactory: FeedSyncFactory,
  ) {}

  /** Returns when the next sync is due. */
  async run(lease: FeedLease, started: StartedSync, shutdown: AbortSignal): Promise<Date> {
    const { principal, connectionId } = lease;
    const connection = await this.connections.get(principal, connectionId);
    const vendor = this.vendors.get(connection.kind);
    const cadence = cadenceSeconds(this.connectors.get(connection.kind).pullCadence ?? defaultCadence);
    return this.bulkDatabase.use(async (own) => {
      const waitsUntil = () => started.sync?.waitsUntil ?? null;
      return this.leases.runWithLease(lease, waitsUntil, shutdown, async (signal) => {
        const { context } = await this.connections.open(principal, connection, signal);
        started.sync = this.feedSyncFactory.create(own, lease, vendor, cadence, { context, signal });
        return started.sync.run();
      });
    });
  }
}
