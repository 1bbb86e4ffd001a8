import { type ChildProcess, fork } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import type { IsolatedJob, IsolationLimits } from './isolated-job.js';
import { IsolationError, type IsolationFailure } from './isolation.error.js';
import { type ProcessUsage, processUsage } from './process-usage.js';

/** The default wall-clock limit: this many times the CPU limit, and at least a minute. */
const stallTimeout = { times: 30, leastMs: 60_000 };
/** Higher than the memory limits of all jobs, so that those apply. */
const heapMb = 1024;
/** Workers have a lower priority than the server, which must respond while they run. */
const workerPriority = () => Math.min(getPriority() + 5, constants.priority.PRIORITY_LOW);

const script = new URL(import.meta.url.endsWith('.ts') ? './worker.main.ts' : './worker.main.js', import.meta.url);

type WorkerReply = { output: unknown } | { error: { name: string; message: string } };

interface CurrentRun {
  job: IsolatedJob<unknown, unknown>;
  startedAt: number;
  usageAtStart: ProcessUsage | null;
  resolve(output: unknown): void;
  reject(error: Error): void;
}

const stallTimeoutMs = ({
  cpuMs,
  stalledMs = Math.max(stallTimeout.leastMs, cpuMs * stallTimeout.times),
}: IsolationLimits) => stalledMs;

/** A worker process without environment variables and without permission to write files or start processes. */
export class WorkerProcess {
  private readonly child: ChildProcess;
  private readonly ready: Promise<void>;
  private current?: CurrentRun;
  private killedFor?: IsolationFailure;
  private isStarted = false;
  isAlive = true;

  constructor() {
    this.child = fork(script, [], {
      env: {},
      execArgv: [
        `--max-old-space-size=${heapMb}`,
        '--permission',
        '--allow-fs-read=*',
        '--disable-warning=ExperimentalWarning',
        '--disable-warning=SecurityWarning',
      ],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.ready = new Promise((resolve) => {
      this.child.once('message', () => {
        this.isStarted = true;
        resolve();
      });
      this.child.once('exit', () => resolve());
      this.child.once('error', () => resolve()); // the process could not be spawned: no exit event follows
    });
    this.child.on('message', (answer: WorkerReply | 'ready') => answer !== 'ready' && this.finishRun(answer));
    this.child.on('error', () => this.end('SIGKILL'));
    this.child.on('exit', (_code, signal) => this.handleExit(signal));
    if (this.child.pid) setPriority(this.child.pid, workerPriority());
    this.setBusy(false);
  }

  async run<Output>(job: IsolatedJob<unknown, Output>, input: unknown): Promise<Output> {
    this.setBusy(true);
    await this.ready;
    return new Promise<unknown>((resolve, reject) => {
      const usageAtStart = this.usage();
      this.current = { job, startedAt: performance.now(), usageAtStart, resolve, reject };
      this.send({ module: job.module, input });
    }) as Promise<Output>;
  }

  /** Kills the process if its run exceeds a limit. */
  check(): void {
    if (!this.current || this.killedFor) return;
    const { job, startedAt, usageAtStart } = this.current;
    const wallMs = performance.now() - startedAt;
    const usage = this.usage();
    // without usage data (no /proc), estimate CPU time from wall time
    const cpuMs = usage && usageAtStart ? usage.cpuMs - usageAtStart.cpuMs : wallMs / 3;
    if (cpuMs > job.limits.cpuMs) this.killBecauseOf('cpu-time');
    else if (usage && usage.residentMb > job.limits.residentMb) this.killBecauseOf('memory');
    else if (wallMs > stallTimeoutMs(job.limits)) this.killBecauseOf('stalled');
  }

  get residentMb(): number {
    return this.usage()?.residentMb ?? 0;
  }

  end(signal: NodeJS.Signals = 'SIGTERM'): void {
    this.isAlive = false;
    this.child.kill(signal);
  }

  private send(message: { module: string; input: unknown }): void {
    // if the process never started, the input is not to blame
    if (!this.isAlive) return this.failRun(this.isStarted ? 'crashed' : 'overloaded');
    try {
      this.child.send(message);
    } catch (error) {
      // the input could not be cloned
      const current = this.current;
      this.current = undefined;
      this.setBusy(false);
      current?.reject(error as Error);
    }
  }

  private usage(): ProcessUsage | null {
    return this.child.pid ? processUsage(this.child.pid) : null;
  }

  private killBecauseOf(failure: IsolationFailure): void {
    this.killedFor = failure;
    this.end('SIGKILL');
  }

  private handleExit(signal: NodeJS.Signals | null): void {
    this.isAlive = false;
    // V8 aborts the process if its heap is full
    this.failRun(this.killedFor ?? (signal === 'SIGABRT' || signal === 'SIGTRAP' ? 'memory' : 'crashed'));
  }

  private failRun(failure: IsolationFailure): void {
    const current = this.current;
    this.current = undefined;
    current?.reject(new IsolationError(current.job.name, failure));
  }

  private finishRun(answer: WorkerReply): void {
    const current = this.current;
    this.current = undefined;
    this.setBusy(false);
    if ('output' in answer) current?.resolve(answer.output);
    else current?.reject(Object.assign(new Error(answer.error.message), { name: answer.error.name }));
  }

  /** An idle worker must not keep the server process alive. */
  private setBusy(isBusy: boolean): void {
    if (isBusy) {
      this.child.ref();
      this.child.channel?.ref();
    } else {
      this.child.unref();
      this.child.channel?.unref();
    }
  }
}
