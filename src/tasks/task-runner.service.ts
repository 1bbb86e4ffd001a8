import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval, SchedulerRegistry } from '@nestjs/schedule';
import { Config } from '../platform/config/config.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { TakeoverOptions } from './claims.system.sql.js';
import { Backpressure } from './backpressure.js';
import { TaskAttemptService } from './task-attempt.service.js';
import { TaskClaimsService } from './task-claims.service.js';
import type { TaskLease } from './task-lease.js';
import { TasksService } from './tasks.service.js';
import { dueTopic } from './topics.js';

const backpressureSampleMs = 500;
const renewalInterval = 'tasks.renew-leases';
const shutdownGraceMs = 5000;

/** Runs as many due tasks as this process has capacity for. Any number of processes may run it. */
@Injectable()
export class TaskRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly running = new Map<string, { lease: TaskLease; done: Promise<void> }>();
  private claiming?: Promise<void>;
  private isClaimRequested = false;
  private includeAbandoned = false;
  private isStopped = true;
  private readonly backpressure = new Backpressure();
  /** Runs that have ended since the start of this process. */
  private ended = 0;

  constructor(
    private readonly config: Config,
    private readonly wakeupChannel: WakeupChannel,
    private readonly tasks: TasksService,
    private readonly claims: TaskClaimsService,
    private readonly taskAttempts: TaskAttemptService,
    private readonly scheduler: SchedulerRegistry,
    private readonly log: LogService,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.config.isWorker) return;
    this.isStopped = false;
    this.wakeupChannel.subscribe(dueTopic, (ids) => this.claim(ids === 'all'));
    const renewal = setInterval(() => void this.renew(), (this.claims.leaseSeconds * 1000) / 3);
    this.scheduler.addInterval(renewalInterval, renewal);
    this.claim(true);
  }

  /**
   * Running tasks get a grace period to reach their next commit. Another process takes over the rest when their leases
   * end.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.claiming;
    const runs = [...this.running.values()];
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, shutdownGraceMs).unref());
    const released = this.releaseLeases(runs.map(({ lease }) => lease));
    await Promise.race([Promise.all([released, ...runs.map(({ done }) => done)]), timeout]);
    if (this.scheduler.doesExist('interval', renewalInterval)) this.scheduler.deleteInterval(renewalInterval);
    for (const { lease } of this.running.values()) lease.abort();
  }

  @Interval(backpressureSampleMs)
  protected sampleBackpressure(): void {
    if (!this.isStopped) this.backpressure.sample(this.tasks.accepted, this.ended);
  }

  private claim(withAbandoned: boolean): void {
    this.includeAbandoned ||= withAbandoned;
    this.isClaimRequested = true;
    if (this.isStopped || this.claiming) return;
    this.claiming = this.claimWhileRequested().finally(() => {
      this.claiming = undefined;
      if (this.isClaimRequested && this.free > 0) this.claim(false); // requested after the last check
    });
  }

  private get free(): number {
    return this.backpressure.concurrency(this.config.task.concurrency, performance.now()) - this.running.size;
  }

  private async claimWhileRequested(): Promise<void> {
    while (this.isClaimRequested && !this.isStopped) {
      await new Promise(setImmediate); // other runs that end in this turn of the event loop free capacity too
      const free = this.free;
      if (free <= 0 || this.isStopped) return; // the next run that ends requests a claim
      this.isClaimRequested = false;
      try {
        if (this.includeAbandoned) {
          this.includeAbandoned = false;
          this.start(await this.claims.claimAbandoned(this.takeoverOptions(free)));
        }
        const limit = this.free;
        if (limit > 0) this.start(await this.claims.claimDue(limit));
      } catch (error) {
        this.log.warn({ err: error }, 'tasks could not be claimed; retrying in a second');
      }
    }
  }

  /** Takes one suspect at a time: if it crashes this process again, no other suspect is counted with it. */
  private takeoverOptions(limit: number): TakeoverOptions {
    const leases = [...this.running.values()].map(({ lease }) => lease);
    const suspects = leases.some(({ isSuspect }) => isSuspect) ? 0 : 1;
    return { limit, suspects, own: leases.filter(({ signal }) => !signal.aborted).map(({ id }) => id) };
  }

  private start(leases: readonly TaskLease[]): void {
    for (const lease of leases) {
      const startedAt = performance.now();
      if (lease.isSuspect) this.watchSuspect(lease);
      const done = this.perform(lease).finally(() => {
        const now = performance.now();
        lease.clearSuspicion();
        this.backpressure.recordRun(now - startedAt, now);
        this.ended += 1;
        if (this.running.get(lease.id)?.lease === lease) this.running.delete(lease.id);
        this.claim(false);
      });
      this.running.set(lease.id, { lease, done });
    }
  }

  /**
   * The next suspect starts once this one has made progress, or after one lease time, so that a slow one does not block
   * it.
   */
  private watchSuspect(lease: TaskLease): void {
    const timer = setTimeout(() => lease.clearSuspicion(), this.claims.leaseSeconds * 1000);
    lease.onCleared = () => {
      clearTimeout(timer);
      this.claim(true);
    };
  }

  private async perform(lease: TaskLease): Promise<void> {
    if ((await this.taskAttempts.run(lease)) === 'lease-lost' && !this.isStopped) await this.releaseLeases([lease]);
  }

  /** If this fails, the next claim counts a lost process; the second lost process quarantines the task. */
  private async releaseLeases(leases: TaskLease[]): Promise<void> {
    await this.claims
      .release(leases)
      .catch((error: unknown) => this.log.warn({ err: error }, 'task leases could not be released'));
  }

  private async renew(): Promise<void> {
    const leases = [...this.running.values()].map(({ lease }) => lease);
    if (!leases.length) return;
    const requestedAt = performance.now();
    try {
      const ours = await this.claims.renew(leases);
      for (const lease of leases) {
        if (ours.has(lease.id)) lease.extend(requestedAt);
        else if (this.running.get(lease.id)?.lease === lease) lease.abort();
      }
    } catch (error) {
      this.log.warn({ err: error }, 'task leases could not be renewed');
    }
  }
}
