import type { IsolatedJob } from './isolated-job.js';
import { runIsolated } from './isolated-workers.js';
import { type FatalFailure, IsolationError } from './isolation.error.js';

/** The outcome of one input. A failure means that it killed two worker processes, so that the caller quarantines it. */
export type RunOutcome<Output> = { output: Output } | { failure: FatalFailure };

/** `isPostponed`: the outcome is unknown, and the input must run again later. */
export type BatchOutcome<Output> = RunOutcome<Output> | { isPostponed: true };

const maxWorkerLosses = 2;

/**
 * Runs the job, and retries once if it killed the worker process. Throws the errors of `run`, and the `IsolationError`s
 * that do not depend on the input: `stalled` and `overloaded`.
 */
export async function runWithRetry<Input, Output>(
  job: IsolatedJob<Input, Output>,
  input: Input,
  owner: string,
): Promise<RunOutcome<Output>> {
  for (let losses = 1; ; losses++)
    try {
      return { output: await runIsolated(job, input, owner) };
    } catch (error) {
      const failure = error instanceof IsolationError ? error.fatal : null;
      if (!failure) throw error;
      if (losses === maxWorkerLosses) return { failure };
    }
}

interface BatchLimits<Input> {
  /** Inputs per run. */
  maxInputs: number;
  /** Bytes per run; a single larger input runs alone. */
  maxBytes: number;
  bytesOf(input: Input): number;
  /** After this many inputs failed or stalled, the rest is postponed. */
  maxFailures: number;
}

/**
 * Runs the job with several inputs at once. If a batch kills the worker process or stalls, each input runs alone, to
 * find the one that caused it. The outcomes are in the order of the inputs.
 */
export async function runInBatches<Input, Output>(
  job: IsolatedJob<Input[], Output[]>,
  inputs: readonly Input[],
  owner: string,
  batching: BatchLimits<Input>,
): Promise<BatchOutcome<Output>[]> {
  let failures = 0;
  const runAlone = async (input: Input): Promise<BatchOutcome<Output>> => {
    if (failures >= batching.maxFailures) return { isPostponed: true };
    try {
      const outcome = await runWithRetry(job, [input], owner);
      if ('output' in outcome) return { output: outcome.output[0] };
      failures++;
      return outcome;
    } catch (error) {
      if (!isStall(error)) throw error;
      failures++;
      return { isPostponed: true };
    }
  };
  const runBatch = async (batch: Input[]): Promise<BatchOutcome<Output>[]> => {
    if (batch.length === 1) return [await runAlone(batch[0])];
    try {
      return (await runIsolated(job, batch, owner)).map((output) => ({ output }));
    } catch (error) {
      if (!(error instanceof IsolationError && error.fatal) && !isStall(error)) throw error;
      const outcomes: BatchOutcome<Output>[] = [];
      for (const input of batch) outcomes.push(await runAlone(input));
      return outcomes;
    }
  };
  return (await Promise.all(batchesOf(inputs, batching).map(runBatch))).flat();
}

const isStall = (error: unknown): boolean => error instanceof IsolationError && error.failure === 'stalled';

function batchesOf<Input>(inputs: readonly Input[], { maxInputs, maxBytes, bytesOf }: BatchLimits<Input>): Input[][] {
  const batches: Input[][] = [];
  let bytes = 0;
  for (const input of inputs) {
    const last = batches.at(-1);
    bytes += bytesOf(input);
    if (last && last.length < maxInputs && bytes <= maxBytes) last.push(input);
    else {
      batches.push([input]);
      bytes = bytesOf(input);
    }
  }
  return batches;
}
