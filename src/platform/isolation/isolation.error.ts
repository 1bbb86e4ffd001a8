/**
 * `cpu-time`, `memory`: the run exceeded a limit and its worker was killed. `crashed`: the worker ended by itself.
 */
export type FatalFailure = 'cpu-time' | 'memory' | 'crashed';

/**
 * `stalled`: the run did not end in time, and used less processor time than it may: the machine is busy, and the input may be
 * harmless. `overloaded`: too many runs of this owner are queued, or no worker could be started; nothing was computed.
 */
export type IsolationFailure = FatalFailure | 'stalled' | 'overloaded';

const descriptions: Record<IsolationFailure, string> = {
  'cpu-time': 'takes too much processor time',
  memory: 'takes too much memory',
  stalled: 'was not computed in time: the machine is busy',
  crashed: 'ends its process',
  overloaded: 'has to wait: too many inputs are queued, or no worker process can be started',
};

/** An isolated run came to no result. Carries no text of the input. */
export class IsolationError extends Error {
  override readonly name = 'IsolationError';
  readonly job: string;
  readonly failure: IsolationFailure;

  constructor(job: string, failure: IsolationFailure) {
    super(`${job}: the input ${descriptions[failure]}`);
    this.job = job;
    this.failure = failure;
  }

  /** The failure where the input cost a worker process its life, so that running it again will probably cost another; or null. */
  get fatal(): FatalFailure | null {
    return this.failure === 'stalled' || this.failure === 'overloaded' ? null : this.failure;
  }
}
