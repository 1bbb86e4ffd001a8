/**
 * `cpu-time`, `memory`: the run exceeded a limit and its worker was killed. `stalled`: it waited without computing until the worker
 * was killed. `crashed`: the worker ended by itself. `overloaded`: too many runs of this owner are queued; nothing was computed.
 */
export type IsolationFailure = 'cpu-time' | 'memory' | 'stalled' | 'crashed' | 'overloaded';

const descriptions: Record<IsolationFailure, string> = {
  'cpu-time': 'takes too much processor time',
  memory: 'takes too much memory',
  stalled: 'does not end',
  crashed: 'ends its process',
  overloaded: 'has to wait: too many inputs are queued',
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

  /** The run cost a worker process its life, so that running it again will probably cost another. */
  get isFatal(): boolean {
    return this.failure !== 'overloaded';
  }
}
