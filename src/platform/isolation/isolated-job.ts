export interface IsolationLimits {
  /** CPU time limit of one run, in milliseconds. */
  cpuMs: number;
  /** Limit of the worker's resident memory during a run, in MiB. An idle worker has about 60. */
  residentMb: number;
  /** Wall-clock limit of a run that stays below its CPU limit. Default: 30 times the CPU limit, at least a minute. */
  stalledMs?: number;
}

/** A pure function in a separate module, which runs in a worker process. The type parameters describe its `run`. */
export interface IsolatedJob<Input, Output> {
  name: string;
  /** URL of the module that exports `run`. */
  module: string;
  limits: IsolationLimits;
  /** Only carries the types. */
  readonly signature?: (input: Input) => Output;
}

/**
 * Declares a job. Its module is named `*.isolated.ts`, exports `run(input)`, and imports only pure modules. Input and
 * output are copied between the processes by structured clone.
 */
export const isolatedJob = <Input, Output>(
  name: string,
  module: URL,
  limits: IsolationLimits,
): IsolatedJob<Input, Output> => ({ name, module: module.href, limits });
