import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { ConnectionsService } from '../../connections/connections.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { BulkDatabaseService } from '../../platform/database/bulk-database.service.js';
import { OutboxService } from '../../platform/events/outbox.service.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { type JobOutcome, QueueService } from '../../platform/queue/queue.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { VendorError } from '../vendor.js';
import { SpendVendorRegistry } from '../spend-vendor-registry.service.js';
import { CoverageScheduler } from './coverage/coverage-scheduler.service.js';
import { findFeed, postponeFeed, releaseFeed, failFeed } from './feeds/feeds.sql.js';
import { requireLease, type FeedLease, FeedLeaseLost } from './feeds/feed-lease.js';
import { FeedLeasesService } from './feeds/feed-leases.service.js';
import { endRun, listRunningRuns } from './feeds/runs.sql.js';
import { MembersSyncService } from './members-sync.service.js';
import { FeedSync, type SyncDependencies } from './feed-sync.js';
import { IdentityCache } from './staging/identity-cache.js';
import { Staging } from './staging/staging.js';
import { type SyncFailure, syncFailure } from './sync-failure.js';
import { DayReplacementService } from './day-replacement/day-replacement.service.js';
import { spendTopic } from './topics.js';

/** Per process. Each sync holds one database connection and at most one day of events. */
const maxConcurrentSyncs = 3;
const hourMs = 3_600_000;
const postponeMs = { quarantined: 60_000, wait: 10_000 };

/**
 * Runs due syncs outside the queue: a vendor with hours of rate limiting would block the workers for approved calls.
 */
@Injectable()
export class SpendSyncScheduler implements OnModuleInit, BeforeApplicationShutdown {
  private readonly running = new Set<Promise<void>>();
  private readonly shutdown = new AbortController();
  private readonly dependencies: SyncDependencies;

  constructor(
    private readonly database: DatabaseService,
    private readonly own: BulkDatabaseService,
    private readonly queue: QueueService,
    private readonly connections: ConnectionsService,
    private readonly vendors: SpendVendorRegistry,
    private readonly leases: FeedLeasesService,
    private readonly coverageScheduler: CoverageScheduler,
    private readonly log: LogService,
    private readonly wakeupChannel: WakeupChannel,
    swap: DayReplacementService,
    members: MembersSyncService,
    outbox: OutboxService,
  ) {
    this.dependencies = { dayReplacement: swap, members, outbox, wakes: wakeupChannel, log };
  }

  onModuleInit(): void {
    this.queue.every('spend.due', 1, () => this.startDue());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.shutdown.abort(new Error('the server is shutting down'));
    await Promise.all(this.running);
  }

  /** Starts due syncs up to the limit. They run in the background. */
  async startDue(): Promise<void> {
    const free = maxConcurrentSyncs - this.running.size;
    if (free <= 0 || this.shutdown.signal.aborted) return;
    const leases = await this.leases.claim(free);
    if (leases.length) await this.coverageScheduler.updateCoverage();
    for (const lease of leases) {
      const sync = this.runOnce(lease).finally(() => this.running.delete(sync));
      this.running.add(sync);
    }
  }

  /** While the sync is quarantined, each run only checks whether the quarantine was lifted. */
  private async runOnce(lease: FeedLease): Promise<void> {
    const { principal, connectionId } = lease;
    try {
      const payload = { tenantId: principal.tenantId, connectionId };
      const admission = await this.queue.runOutsideQueue('spend.sync', payload, () => this.sync(lease));
      if (admission !== 'admitted') await this.postpone(lease, new Date(Date.now() + postponeMs[admission]));
    } catch (error) {
      this.log.error({ err: error, connectionId }, 'spend sync could not be started or completed; it will be retried');
    }
  }

  private async sync(lease: FeedLease): Promise<JobOutcome> {
    const started: { turn?: FeedSync } = {};
    try {
      const nextAt = await this.runSync(lease, started);
      await this.release(lease, nextAt);
    } catch (error) {
      if (error instanceof FeedLeaseLost) return;
      const isEnding = this.shutdown.signal.aborted;
      const reported = isEnding
        ? this.release(lease, new Date())
        : this.fail(lease, syncFailure(error, started.turn?.step));
      await reported.catch((failure: unknown) => {
        if (!(failure instanceof FeedLeaseLost))
          this.log.error({ err: failure }, 'spend sync lease could not be released');
      });
      if (isEnding) return 'postponed';
    }
  }

  private async runSync(lease: FeedLease, started: { turn?: FeedSync }): Promise<Date> {
    const { principal, connectionId } = lease;
    const connection = await this.connections.get(principal, connectionId);
    const vendor = this.vendors.get(connection.kind);
    return this.own.use(async (own) => {
      const waitsUntil = () => started.turn?.waitsUntil ?? null;
      return this.leases.runWithLease(lease, waitsUntil, this.shutdown.signal, async (signal) => {
        const { context } = await this.connections.open(principal, connection, signal);
        const [book, staging] = [new IdentityCache(own, lease), new Staging(own, principal)];
        started.turn = new FeedSync(own, lease, vendor, { context, signal }, book, staging, this.dependencies);
        return started.turn.run();
      });
    });
  }

  private async release({ principal, connectionId, epoch }: FeedLease, nextAt: Date): Promise<void> {
    await this.database.tenant(principal, (tx) =>
      tx.execute(releaseFeed, [principal.tenantId, connectionId, epoch, nextAt]),
    );
  }

  private async postpone({ principal, connectionId, epoch }: FeedLease, nextAt: Date): Promise<void> {
    await this.database.tenant(principal, (tx) =>
      tx.execute(postponeFeed, [principal.tenantId, connectionId, epoch, nextAt]),
    );
  }

  /** A transient failure leaves the run open. A failure that a person has to fix ends it. */
  private async fail(lease: FeedLease, { error, code, detail, step }: SyncFailure): Promise<void> {
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
