import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.js';
import { isolatedJob } from './isolated-job.js';
import { runIsolated } from './isolated-workers.js';
import type { IsolationError } from './isolation.error.js';
import { WorkerProcess } from './worker-process.js';

const script = new URL('../../../test/kit/bad-input.isolated.js', import.meta.url);
const jobWithin = (cpuMs: number) =>
  isolatedJob<{ action: string; value?: unknown }, unknown>('bad-input', script, { cpuMs, residentMb: 300 });
const job = jobWithin(500);
const failureOf = (action: string, within = job) =>
  runIsolated(within, { action }, 'tenant').then(
    () => 'no failure',
    (error: IsolationError) => error.failure,
  );

describe('an isolated run', () => {
  it('returns a structured clone of the result', async () => {
    const value = { bytes: new Uint8Array([1, 2]), when: new Date(0), map: new Map([['a', 1]]) };
    expect(await runIsolated(job, { action: 'echo', value }, 'tenant')).toEqual(value);
  });

  it('passes on the name and message of an error', async () => {
    await expect(runIsolated(job, { action: 'throw' }, 'tenant')).rejects.toMatchObject({
      name: 'RangeError',
      message: 'the input is out of range',
    });
  });

  it('is killed at the CPU limit, without blocking the server', async () => {
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    expect(await failureOf('spin')).toBe('cpu-time');
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
  });

  it.each(['heap', 'buffers'])('is killed at the memory limit (%s)', async (action) => {
    expect(await failureOf(action, jobWithin(60_000))).toBe('memory');
  });

  it('fails if its process crashes, and the next run uses another process', async () => {
    expect(await failureOf('exit')).toBe('crashed');
    expect(await runIsolated(job, { action: 'echo', value: 1 }, 'tenant')).toBe(1);
  });

  it('is stopped as stalled, which is not fatal, if it does not end and uses no CPU time', async () => {
    const within = { ...job, limits: { ...job.limits, stalledMs: 200 } };
    await expect(runIsolated(within, { action: 'never' }, 'tenant')).rejects.toMatchObject({
      failure: 'stalled',
      fatal: null,
    });
  });

  it('fails as overloaded, which is not fatal, if no process can be started', async () => {
    const { execPath } = process;
    process.execPath = '/nowhere/node';
    const worker = new WorkerProcess();
    const anyJob = isolatedJob<unknown, unknown>(job.name, script, job.limits);
    process.execPath = execPath;
    await expect(worker.run(anyJob, { action: 'echo' })).rejects.toMatchObject({ failure: 'overloaded', fatal: null });
  });

  it('rejects input that cannot be cloned, and the next run works', async () => {
    await expect(runIsolated(job, { action: 'echo', value: () => 1 }, 'tenant')).rejects.toThrow('could not be cloned');
    expect(await runIsolated(job, { action: 'echo', value: 2 }, 'tenant')).toBe(2);
  });

  it('has no environment variables and cannot write files', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'countersign-isolation-'));
    expect(await runIsolated(job, { action: 'environment' }, 'tenant')).toEqual([]);
    await expect(runIsolated(job, { action: 'write', value: path.join(folder, 'file') }, 'tenant')).rejects.toThrow(
      /restricted/,
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it('is rejected if the queue of its owner is full, while other owners are served', async () => {
    const runs = Array.from({ length: 1200 }, (_, value) =>
      runIsolated(job, { action: 'echo', value }, 'flooding').then(
        () => 'done',
        (error: IsolationError) => error.failure,
      ),
    );
    expect(await runIsolated(job, { action: 'echo', value: 3 }, 'quiet')).toBe(3);
    const outcomes = await Promise.all(runs);
    expect(new Set(outcomes)).toEqual(new Set(['done', 'overloaded']));
  });

  it('leaves a worker to other owners while one owner uses all of its own', async () => {
    const endless = Array.from({ length: 8 }, () => failureOf('spin'));
    expect(await runIsolated(job, { action: 'echo', value: 4 }, 'another')).toBe(4);
    expect(new Set(await Promise.all(endless))).toEqual(new Set(['cpu-time']));
  });
});

describe('a fair queue', () => {
  it('alternates between owners and preserves the order of each', () => {
    const queue = new FairQueue<string>(10);
    for (const entry of ['a1', 'a2', 'a3', 'b1']) queue.add(entry[0], entry);
    const taken = Array.from({ length: 5 }, () => queue.take(() => true));
    expect(taken).toEqual(['a1', 'b1', 'a2', 'a3', undefined]);
  });

  it('skips owners that are not eligible', () => {
    const queue = new FairQueue<string>(10);
    for (const entry of ['a1', 'b1']) queue.add(entry[0], entry);
    expect(queue.take((owner) => owner === 'b')).toBe('b1');
    expect(queue.take((owner) => owner === 'b')).toBeUndefined();
    expect(queue.isEmpty).toBe(false);
  });
});
