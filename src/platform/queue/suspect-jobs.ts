import type { Job } from 'graphile-worker';
import type { ParamsOf, StatementRunner } from '../database/statement.js';
import type { LostPool } from './process-presence.sql.js';
import {
  beginWork,
  clearSuspicion,
  countLosses,
  deleteWork,
  dropQuarantined,
  endWork,
  deleteExpiredSuspects,
  isolateSuspects,
  leaveLane,
  notifyWorkers,
  openLane,
  unlockJobs,
  unlockLane,
  unlockLaneOf,
} from './suspect-jobs.sql.js';

const maxConsecutiveLosses = 2;
/** For jobs that take longer than the lane timeout, which resets their consecutive losses. */
const maxTotalLosses = 5;
/** Time for which a suspect may block the other suspects. */
const standardLaneTimeoutMs = 5 * 60_000;
const suspectRetentionDays = 30;

/** `postponed`: the job did nothing, because another process already works on it. */
export type JobOutcome = void | 'postponed';

/** Contains ids only, because the queue's tables have no row-level security. */
export type JobPayload = Record<string, string | number | boolean | null>;
export interface UnqueuedWork {
  task: string;
  payload: JobPayload;
}
/** `quarantined`, `wait`: the work did not run. */
export type UnqueuedWorkAdmission = 'admitted' | 'quarantined' | 'wait';

/**
 * Jobs that were running when a process crashed. Each of them may be the cause. From then on, they run one at a time in
 * the cluster, so that a second crash identifies one of them, which is quarantined. A job that ends is cleared.
 */
export class SuspectJobs {
  constructor(
    private readonly pool: StatementRunner,
    private readonly onError: (error: Error) => void,
    private readonly laneTimeoutMs = standardLaneTimeoutMs,
  ) {}

  /** Runs in the transaction that removes the pools, so that each loss is counted once. */
  async releaseJobs(transaction: StatementRunner, lost: readonly LostPool[]): Promise<void> {
    const all = lost.map(({ poolId }) => poolId);
    const died = lost.filter(({ isStopping }) => !isStopping).map(({ poolId }) => poolId);
    await transaction.execute(openLane);
    await transaction.execute(countLosses, [died, maxConsecutiveLosses, maxTotalLosses]);
    await transaction.execute(deleteWork, [all]);
    await transaction.execute(unlockJobs, [all]);
    await transaction.execute(unlockLaneOf, [all]);
    await transaction.execute(isolateSuspects);
    await transaction.execute(dropQuarantined);
    await transaction.execute(notifyWorkers);
  }

  async deleteExpired(): Promise<void> {
    await this.pool.execute(deleteExpiredSuspects, [suspectRetentionDays]);
  }

  /** Runs a job of the queue. When it ends, even with an error, it is cleared, unless the shutdown aborted it. */
  async run(job: Job, signal: AbortSignal, work: () => Promise<JobOutcome>): Promise<void> {
    if (job.job_queue_id === null) return void (await work());
    const { id, task_identifier: task, payload, locked_by: holder } = job;
    const timer = this.scheduleLaneExit([task, JSON.stringify(payload), id, holder!]); // a running job is locked
    let outcome: JobOutcome = undefined;
    try {
      outcome = await work();
    } finally {
      clearInterval(timer);
      if (outcome !== 'postponed' && !signal.aborted) await this.clear(task, payload);
    }
  }

  /** Runs work outside the queue, and counts its losses like those of a job. */
  async runOutsideQueue(
    poolId: string,
    { task, payload }: UnqueuedWork,
    work: () => Promise<JobOutcome>,
  ): Promise<UnqueuedWorkAdmission> {
    const payloadText = JSON.stringify(payload);
    const holder = `${poolId} ${task} ${payloadText}`;
    const { isQuarantined, isSuspect, isRecorded } = (await this.pool.one(beginWork, [
      poolId,
      task,
      payloadText,
      holder,
    ]))!;
    if (!isRecorded) return isQuarantined ? 'quarantined' : 'wait';
    const timer = isSuspect ? this.scheduleLaneExit([task, payloadText, null, holder]) : undefined;
    let outcome: JobOutcome = undefined;
    try {
      outcome = await work();
      return 'admitted';
    } finally {
      await this.pool.execute(endWork, [poolId, task, payloadText]);
      if (isSuspect && outcome !== 'postponed') await this.clear(task, payload);
      if (isSuspect) await this.pool.execute(unlockLane, [holder]);
      clearInterval(timer); // after a failure, it unlocks the lane, which otherwise stays locked as long as this process lives
    }
  }

  /** Repeats until it succeeds. The caller clears the timer when the work has left the lane. */
  private scheduleLaneExit(params: ParamsOf<typeof leaveLane>): NodeJS.Timeout {
    const leave = () =>
      void this.pool.execute(leaveLane, params).then(() => {
        clearInterval(timer);
      }, this.onError);
    const timer = setInterval(leave, this.laneTimeoutMs).unref();
    return timer;
  }

  private async clear(task: string, payload: unknown): Promise<void> {
    await this.pool.execute(clearSuspicion, [task, JSON.stringify(payload)]);
  }
}
