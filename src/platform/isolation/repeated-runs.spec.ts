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

it('says what an input did that used its processor time up, twice', async () => {
  const job = jobWithin({ cpuMs: 300, stalledMs: 600_000 });
  expect(await runWithRetry(job, [{ action: 'spin' }], 'tenant')).toEqual({ failure: 'cpu-time' });
});

it('says nothing about an input that stalled without computing', async () => {
  await expect(runWithRetry(stalling, [{ action: 'never' }], 'tenant')).rejects.toMatchObject({ failure: 'stalled' });
});

it('postpones what stalls in a batch, and computes the others', async () => {
  // long enough for a worker to start on a busy machine
  const patient = jobWithin({ cpuMs: 30_000, stalledMs: 10_000 });
  const inputs = [{ action: 'never' }, { action: 'echo', value: 1 }, { action: 'exit' }, { action: 'echo', value: 2 }];
  expect(await runInBatches(patient, inputs, 'tenant', batching)).toEqual([
    { isPostponed: true },
    { output: 1 },
    { failure: 'crashed' },
    { output: 2 },
  ]);
}, 120_000);

it('postpones the rest once several inputs stalled: the machine is busy', async () => {
  const inputs = [...Array.from({ length: 4 }, () => ({ action: 'never' })), { action: 'echo', value: 1 }];
  const outcomes = await runInBatches(stalling, inputs, 'tenant', batching);
  expect(outcomes).toEqual(inputs.map(() => ({ isPostponed: true })));
});
