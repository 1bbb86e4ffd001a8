import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { auditActorOf } from '../audit/audit.service.js';
import { StaleLease } from '../gate/gate.error.js';
import { GateService } from '../gate/gate.service.js';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import { withSpan, withTraceContext } from '../platform/telemetry/trace.js';
import {
  claimAbandoned,
  claimDue,
  releaseTaskLeases,
  renewTaskLeases,
  sweepRemoteDelegations,
  sweepTasks,
  type ClaimRow,
  type TakeoverOptions,
} from './claims.system.sql.js';
import { ParentTaskNotifier } from './delegation/parent-task-notifier.service.js';
import { Backpressure } from './backpressure.js';
import { workingStatus } from './task-status.js';
import { TaskContentService } from './task-content.service.js';
import { TaskFeedService } from './task-feed.service.js';
import { LeaseLost, TaskLease } from './task-lease.js';
import { maxLostProcesses, TaskQuarantineService } from './task-quarantine.service.js';
import { TaskRunRepository } from './task-run-repository.service.js';
import { abandonedStatus, TaskExecutor } from './task-executor.service.js';
import { wakeTask } from './tasks.sql.js';
import { TasksService } from './tasks.service.js';
import { dueTopic } from './topics.js';

/** Consecutive claims without progress, because a process died or of an internal error. */
const maxClaims = 20;
const backpressureSampleMs = 500;
const shutdownGraceMs = 5000;
const sweepEverySeconds = 3600;
const sweepBatch = 500;

/** Claims due tasks, and renews their leases while they run. Any number of processes may run it. */
@Injectable()
export class TaskRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly running = new Map<string, { lease: TaskLease; done: Promise<void> }>();
  private claiming?: Promise<void>;
  private isClaimRequested = false;
  private isStopped = true;
  private renewal?: NodeJS.Timeout;
  private samplingTimer?: NodeJS.Timeout;

  constructor(
    private readonly database: DatabaseService,
    private readonly config: Config,
    private readonly wakeupChannel: WakeupChannel,
    private readonly queue: QueueService,
    private readonly gate: GateService,
    private readonly tasks: TasksService,
    private readonly taskExecutor: TaskExecutor,
    private readonly taskRunRepository: TaskRunRepository,
    private readonly feed: TaskFeedService,
    private readonly parents: ParentTaskNotifier,
    private readonly log: LogService,
    private readonly metrics: MetricsService,
    private readonly content: TaskContentService,
    private readonly quarantine: TaskQuarantineService,
  ) {}

  onModuleInit(): void {
    this.queue.every('tasks.retention', sweepEverySeconds, () => this.sweep());
    this.gate.registerTaskLeaseStore(this.taskRunRepository);
    this.gate.onSettled(({ tenantId, taskId }) => (taskId ? this.wake(tenantId, taskId) : undefined));
  }

  onApplicationBootstrap(): void {
    if (!this.config.isWorker) return;
    this.isStopped = false;
    this.wakeupChannel.subscribe(dueTopic, (ids) => this.claim(ids === 'all'));
    this.renewal = setInterval(() => void this.renew(), (this.config.task.leaseSeconds * 1000) / 3);
    this.samplingTimer = setInterval(
      () => this.backpressure.sample(this.tasks.accepted, this.ended),
      backpressureSampleMs,
    );
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
    clearInterval(this.renewal);
    clearInterval(this.samplingTimer);
    for (const { lease } of this.running.values()) lease.abort();
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
  private includeAbandoned = false;

  private readonly backpressure = new Backpressure();
  private ended = 0;

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
          this.start(
            await claimAbandoned(this.database.systemPool, this.takeoverOptions(free), this.config.task.leaseSeconds),
          );
        }
        const limit = this.free;
        if (limit > 0)
          this.start(
            await this.database.systemPool.run(claimDue, [
              limit,
              this.config.task.leaseSeconds,
              this.config.limits.workingTasks,
              workingStatus(),
            ]),
          );
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

  private start(rows: ClaimRow[]): void {
    for (const row of rows) {
      row.status = this.content.openStatus(row.task_id, row.status);
      const lease = new TaskLease(row, this.config.task.leaseSeconds);
      if (row.is_told) {
        this.metrics.tasks.inc({ state: row.status.state });
        this.feed.publish(row.task_id, [{ number: row.number, status: row.status, artifacts: null }]);
      }
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
    const timer = setTimeout(() => lease.clearSuspicion(), this.config.task.leaseSeconds * 1000);
    lease.onCleared = () => {
      clearTimeout(timer);
      this.claim(true);
    };
  }

  private async perform(lease: TaskLease): Promise<void> {
    try {
      if (lease.lostProcesses >= maxLostProcesses) return await this.quarantine.add(lease);
      await withTraceContext(lease.trace, () =>
        withSpan('task.work', { 'task.id': lease.id, 'task.attempt': lease.attempts }, () =>
          this.taskExecutor.run(lease),
        ),
      );
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof StaleLease) {
        this.log.info({ taskId: lease.id }, 'task lease lost to another process');
        return this.isStopped ? undefined : this.releaseLeases([lease]);
      }
      this.log.error({ err: error, taskId: lease.id, attempt: lease.attempts }, 'task run failed');
      await this.postpone(lease).catch((failure: unknown) =>
        this.log.warn({ err: failure, taskId: lease.id }, 'task could not be postponed; its lease expires'),
      );
    }
  }

  /** Retries the task with exponential backoff. */
  private async postpone(lease: TaskLease): Promise<void> {
    if (lease.attempts < maxClaims) {
      await this.taskRunRepository.advance(lease, {
        items: [],
        step: 'retry',
        dueSeconds: Math.min(60, 2 ** (lease.attempts - 1)),
      });
      return;
    }
    const status = abandonedStatus();
    const { number } = await this.taskRunRepository.advance(lease, {
      items: [],
      step: 'end',
      status,
      actor: auditActorOf(lease.principal),
    });
    this.feed.publish(lease.id, [{ number, status, artifacts: null }]);
    this.parents.notify(lease.principal, lease.id);
  }

  /** If this fails, the next claim counts a lost process; the second lost process quarantines the task. */
  private async releaseLeases(leases: TaskLease[]): Promise<void> {
    await releaseTaskLeases(this.database.systemPool, leases).catch((error: unknown) =>
      this.log.warn({ err: error }, 'task leases could not be released'),
    );
  }

  private async renew(): Promise<void> {
    const leases = [...this.running.values()].map(({ lease }) => lease);
    if (!leases.length) return;
    const requestedAt = performance.now();
    try {
      const ours = await renewTaskLeases(this.database.systemPool, leases, this.config.task.leaseSeconds);
      for (const lease of leases) {
        if (ours.has(lease.id)) lease.extend(requestedAt);
        else if (this.running.get(lease.id)?.lease === lease) lease.abort();
      }
    } catch (error) {
      this.log.warn({ err: error }, 'task leases could not be renewed');
    }
  }

  private async wake(tenantId: string, taskId: string): Promise<void> {
    await this.database.tenant({ tenantId }, (tx) => tx.execute(wakeTask, [tenantId, taskId]));
    this.wakeupChannel.publish(dueTopic, taskId);
  }

  private async sweep(): Promise<void> {
    const { retentionDays } = this.config.task;
    for (const remove of [sweepTasks, sweepRemoteDelegations])
      while ((await this.database.systemPool.execute(remove, [retentionDays, sweepBatch])) === sweepBatch);
  }
}
