import { Injectable } from '@nestjs/common';
import type { BulkConnection } from '../../platform/database/bulk-database.service.js';
import { OutboxService } from '../../platform/events/outbox.service.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { SpendVendor, VendorSync } from '../vendor.js';
import { DayReplacementService } from './day-replacement/day-replacement.service.js';
import { FeedSync, type FeedSyncServices } from './feed-sync.js';
import type { FeedLease } from './feeds/feed-lease.js';
import { MembersSyncService } from './members-sync.service.js';

/** Creates the object that holds the state of one sync. */
@Injectable()
export class FeedSyncFactory {
  private readonly services: FeedSyncServices;

  constructor(
    dayReplacement: DayReplacementService,
    members: MembersSyncService,
    outbox: OutboxService,
    wakeupChannel: WakeupChannel,
    log: LogService,
  ) {
    this.services = { dayReplacement, members, outbox, wakeupChannel, log };
  }

  create(
    connection: BulkConnection,
    lease: FeedLease,
    vendor: SpendVendor,
    cadenceSeconds: number,
    request: Pick<VendorSync, 'context' | 'signal'>,
  ): FeedSync {
    return new FeedSync(connection, lease, vendor, cadenceSeconds, request, this.services);
  }
}
