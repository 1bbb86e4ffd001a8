import type { Job } from 'graphile-worker';
import type pg from 'pg';
import type { LostPool } from './presence.js';
import {
  beginWork,
  clearSuspicion,
  countLosses,
  dropQuarantined,
  endWork,
  enterLane,
  forgetOldSuspects,
  isolateSuspects,
  leaveLane,
  openLane,
  unlockLane,
  unlockLaneOf,
} from './suspect-jobs.sql.js';

const mostLosses = 2;
/** Of a job that outlasts its time in the lane. */
const mostLossesInAll = 5;
/** So long a suspect keeps the others waiting. */
const laneMs = 5 * 60_000;
const rememberedDays = 30;

/** `postponed`: the job found that another process is at it, and did nothing itself. */
export type JobOutcome = void | 'postponed';

/** Ids only: payloads stay in the queue's tables, outside the tenants' walls. */
export type JobPayload = Record<string, string | number | boolean | null>;
export interface WorkBeside {
  task: string;
  payload: JobPayload;
  isSweep?: boolean;
}
/** `quarantined` and `wait`: it was not run. */
export type Admission = 'admitted' | 'quarantined' | 'wait';

/**
 * Jobs that were under way when a process was lost. Each of them may be the reason. From then on they run one at a time in the
 * cluster, so that a second loss points at one of them, and that one is quarantined. A job that ends is no suspect any more.
 */
export class SuspectJobs {
  constructor(
    private readonly pool: pg.Pool,
    private readonly onError: (error: Error) => void,
  ) {}

  /** In the transaction that takes the pools off the list, so that each loss counts once. */
  async giveBack(client: pg.ClientBase, lost: readonly LostPool[]): Promise<void> {
    const all = lost.map(({ poolId }) => poolId);
    const died = lost.filter(({ isStopping }) => !isStopping).map(({ poolId }) => poolId);
    await client.query(openLane);
    await client.query(countLosses, [died, mostLosses, mostLossesInAll]);
    await client.query('delete from work_in_hand where pool_id = any ($1::text[])', [all]);
    await client.query('select graphile_worker.force_unlock_workers($1)', [all]);
    await client.query(unlockLaneOf, [all]);
    await client.query(isolateSuspects);
    await client.query(dropQuarantined);
    await client.query(`select pg_notify('jobs:insert', '')`);
  }

  async forgetOld(): Promise<void> {
    await this.pool.query(forgetOldSuspects, [rememberedDays]);
  }

  /** Runs a job of the queue. An end that is its own clears it, with an error too; an end by our shutdown does not. */
  async run(job: Job, signal: AbortSignal, work: () => Promise<JobOutcome>): Promise<void> {
    if (job.job_queue_id === null) return void (await work());
    const { id, task_identifier: task, payload, locked_by } = job;
    const timer = this.leaveInTime([task, JSON.stringify(payload), id, locked_by]);
    let outcome: JobOutcome = undefined;
    try {
      outcome = await work();
    } finally {
      clearTimeout(timer);
      if (outcome !== 'postponed' && !signal.aborted) await this.clear(task, payload);
    }
  }

  /**
   * Runs what is not in the queue, and counts it like a job. Sweeps do not wait for the lane: they are short, and what they start
   * for others would wait with them.
   */
  async runBeside(
    poolId: string,
    { task, payload, isSweep = false }: WorkBeside,
    work: () => Promise<JobOutcome>,
  ): Promise<Admission> {
    const written = JSON.stringify(payload);
    const begun = await this.pool.query<{ isSuspect: boolean }>(beginWork, [poolId, task, written]);
    if (!begun.rows.length) return 'quarantined';
    const [{ isSuspect }] = begun.rows;
    const holder = `${poolId} ${task} ${written}`;
    const isLaned = isSuspect && !isSweep;
    let timer: NodeJS.Timeout | undefined;
    let outcome: JobOutcome = 'postponed';
    try {
      if (isLaned && !(await this.pool.query(enterLane, [holder])).rowCount) return 'wait';
      if (isLaned) timer = this.leaveInTime([task, written, null, holder]);
      outcome = undefined;
      outcome = await work();
      return 'admitted';
    } finally {
      clearTimeout(timer);
      await this.pool.query(endWork, [poolId, task, written]);
      if (isSuspect && outcome !== 'postponed') await this.clear(task, payload);
      if (isLaned) await this.pool.query(unlockLane, [holder]);
    }
  }

  private leaveInTime(values: unknown[]): NodeJS.Timeout {
    return setTimeout(() => void this.pool.query(leaveLane, values).catch(this.onError), laneMs);
  }

  private async clear(task: string, payload: unknown): Promise<void> {
    await this.pool.query(clearSuspicion, [task, JSON.stringify(payload)]);
  }
}
