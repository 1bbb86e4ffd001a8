import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { type JobOutcome, QueueService } from '../../platform/queue/queue.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { CoverageScheduler } from './coverage/coverage-scheduler.service.js';
import { FeedSyncEndsService } from './feed-sync-ends.service.js';
import { FeedSyncRunner, type StartedSync } from './feed-sync-runner.service.js';
import { type FeedLease, FeedLeaseLost } from './feeds/feed-lease.js';
import { FeedLeasesService } from './feeds/feed-leases.service.js';
import { syncFailure } from './sync-failure.js';

/** Per process. Each sync holds one database connection and at most one day of events. */
const maxConcurrentSyncs = 3;
const postponeMs = { quarantined: 60_000, wait: 10_000 };

/**
 * Runs due syncs outside the queue: a vendor with hours of rate limiting would block the workers for approved calls.
 */
@Injectable()
export class SpendSyncScheduler implements OnModuleInit, BeforeApplicationShutdown {
  private readonly running = new Set<Promise<void>>();
  private readonly shutdown = new AbortController();

  constructor(
    private readonly queue: QueueService,
    private readonly leases: FeedLeasesService,
    private readonly coverageScheduler: CoverageScheduler,
    private readonly feedSyncRunner: FeedSyncRunner,
    private readonly feedEnds: FeedSyncEndsService,
    private readonly log: LogService,
  ) {}

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
      if (admission !== 'admitted') await this.feedEnds.postpone(lease, new Date(Date.now() + postponeMs[admission]));
    } catch (error) {
      this.log.error({ err: error, connectionId }, 'spend sync could not be started or completed; it will be retried');
    }
  }

  private async sync(lease: FeedLease): Promise<JobOutcome> {
    const started: StartedSync = {};
    try {
      const nextAt = await this.feedSyncRunner.run(lease, started, this.shutdown.signal);
      await this.feedEnds.release(lease, nextAt);
    } catch (error) {
      if (error instanceof FeedLeaseLost) return;
      const isEnding = this.shutdown.signal.aborted;
      const reported = isEnding
        ? this.feedEnds.release(lease, new Date())
        : this.feedEnds.fail(lease, syncFailure(error, started.sync?.step));
      await reported.catch((failure: unknown) => {
        if (!(failure instanceof FeedLeaseLost))
          this.log.error({ err: failure }, 'spend sync lease could not be released');
      });
      if (isEnding) return 'postponed';
    }
  }
}
