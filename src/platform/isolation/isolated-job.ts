export interface IsolationLimits {
  /** Processor time that one run may take, in milliseconds. */
  cpuMs: number;
  /** Resident memory of the worker process during a run, in MiB. An idle worker has about 60. */
  residentMb: number;
  /** Time on the clock after which a run is stopped that used less processor time than it may. Otherwise 30 times that, at least a minute. */
  stalledMs?: number;
}

/** A pure function in a module of its own, which runs in a worker process. The types are those of its `run`. */
export interface IsolatedJob<Input, Output> {
  name: string;
  /** Address of a module that exports `run`. */
  module: string;
  limits: IsolationLimits;
  /** Only carries the types. */
  readonly signature?: (input: Input) => Output;
}

/**
 * Declares a job. Its module is named `*.isolated.ts`, exports `run(input)`, and imports pure modules only. Input and output are
 * copied between the processes by structured clone.
 */
export const isolatedJob = <Input, Output>(
  name: string,
  module: URL,
  limits: IsolationLimits,
): IsolatedJob<Input, Output> => ({ name, module: module.href, limits });
