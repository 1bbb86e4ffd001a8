import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { actorOf } from '../audit/audit.service.js';
import { StaleLease } from '../gate/gate.error.js';
import { GateService } from '../gate/gate.service.js';
import { Config } from '../platform/config/config.js';
import { Database } from '../platform/database/database.service.js';
import { Wakes } from '../platform/events/wakes.service.js';
import { Queue } from '../platform/queue/queue.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import { Metrics } from '../platform/telemetry/metrics.service.js';
import { span, withinTrace } from '../platform/telemetry/trace.js';
import {
  claimAbandoned,
  claimDue,
  giveBackLeases,
  renewLeases,
  sweepRemoteDelegations,
  sweepTasks,
  type ClaimRow,
  type TakeOver,
} from './claims.system.sql.js';
import { ParentTasks } from './delegation/parent-tasks.service.js';
import { Flood } from './flood.js';
import { working } from './status.js';
import { TaskContent } from './task-content.service.js';
import { TaskFeed } from './task-feed.service.js';
import { LeaseLost, TaskLease } from './task-lease.js';
import { mostLostProcesses, TaskQuarantine } from './task-quarantine.service.js';
import { TaskRows } from './task-rows.service.js';
import { givenUp, TaskWork } from './task-work.service.js';
import { wakeTask } from './tasks.sql.js';
import { TasksService } from './tasks.service.js';
import { dueTopic } from './topics.js';

/** Claims in a row that came to nothing: a process that died, or a fault of our own. */
const mostAttempts = 20;
const floodLookMs = 500;
const shutdownMs = 5000;
const sweepEverySeconds = 3600;
const sweepBatch = 500;

/** Claims tasks that are due, and keeps their leases while they are worked on. Any number of processes may run it. */
@Injectable()
export class TaskRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly running = new Map<string, { lease: TaskLease; done: Promise<void> }>();
  private claiming?: Promise<void>;
  private wanted = false;
  private stopped = true;
  private renewal?: NodeJS.Timeout;
  private looks?: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly wakes: Wakes,
    private readonly queue: Queue,
    private readonly gate: GateService,
    private readonly tasks: TasksService,
    private readonly work: TaskWork,
    private readonly rows: TaskRows,
    private readonly feed: TaskFeed,
    private readonly parents: ParentTasks,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly content: TaskContent,
    private readonly quarantine: TaskQuarantine,
  ) {}

  onModuleInit(): void {
    this.queue.every('tasks.retention', sweepEverySeconds, () => this.sweep());
    this.gate.keepTasksBy(this.rows);
    this.gate.onSettled(({ tenantId, taskId }) => (taskId ? this.wake(tenantId, taskId) : undefined));
  }

  onApplicationBootstrap(): void {
    if (!this.config.isWorker) return;
    this.stopped = false;
    this.wakes.on(dueTopic, (ids) => this.claim(ids === 'all'));
    this.renewal = setInterval(() => void this.renew(), (this.config.task.leaseSeconds * 1000) / 3);
    this.looks = setInterval(() => this.flood.look(this.tasks.accepted, this.ended), floodLookMs);
    this.claim(true);
  }

  /** What is under way gets a moment to come to its next commit; the rest is another process's as soon as its lease ends. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.claiming;
    const runs = [...this.running.values()];
    const patience = new Promise<void>((resolve) => setTimeout(resolve, shutdownMs).unref());
    const givenBack = this.giveBack(runs.map(({ lease }) => lease));
    await Promise.race([Promise.all([givenBack, ...runs.map(({ done }) => done)]), patience]);
    clearInterval(this.renewal);
    clearInterval(this.looks);
    for (const { lease } of this.running.values()) lease.lose();
  }

  private claim(withAbandoned: boolean): void {
    this.abandonedToo ||= withAbandoned;
    this.wanted = true;
    if (this.stopped || this.claiming) return;
    this.claiming = this.claimWhileWanted().finally(() => {
      this.claiming = undefined;
      if (this.wanted && this.free > 0) this.claim(false); // asked for in the last moment
    });
  }
  private abandonedToo = false;

  private readonly flood = new Flood();
  private ended = 0;

  private get free(): number {
    return this.flood.most(this.config.task.concurrency, performance.now()) - this.running.size;
  }

  private async claimWhileWanted(): Promise<void> {
    while (this.wanted && !this.stopped) {
      await new Promise(setImmediate); // what else ends in this turn of the event loop makes room, too
      const free = this.free;
      if (free <= 0 || this.stopped) return; // the next run that ends asks again
      this.wanted = false;
      try {
        if (this.abandonedToo) {
          this.abandonedToo = false;
          this.start(
            await claimAbandoned(this.database.systemPool, this.takeOver(free), this.config.task.leaseSeconds),
          );
        }
        const most = this.free;
        if (most > 0)
          this.start(
            await claimDue(
              this.database.systemPool,
              most,
              this.config.task.leaseSeconds,
              this.config.limits.workingTasks,
              working(),
            ),
          );
      } catch (error) {
        this.log.warn({ err: error }, 'no task could be claimed; the next second tries again');
      }
    }
  }

  /** One suspect at a time, so that a task that ends the process again takes no other one with it. */
  private takeOver(most: number): TakeOver {
    const leases = [...this.running.values()].map(({ lease }) => lease);
    const suspects = leases.some(({ isSuspect }) => isSuspect) ? 0 : 1;
    return { most, suspects, own: leases.filter(({ signal }) => !signal.aborted).map(({ id }) => id) };
  }

  private start(rows: ClaimRow[]): void {
    for (const row of rows) {
      row.status = this.content.openStatus(row.task_id, row.status);
      const lease = new TaskLease(row, this.config.task.leaseSeconds);
      if (row.is_told) {
        this.metrics.tasks.inc({ state: row.status.state });
        this.feed.tell(row.task_id, [{ number: row.number, status: row.status, artifacts: null }]);
      }
      const startedAt = performance.now();
      if (lease.isSuspect) this.watch(lease);
      const done = this.perform(lease).finally(() => {
        const now = performance.now();
        lease.clear();
        this.flood.ranFor(now - startedAt, now);
        this.ended += 1;
        if (this.running.get(lease.id)?.lease === lease) this.running.delete(lease.id);
        this.claim(false);
      });
      this.running.set(lease.id, { lease, done });
    }
  }

  /** The next suspect is started once this one has made progress, or after as long as a lease: a slow one is no reason to wait. */
  private watch(lease: TaskLease): void {
    const timer = setTimeout(() => lease.clear(), this.config.task.leaseSeconds * 1000);
    lease.onCleared = () => {
      clearTimeout(timer);
      this.claim(true);
    };
  }

  private async perform(lease: TaskLease): Promise<void> {
    try {
      if (lease.lostProcesses >= mostLostProcesses) return await this.quarantine.add(lease);
      await withinTrace(lease.trace, () =>
        span('task.work', { 'task.id': lease.id, 'task.attempt': lease.attempts }, () => this.work.run(lease)),
      );
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof StaleLease) {
        this.log.info({ taskId: lease.id }, 'another process works on this task now');
        return this.stopped ? undefined : this.giveBack([lease]);
      }
      this.log.error({ err: error, taskId: lease.id, attempt: lease.attempts }, 'a task could not be worked on');
      await this.postpone(lease).catch((failure: unknown) =>
        this.log.warn({ err: failure, taskId: lease.id }, 'its lease runs out by itself'),
      );
    }
  }

  /** Tried again after a while, twice as long each time. */
  private async postpone(lease: TaskLease): Promise<void> {
    if (lease.attempts < mostAttempts) {
      await this.rows.advance(lease, { items: [], step: 'retry', dueSeconds: Math.min(60, 2 ** (lease.attempts - 1)) });
      return;
    }
    const status = givenUp();
    const { number } = await this.rows.advance(lease, {
      items: [],
      step: 'end',
      status,
      actor: actorOf(lease.principal),
    });
    this.feed.tell(lease.id, [{ number, status, artifacts: null }]);
    this.parents.tell(lease.principal, lease.id);
  }

  /** Where it fails, whoever takes over counts a process that is lost; the second one quarantines the task. */
  private async giveBack(leases: TaskLease[]): Promise<void> {
    await giveBackLeases(this.database.systemPool, leases).catch((error: unknown) =>
      this.log.warn({ err: error }, 'leases could not be given back'),
    );
  }

  private async renew(): Promise<void> {
    const leases = [...this.running.values()].map(({ lease }) => lease);
    if (!leases.length) return;
    const askedAt = performance.now();
    try {
      const ours = await renewLeases(this.database.systemPool, leases, this.config.task.leaseSeconds);
      for (const lease of leases) {
        if (ours.has(lease.id)) lease.renewed(askedAt);
        else if (this.running.get(lease.id)?.lease === lease) lease.lose();
      }
    } catch (error) {
      this.log.warn({ err: error }, 'leases could not be renewed');
    }
  }

  private async wake(tenantId: string, taskId: string): Promise<void> {
    await this.database.tenant({ tenantId }, (tx) => wakeTask(tx, tenantId, taskId));
    this.wakes.send(dueTopic, taskId);
  }

  private async sweep(): Promise<void> {
    const { retentionDays } = this.config.task;
    for (const remove of [sweepTasks, sweepRemoteDelegations])
      while ((await remove(this.database.systemPool, retentionDays, sweepBatch)) === sweepBatch);
  }
}
