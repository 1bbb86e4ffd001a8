import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import { OutboxService } from '../../platform/events/outbox.service.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { VendorError } from '../vendor.js';
import { failFeed, findFeed, postponeFeed, releaseFeed } from './feeds/feeds.sql.js';
import { type FeedLease, requireLease } from './feeds/feed-lease.js';
import { endRun, listRunningRuns } from './feeds/runs.sql.js';
import type { SyncFailure } from './sync-failure.js';
import { spendTopic } from './topics.js';

const hourMs = 3_600_000;

/** Records how a sync ended, and when the next one is due. */
@Injectable()
export class FeedSyncEndsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly log: LogService,
    private readonly outbox: OutboxService,
  ) {}

  async release({ principal, connectionId, epoch }: FeedLease, nextAt: Date): Promise<void> {
    await this.database.tenant(principal, (tx) =>
      tx.execute(releaseFeed, [principal.tenantId, connectionId, epoch, nextAt]),
    );
  }

  async postpone({ principal, connectionId, epoch }: FeedLease, nextAt: Date): Promise<void> {
    await this.database.tenant(principal, (tx) =>
      tx.execute(postponeFeed, [principal.tenantId, connectionId, epoch, nextAt]),
    );
  }

  /** A transient failure leaves the run open. A failure that a person has to fix ends it. */
  async fail(lease: FeedLease, { error, code, detail, step }: SyncFailure): Promise<void> {
    const { principal, connectionId, epoch } = lease;
    const isKnown = error instanceof VendorError;
    this.log.warn({ err: error, connectionId, code, step }, 'a spend sync failed');
    await this.database.tenant(principal, async (tx) => {
      await requireLease(tx, lease);
      const { tenantId } = principal;
      const [{ failures }] = await tx.run(findFeed, [tenantId, connectionId]);
      if (isKnown && !error.isTransient && code !== 'unexpected_answer')
        for (const { id } of await tx.run(listRunningRuns, [tenantId, connectionId]))
          await tx.execute(endRun, [tenantId, id, 'failed', code, detail]);
      await tx.execute(failFeed, [tenantId, connectionId, epoch, code, detail, retryAt(error, failures)]);
      if (failures === 0) await this.outbox.write(tx, tenantId, 'connection.sync_failed', { connectionId });
    });
    this.wakeupChannel.publish(spendTopic, connectionId);
  }
}

/**
 * Exponential backoff: 1, 2, 4 … minutes, at most an hour, longer if the vendor requests it. Permanent failures are
 * retried every hour.
 */
function retryAt(error: unknown, failures: number): Date {
  const isTransient = !(error instanceof VendorError) || error.isTransient || error.code === 'unexpected_answer';
  const pauseMs = isTransient ? Math.min(hourMs, 60_000 * 2 ** Math.min(failures, 10)) : hourMs;
  const requestedAt = error instanceof VendorError ? (error.retryAfter?.getTime() ?? 0) : 0;
  return new Date(Math.max(Date.now() + pauseMs, Math.min(requestedAt, Date.now() + 24 * hourMs)));
}
