import { Inject, Injectable, type OnApplicationBootstrap, type BeforeApplicationShutdown } from '@nestjs/common';
import { Logger, run, type Runner, type TaskList, type WorkerEvents } from 'graphile-worker';
import { EventEmitter } from 'node:events';
import type pg from 'pg';
import type { EntityManager } from 'typeorm';
import { Config } from '../config/config.js';
import { workConnection, type DatabaseAddresses } from '../database/addresses.js';
import { Database } from '../database/database.service.js';
import { endPool, guardedPool } from '../database/guarded-pool.js';
import { ADDRESSES } from '../database/tokens.js';
import { Log } from '../telemetry/log.service.js';
import { Presence } from './presence.js';

/** Ids only: payloads stay in the queue's table, outside the tenants' walls. */
export type JobPayload = Record<string, string | number | boolean | null>;
export interface JobOptions {
  /** A second job with the same key replaces one that has not started. */
  key?: string;
  runAt?: Date;
  maxAttempts?: number;
}
type Handler = (payload: JobPayload, signal: AbortSignal) => Promise<void>;

const concurrency = 8;
const tickMs = 1000;

/** Background jobs, at least once: a handler must be able to run again. */
@Injectable()
export class Queue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly handlers: TaskList = {};
  private readonly ticks: { name: string; seconds: number; handler: () => Promise<void> }[] = [];
  private runner?: Runner;
  private pool?: pg.Pool;
  private presence?: Presence;
  private timer?: NodeJS.Timeout;

  constructor(
    @Inject(ADDRESSES) private readonly at: DatabaseAddresses,
    private readonly config: Config,
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /** In `onModuleInit` only: the workers start when every room has named its jobs. */
  handle(name: string, handler: Handler): void {
    this.handlers[name] = async (payload, helpers) => handler(payload as JobPayload, helpers.abortSignal);
  }

  /** Every so many seconds, on one process of the cluster; the database decides on which. */
  every(name: string, seconds: number, handler: () => Promise<void>): void {
    this.ticks.push({ name, seconds, handler });
  }

  /** Starts with the transaction's commit, or never. */
  async add(tx: EntityManager, name: string, payload: JobPayload, options: JobOptions = {}): Promise<void> {
    const { key = null, runAt = null, maxAttempts = 10 } = options;
    await tx.query('select cs_enqueue($1, $2, $3, $4, $5)', [name, JSON.stringify(payload), key, runAt, maxAttempts]);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.isWorker) return;
    this.pool = guardedPool(
      { ...workConnection(this.at.login, 'cs_worker'), options: '-c role=cs_worker', max: concurrency + 2 },
      (error) => this.log.warn({ err: error }, 'a connection of the queue broke'),
    );
    const presence = new Presence(
      { ...workConnection(this.at.login, 'cs_worker'), options: '-c role=cs_worker' },
      (error) => this.log.warn({ err: error }, 'the presence connection broke'),
    );
    await presence.announce();
    this.presence = presence;
    const events: WorkerEvents = new EventEmitter();
    events.on(
      'pool:create',
      ({ workerPool }) =>
        void presence
          .enter(workerPool.id)
          .catch((error: unknown) => this.log.error({ err: error }, 'the job pool could not announce itself')),
    );
    this.runner = await run({
      events,
      pgPool: this.pool,
      taskList: this.handlers,
      concurrency,
      noHandleSignals: true,
      pollInterval: 2000,
      logger: new Logger(() => (level, message) => level === 'error' && this.log.error({}, message)),
      // with the defaults a job that ends during stop() stays locked, and runs again after four hours
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    });
    this.timer = setInterval(() => void this.tick(), tickMs);
    void this.tick();
  }

  /** Before the database closes: jobs that run are finished. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
    await this.runner?.stop();
    await this.presence?.end();
    if (this.pool) await endPool(this.pool);
  }

  private running: Promise<void> = Promise.resolve();

  private isTicking = false;

  private tick(): Promise<void> {
    if (this.isTicking) return this.running;
    this.isTicking = true;
    this.running = this.tickOnce().finally(() => (this.isTicking = false));
    return this.running;
  }

  private async tickOnce(): Promise<void> {
    for (const { name, seconds, handler } of [
      { name: 'queue.dead-workers', seconds: 5, handler: () => this.sweepDeadWorkers() },
      ...this.ticks,
    ]) {
      try {
        if (await this.mine(name, seconds)) await handler();
      } catch (error) {
        this.log.error({ err: error, tick: name }, 'a tick failed; it comes again');
      }
    }
  }

  private async mine(name: string, seconds: number): Promise<boolean> {
    const { rowCount } = await this.database.systemPool.query(
      `insert into ticks (name, due_at) values ($1, now() + $2 * interval '1 second')
       on conflict (name) do update set due_at = now() + $2 * interval '1 second' where ticks.due_at <= now()`,
      [name, seconds],
    );
    return rowCount === 1;
  }

  private async sweepDeadWorkers(): Promise<void> {
    const dead = await this.presence!.takeDead(this.pool!);
    if (!dead.length) return;
    await this.pool!.query('select graphile_worker.force_unlock_workers($1)', [dead]);
    await this.pool!.query(`select pg_notify('jobs:insert', '')`);
    this.log.info({ pools: dead.length }, 'took over the jobs of processes that are gone');
  }
}
