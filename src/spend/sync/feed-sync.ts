import { newId } from '../../platform/crypto/ids.js';
import type { BulkConnection } from '../../platform/database/bulk-database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { OutboxService } from '../../platform/events/outbox.service.js';
import type { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import type { LogService } from '../../platform/telemetry/log.service.js';
import type { Day } from '../../platform/time/day.js';
import { type VendorSync, type RowDiagnostics, type SpendVendor, VendorError } from '../vendor.js';
import { recordDayFailure, type Stream } from './coverage/coverage.sql.js';
import { clearFeedFailure, type FeedRow, findFeed, recordBillingCycle, listSyncedDays } from './feeds/feeds.sql.js';
import { requireLease, type FeedLease } from './feeds/feed-lease.js';
import {
  insertRun,
  addRunProgress,
  endRun,
  deleteOldRuns,
  listRunningRuns,
  type SyncRunRow,
  scheduleNextRun,
} from './feeds/runs.sql.js';
import type { DayReplacementService } from './day-replacement/day-replacement.service.js';
import { McpUsageWriter } from './mcp-usage-writer.js';
import type { MembersSyncService } from './members-sync.service.js';
import { contiguousDays, daysPerBatch, dueRuns, mostUrgentRun, type SyncedDays, remainingDays } from './sync-plan.js';
import { StreamDiagnostics } from './stream-diagnostics.js';
import { IdentityCache } from './staging/identity-cache.js';
import { Staging } from './staging/staging.js';
import { spendTopic } from './topics.js';

export interface FeedSyncServices {
  dayReplacement: DayReplacementService;
  members: MembersSyncService;
  outbox: OutboxService;
  wakeupChannel: WakeupChannel;
  log: LogService;
}
interface SyncBatch {
  run: SyncRunRow;
  days: Day[];
}

const memberSyncIntervalMs = 50 * 60_000;
const runRetentionDays = 90;

/**
 * Syncs one connection in one process until nothing is due or the signal aborts. All durable state is in the database.
 */
export class FeedSync {
  /** Days with an unreadable response. The sync continues with the other days. */
  private readonly unreadable = new Set<Day>();
  private failure?: VendorError;
  private requests = 0;
  private hourlyAt = new Date(0);
  private seats = 0;
  waitsUntil: Date | null = null;
  /** The current step, for failure messages. */
  step = 'preparing the sync';
  private readonly sync: VendorSync;
  private readonly identities: IdentityCache;
  private readonly staging: Staging;

  constructor(
    private readonly connection: BulkConnection,
    private readonly lease: FeedLease,
    private readonly vendor: SpendVendor,
    private readonly cadenceSeconds: number,
    request: Pick<VendorSync, 'context' | 'signal'>,
    private readonly services: FeedSyncServices,
  ) {
    this.identities = new IdentityCache(connection, lease);
    this.staging = new Staging(connection, lease.principal);
    this.sync = {
      ...request,
      onRequest: () => (this.requests += 1),
      onWait: (until) => (this.waitsUntil = until),
    };
  }

  /** Runs until nothing is left and returns when the feed is due again. */
  async run(): Promise<Date> {
    for (;;) {
      this.sync.signal.throwIfAborted();
      const next = await this.nextBatch();
      if (!(next instanceof Date)) await this.readBatch(next);
      else if (this.failure) throw this.failure;
      else return next;
    }
  }

  private async nextBatch(): Promise<SyncBatch | Date> {
    const { feed, runs, synced } = await this.loadState();
    const clock = { now: new Date(), daysBack: this.vendor.daysBack };
    const due = dueRuns(feed, runs, synced, clock);
    if (due.length) {
      await this.write(async (tx) => {
        for (const { kind, fromDay, toDay, days } of due)
          await tx.execute(insertRun, [...this.feedKey, newId(), kind, fromDay, toDay, days, clock.now]);
      });
      return this.nextBatch();
    }
    const ready: (SyncRunRow & { days: Day[] })[] = [];
    for (const run of runs) {
      const days = remainingDays(run, synced, clock);
      if (!days.length) await this.finishRun(run);
      else ready.push({ ...run, days: days.filter((day) => !this.unreadable.has(day)) });
    }
    if (ready.length < runs.length) return this.nextBatch();
    const run = mostUrgentRun(ready.filter(({ days }) => days.length));
    if (!run) return new Date(Math.min(...[feed.hourlyAt, feed.dailyAt, feed.weeklyAt].map(Number)));
    this.hourlyAt = feed.hourlyAt;
    await this.syncMembers(feed);
    return { run, days: contiguousDays(run.days, daysPerBatch(this.seats, this.vendor.daysBack)) };
  }

  private loadState(): Promise<{ feed: FeedRow; runs: SyncRunRow[]; synced: SyncedDays }> {
    return this.connection.tenant(this.lease.principal, async (tx) => {
      const [feed] = await tx.run(findFeed, this.feedKey);
      const runs = await tx.run(listRunningRuns, this.feedKey);
      const days = await tx.run(listSyncedDays, [...this.feedKey, '-infinity']);
      return { feed, runs, synced: new Map(days.map(({ day, pulledAt }) => [day, pulledAt])) };
    });
  }

  private async syncMembers({ membersAt, seats }: FeedRow): Promise<void> {
    this.seats = seats ?? this.seats;
    if (membersAt && Date.now() - membersAt.getTime() < memberSyncIntervalMs) return;
    this.step = 'reading the members';
    const members = await this.vendor.members(this.sync);
    this.step = 'storing the members';
    this.seats = await this.services.members.sync(this.connection, this.lease, this.identities, members);
  }

  private async readBatch({ run, days }: SyncBatch): Promise<void> {
    const usage = await this.readUsage(days);
    for (const day of days) {
      const events = await this.readEvents(day);
      if (events) await this.storeDay(run, day, usage, events);
      // new days take precedence over old ones; a later batch reads the rest of these days again
      if (run.kind !== 'hourly' && run.kind !== 'daily' && this.hourlyAt <= new Date()) break;
    }
    await this.staging.close();
    this.step = 'matching new people';
    if (this.identities.takeHasNew()) await this.services.members.matchNewIdentities(this.connection, this.lease);
  }

  private async readUsage(days: readonly Day[]): Promise<StreamDiagnostics> {
    const diagnostics = new StreamDiagnostics();
    this.step = `reading the usage of ${days.at(-1)} to ${days[0]}`;
    await this.staging.open(days);
    try {
      for await (const page of this.vendor.usage(this.sync, days.at(-1)!, days[0])) {
        const numbers = await this.identities.idsOf(page.rows.map(({ identity }) => identity));
        await this.identities.recordVersions(page.rows);
        await this.staging.addUsage(page.rows, numbers);
        diagnostics.add(page);
      }
      await this.staging.flush();
      await this.identities.flushVersions();
    } catch (error) {
      throw await this.recordFailure(error, days, 'usage');
    }
    return diagnostics;
  }

  private async readEvents(day: Day): Promise<StreamDiagnostics | null> {
    const diagnostics = new StreamDiagnostics();
    this.step = `reading the events of ${day}`;
    try {
      const read = await this.vendor.charges(this.sync, day);
      const numbers = await this.identities.idsOf(read.rows.map(({ identity }) => identity));
      const models = await this.identities.modelIdsOf(read.rows.map(({ model }) => model));
      await this.staging.replaceCharges(day, read.rows, numbers, models);
      diagnostics.add(read satisfies RowDiagnostics);
      return diagnostics;
    } catch (error) {
      const failure = await this.recordFailure(error, [day], 'events');
      if (!(failure instanceof VendorError) || failure.code !== 'unexpected_answer') throw failure;
      this.unreadable.add(day);
      this.failure = failure;
      return null;
    }
  }

  private async storeDay(
    run: SyncRunRow,
    day: Day,
    usage: StreamDiagnostics,
    events: StreamDiagnostics,
  ): Promise<void> {
    this.step = `storing ${day}`;
    const staged = this.staging.stagedDay(day);
    const read = { day, usage: usage.forDay(staged.usage), events: events.forDay(staged.events) };
    await this.services.dayReplacement.replaceDay(this.connection, this.lease, read, async (tx, isChanged) => {
      const fields = StreamDiagnostics.takeUnknownFields(usage, events);
      const rows = staged.usage.rows + staged.events.rows;
      const { tenantId } = this.lease.principal;
      await tx.execute(addRunProgress, [tenantId, run.id, this.takeRequests(), rows, 1, Number(isChanged), fields]);
      await tx.execute(clearFeedFailure, this.feedKey);
      tx.afterCommit(() => this.services.wakeupChannel.publish(spendTopic, this.lease.connectionId));
    });
  }

  private async finishRun(run: SyncRunRow): Promise<void> {
    this.step = `completing the sync of ${run.fromDay} to ${run.toDay}`;
    if (run.kind !== 'hourly') await this.readSupplements(run);
    await this.write(async (tx) => {
      const { tenantId } = this.lease.principal;
      await tx.execute(addRunProgress, [tenantId, run.id, this.takeRequests(), 0, 0, 0, {}]);
      const ended = await tx.one(endRun, [tenantId, run.id, 'done', null, null]);
      await tx.execute(scheduleNextRun, [...this.feedKey, run.kind, this.cadenceSeconds]);
      await tx.execute(clearFeedFailure, this.feedKey);
      await tx.execute(deleteOldRuns, [...this.feedKey, runRetentionDays]);
      if (ended?.daysChanged)
        await this.services.outbox.write(tx, tenantId, 'spend.refreshed', {
          connectionId: this.lease.connectionId,
        });
      tx.afterCommit(() => this.services.wakeupChannel.publish(spendTopic, this.lease.connectionId));
    });
  }

  /** Reads the billing cycle and MCP usage. Usage is correct without them, so vendor errors do not fail the run. */
  private async readSupplements(run: SyncRunRow): Promise<void> {
    const { billingCycle, mcpUsage } = this.vendor;
    try {
      const total = await billingCycle?.call(this.vendor, this.sync);
      if (total) await this.write((tx) => tx.execute(recordBillingCycle, [...this.feedKey, total.start, total.cents]));
      const pages = mcpUsage?.call(this.vendor, this.sync, run.fromDay, run.toDay);
      if (pages)
        await new McpUsageWriter(this.connection, this.lease, this.identities).replace(run.fromDay, run.toDay, pages);
    } catch (error) {
      if (!(error instanceof VendorError)) throw error;
      const { connectionId } = this.lease;
      this.services.log.info(
        { connectionId, code: error.code },
        `supplementary vendor data could not be read: ${error.message}`,
      );
    }
  }

  /** Records the reason on the days and leaves their data unchanged. */
  private async recordFailure(error: unknown, days: readonly Day[], stream: Stream): Promise<unknown> {
    if (!(error instanceof VendorError)) return error;
    await this.write((tx) => tx.execute(recordDayFailure, [...this.feedKey, days, stream, error.message]));
    return error;
  }

  private write(work: (tx: Tx) => Promise<unknown>): Promise<void> {
    return this.connection.tenant(this.lease.principal, async (tx) => {
      await requireLease(tx, this.lease);
      await work(tx);
    });
  }

  private takeRequests(): number {
    const { requests } = this;
    this.requests = 0;
    return requests;
  }

  private get feedKey(): [tenantId: string, connectionId: string] {
    return [this.lease.principal.tenantId, this.lease.connectionId];
  }
}
