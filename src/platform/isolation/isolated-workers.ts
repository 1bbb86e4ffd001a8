import { availableParallelism } from 'node:os';
import { FairQueue } from './fair-queue.js';
import type { IsolatedJob } from './isolated-job.js';
import { IsolationError } from './isolation.error.js';
import { WorkerProcess } from './worker-process.js';

/** One more than the processors, so that one owner can use all of them while a worker stays free for other owners. */
const maxWorkers = Math.min(4, availableParallelism()) + 1;
const maxQueuedPerOwner = 1000;
const checkIntervalMs = 20;
const idleTimeoutMs = 30_000;
/** A worker that has grown beyond this is replaced after its run, so that the next run has enough memory. */
const replacementThresholdMb = 150;
/** Limits the state that libraries accumulate in a worker. */
const maxRunsPerWorker = 10_000;

interface QueuedRun {
  job: IsolatedJob<unknown, unknown>;
  input: unknown;
  owner: string;
  resolve(output: unknown): void;
  reject(error: Error): void;
}

interface WorkerSlot {
  worker: WorkerProcess;
  runs: number;
  /** The owner of the current run; undefined while idle. */
  owner?: string;
  idleSince: number;
}

export type IsolationObserver = (job: string, outcome: 'done' | 'refused' | IsolationError['failure']) => void;

/**
 * The worker processes of this process. They start on demand and end after half a minute without work. Limits are per
 * process.
 */
class IsolatedWorkers {
  private readonly queue = new FairQueue<QueuedRun>(maxQueuedPerOwner);
  private readonly slots = new Set<WorkerSlot>();
  private timer?: NodeJS.Timeout;
  private observer: IsolationObserver = () => {};

  observe(observer: IsolationObserver): void {
    this.observer = observer;
  }

  run<Input, Output>(job: IsolatedJob<Input, Output>, input: Input, owner: string): Promise<Output> {
    return new Promise<Output>((resolve, reject) => {
      const entry = { job, input, owner, resolve, reject } as QueuedRun;
      if (this.queue.add(owner, entry)) this.dispatch();
      else reject(this.observed(new IsolationError(job.name, 'overloaded')));
    });
  }

  private dispatch(): void {
    for (let slot = this.freeSlot(); slot; slot = this.freeSlot()) {
      const next = this.queue.take((owner) => this.countOf(owner) < maxWorkers - 1);
      if (!next) return;
      void this.runIn(slot, next);
    }
  }

  private freeSlot(): WorkerSlot | undefined {
    for (const slot of this.slots) if (slot.owner === undefined && slot.worker.isAlive) return slot;
    if (this.slots.size >= maxWorkers || this.queue.isEmpty) return undefined;
    const slot: WorkerSlot = { worker: new WorkerProcess(), runs: 0, idleSince: performance.now() };
    this.slots.add(slot);
    this.timer ??= setInterval(() => this.check(), checkIntervalMs).unref();
    return slot;
  }

  private countOf(owner: string): number {
    let count = 0;
    for (const slot of this.slots) if (slot.owner === owner) count++;
    return count;
  }

  private async runIn(slot: WorkerSlot, { job, input, owner, resolve, reject }: QueuedRun): Promise<void> {
    slot.owner = owner;
    slot.runs++;
    try {
      resolve(await slot.worker.run(job, input));
      this.observer(job.name, 'done');
    } catch (error) {
      reject(this.observed(error as Error, job.name));
    } finally {
      this.release(slot);
      this.dispatch();
    }
  }

  private release(slot: WorkerSlot): void {
    slot.owner = undefined;
    slot.idleSince = performance.now();
    if (slot.runs >= maxRunsPerWorker || slot.worker.residentMb > replacementThresholdMb) slot.worker.end();
    if (!slot.worker.isAlive) this.slots.delete(slot);
  }

  private check(): void {
    for (const slot of this.slots)
      if (slot.owner !== undefined) slot.worker.check();
      else if (!slot.worker.isAlive || performance.now() - slot.idleSince > idleTimeoutMs) {
        slot.worker.end();
        this.slots.delete(slot);
      }
    if (this.slots.size) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private observed(error: Error, job?: string): Error {
    if (error instanceof IsolationError) this.observer(error.job, error.failure);
    else this.observer(job!, 'refused');
    return error;
  }
}

const workers = new IsolatedWorkers();

/**
 * Runs the job in a worker process and returns its output. `owner` is the tenant; owners take turns. Throws
 * `IsolationError` if a limit is exceeded, and an `Error` with the same name and message if `run` throws.
 */
export const runIsolated = <Input, Output>(
  job: IsolatedJob<Input, Output>,
  input: Input,
  owner: string,
): Promise<Output> => workers.run(job, input, owner);

/** Reports the outcome of every run in this process, for metrics. */
export const observeIsolation = (observer: IsolationObserver): void => workers.observe(observer);
