import { expect, it } from 'vitest';
import { isolatedJob } from './isolated-job.js';
import { runInBatches, runWithRetry } from './repeated-runs.js';

interface Input {
  action: string;
  value?: unknown;
}

const script = new URL('../../../test/kit/bad-input.isolated.js', import.meta.url);
const jobWithin = (limits: { cpuMs: number; stalledMs: number }) =>
  isolatedJob<Input[], unknown[]>('bad-input', script, { residentMb: 300, ...limits });
const stalling = jobWithin({ cpuMs: 30_000, stalledMs: 200 });
const batching = { maxInputs: 10, maxBytes: 1000, bytesOf: () => 1, maxFailures: 3 };

it('returns the failure of an input that exceeds the CPU limit twice', async () => {
  const job = jobWithin({ cpuMs: 300, stalledMs: 600_000 });
  expect(await runWithRetry(job, [{ action: 'spin' }], 'tenant')).toEqual({ failure: 'cpu-time' });
});

it('throws for an input that stalls without using CPU time', async () => {
  await expect(runWithRetry(stalling, [{ action: 'never' }], 'tenant')).rejects.toMatchObject({ failure: 'stalled' });
});

it('postpones inputs that stall in a batch, and processes the others', async () => {
  // long enough for a worker to start on a busy machine
  const longStall = jobWithin({ cpuMs: 30_000, stalledMs: 10_000 });
  const inputs = [{ action: 'never' }, { action: 'echo', value: 1 }, { action: 'exit' }, { action: 'echo', value: 2 }];
  expect(await runInBatches(longStall, inputs, 'tenant', batching)).toEqual([
    { isPostponed: true },
    { output: 1 },
    { failure: 'crashed' },
    { output: 2 },
  ]);
}, 120_000);

it('postpones the rest after several inputs stalled', async () => {
  const inputs = [...Array.from({ length: 4 }, () => ({ action: 'never' })), { action: 'echo', value: 1 }];
  const outcomes = await runInBatches(stalling, inputs, 'tenant', batching);
  expect(outcomes).toEqual(inputs.map(() => ({ isPostponed: true })));
});
