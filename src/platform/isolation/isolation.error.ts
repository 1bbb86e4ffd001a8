/**
 * `cpu-time`, `memory`: the run exceeded a limit and its worker was killed. `crashed`: the worker process crashed.
 */
export type FatalFailure = 'cpu-time' | 'memory' | 'crashed';

/**
 * `stalled`: the run timed out below its CPU limit: the machine is busy, and the input may be harmless. `overloaded`:
 * too many runs of this owner are queued, or no worker could be started; the run did not start.
 */
export type IsolationFailure = FatalFailure | 'stalled' | 'overloaded';

const descriptions: Record<IsolationFailure, string> = {
  'cpu-time': 'takes too much processor time',
  memory: 'takes too much memory',
  stalled: 'was not processed in time, because the machine is busy',
  crashed: 'crashes the worker process',
  overloaded: 'was not processed: too many inputs are queued, or no worker process can be started',
};

/** An isolated run failed. The error contains no text of the input. */
export class IsolationError extends Error {
  override readonly name = 'IsolationError';
  readonly job: string;
  readonly failure: IsolationFailure;

  constructor(job: string, failure: IsolationFailure) {
    super(`${job}: the input ${descriptions[failure]}`);
    this.job = job;
    this.failure = failure;
  }

  /** The failure if the input killed a worker process and will probably do so again; otherwise null. */
  get fatal(): FatalFailure | null {
    return this.failure === 'stalled' || this.failure === 'overloaded' ? null : this.failure;
  }
}
