import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Logger, run, type Runner, type TaskList, type WorkerEvents } from 'graphile-worker';
import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { Config } from '../config/config.js';
import { workConnection, type DatabaseAddresses } from '../database/addresses.js';
import { DatabaseService } from '../database/database.service.js';
import { endPool, guardedPool } from '../database/guarded-pool.js';
import { QueryableRunner } from '../database/statement.js';
import { DATABASE_ADDRESSES } from '../database/tokens.js';
import type { Tx } from '../database/tx.js';
import { LogService } from '../telemetry/log.service.js';
import { ProcessPresence } from './process-presence.js';
import { enqueueJob, enqueueJobs } from './queue.sql.js';
import { claimTick, findDueTicks, postponeTick } from './queue.system.sql.js';
import { type UnqueuedWorkAdmission, type JobOutcome, type JobPayload, SuspectJobs } from './suspect-jobs.js';

export type { JobOutcome } from './suspect-jobs.js';

export interface JobOptions {
  /** A second job with the same key replaces one that has not started. */
  key?: string;
  runAt?: Date;
  maxAttempts?: number;
}
/** A periodic task of the cluster. */
interface Tick {
  name: string;
  seconds: number;
  handler: () => Promise<void>;
}
type JobHandler = (payload: JobPayload, signal: AbortSignal) => Promise<JobOutcome>;

const jobConcurrency = 8;
const defaultMaxAttempts = 10;
const tickIntervalMs = 1000;
const tickInterval = 'queue.tick';
const deadWorkersTick = 'queue.dead-workers';

const errorLogger = (log: LogService) =>
  new Logger(() => (level, message) => level === 'error' && log.error({}, message));
const warningOf = (log: LogService, message: string) => (error: Error) => log.warn({ err: error }, message);

/** Background jobs with at-least-once execution: handlers must be idempotent. */
@Injectable()
export class QueueService
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  private readonly handlers: TaskList = {};
  private readonly ticks: Tick[] = [];
  private readonly events: WorkerEvents = new EventEmitter();
  private runner?: Runner;
  private pool?: pg.Pool;
  private processPresence?: ProcessPresence;
  private suspects?: SuspectJobs;

  constructor(
    @Inject(DATABASE_ADDRESSES) private readonly addresses: DatabaseAddresses,
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly scheduler: SchedulerRegistry,
    private readonly log: LogService,
  ) {}

  /** Call it in `onModuleInit` only: the workers start after all modules have registered their jobs. */
  handle(name: string, handler: JobHandler): void {
    this.handlers[name] = (payload, { job, abortSignal }) =>
      this.suspects!.run(job, abortSignal, () => handler(payload as JobPayload, abortSignal));
  }

  /** Runs the handler at an interval on one process of the cluster, which the database selects. */
  every(name: string, seconds: number, handler: () => Promise<void>): void {
    this.ticks.push({ name, seconds, handler });
  }

  /** Runs work that has its own schedule, with the same quarantine as jobs of the queue. */
  runOutsideQueue(task: string, payload: JobPayload, run: () => Promise<JobOutcome>): Promise<UnqueuedWorkAdmission> {
    return this.suspects!.runOutsideQueue(this.processPresence!.poolId, { task, payload }, run);
  }

  /** Adds a job, which starts after the transaction commits. A quarantined job is added when it is released. */
  async add(tx: Tx, name: string, payload: JobPayload, options: JobOptions = {}): Promise<void> {
    const { key = null, runAt = null, maxAttempts = defaultMaxAttempts } = options;
    await tx.execute(enqueueJob, [name, JSON.stringify(payload), key, runAt, maxAttempts]);
  }

  /** Adds several scheduled jobs in one statement. */
  async addAll(tx: Tx, name: string, jobs: readonly { payload: JobPayload; runAt: Date }[]): Promise<void> {
    if (!jobs.length) return;
    const payloads = jobs.map(({ payload }) => JSON.stringify(payload));
    const times = jobs.map(({ runAt }) => runAt);
    await tx.execute(enqueueJobs, [name, payloads, times, defaultMaxAttempts]);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.isWorker) return;
    this.pool = guardedPool(
      { ...workConnection(this.addresses.login, 'cs_worker'), options: '-c role=cs_worker', max: jobConcurrency + 2 },
      warningOf(this.log, 'queue connection was lost'),
    );
    this.suspects = new SuspectJobs(new QueryableRunner(this.pool), (error) =>
      this.log.warn({ err: error }, 'suspect job could not leave the lane in time'),
    );
    const presence = new ProcessPresence(
      { ...workConnection(this.addresses.login, 'cs_worker'), options: '-c role=cs_worker' },
      (error) => this.log.warn({ err: error }, 'presence connection was lost'),
    );
    await presence.announce();
    this.processPresence = presence;
    await this.sweepDeadWorkers(true);
    this.events.on(
      'pool:create',
      ({ workerPool }) =>
        void presence
          .addPool(workerPool.id)
          .catch((error: unknown) => this.log.error({ err: error }, 'job pool could not be announced')),
    );
    this.runner = await run({
      events: this.events,
      pgPool: this.pool,
      taskList: this.handlers,
      concurrency: jobConcurrency,
      noHandleSignals: true,
      pollInterval: 2000,
      logger: errorLogger(this.log),
      // with the defaults, a job that ends during stop() stays locked and runs again after four hours
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    });
    const interval = setInterval(() => void this.tick(), tickIntervalMs);
    this.scheduler.addInterval(tickInterval, interval);
    void this.tick();
  }

  async onModuleDestroy(): Promise<void> {
    try {
      await this.processPresence?.announceShutdown();
    } catch (error) {
      this.log.warn({ err: error }, 'shutdown could not be announced; it may count as a loss of running jobs');
    }
  }

  /** Waits for running jobs before the database closes. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.scheduler.doesExist('interval', tickInterval)) this.scheduler.deleteInterval(tickInterval);
    await this.currentTick;
    await this.runner?.stop();
    // the library keeps the options of every runner, and with them all that the options refer to
    this.events.removeAllListeners();
    for (const name of Object.keys(this.handlers)) delete this.handlers[name];
  }

  /** Work outside the queue has ended as well by now. */
  async onApplicationShutdown(): Promise<void> {
    await this.processPresence?.end();
    if (this.pool) await endPool(this.pool);
  }

  private currentTick: Promise<void> = Promise.resolve();

  private isTicking = false;

  private tick(): Promise<void> {
    if (this.isTicking) return this.currentTick;
    this.isTicking = true;
    this.currentTick = this.tickOnce().finally(() => (this.isTicking = false));
    return this.currentTick;
  }

  private async tickOnce(): Promise<void> {
    const ticks: Tick[] = [
      // runs first, so that the loss is counted even if another tick crashes the process
      { name: deadWorkersTick, seconds: 5, handler: () => this.sweepDeadWorkers() },
      { name: 'queue.suspects', seconds: 3600, handler: () => this.suspects!.deleteExpired() },
      ...this.ticks,
    ];
    const due = await this.findDueTicks(ticks);
    for (const { name, seconds, handler } of ticks.filter((tick) => due.has(tick.name)))
      await this.runLogged(name, async () => {
        if (!(await this.claimTick(name, seconds))) return;
        if (name === deadWorkersTick) return handler(); // counts losses, so it is never quarantined itself
        const admission = await this.runOutsideQueue(`tick ${name}`, {}, handler);
        if (admission === 'wait') await this.database.systemPool.execute(postponeTick, [name]);
      });
  }

  private async findDueTicks(ticks: Tick[]): Promise<Set<string>> {
    const due = new Set<string>();
    await this.runLogged('queue.due', async () => {
      const rows = await this.database.systemPool.run(findDueTicks, [ticks.map(({ name }) => name)]);
      for (const { name } of rows) due.add(name);
    });
    return due;
  }

  private async runLogged(tick: string, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.log.error({ err: error, tick }, 'periodic task failed; it runs again at its next interval');
    }
  }

  private async claimTick(name: string, seconds: number): Promise<boolean> {
    return (await this.database.systemPool.execute(claimTick, [name, seconds])) === 1;
  }

  private async sweepDeadWorkers(isStarting = false): Promise<void> {
    const pools = await this.processPresence!.removeLost(this.pool!, { isStarting }, (transaction, lost) =>
      this.suspects!.releaseJobs(transaction, lost),
    );
    if (pools) this.log.info({ pools }, 'took over the jobs of lost processes');
  }
}
