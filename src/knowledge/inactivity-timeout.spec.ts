import { describe, expect, it } from 'vitest';
import { InactivityTimeout } from './inactivity-timeout.js';

const never = new Promise<never>(() => undefined);
async function* numbers(then: Promise<unknown>) {
  yield 1;
  yield 2;
  await then;
}
async function collect(items: AsyncIterable<number>): Promise<number[]> {
  const all: number[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('the inactivity timeout', () => {
  it('passes values and errors through and ends with the source', async () => {
    const timeout = new InactivityTimeout(new AbortController().signal, 60);
    await expect(collect(timeout.iterate(numbers(Promise.resolve())))).resolves.toEqual([1, 2]);
    await expect(timeout.waitFor(Promise.resolve('x'))).resolves.toBe('x');
    await expect(timeout.waitFor(Promise.reject(new Error('theirs')))).rejects.toThrow('theirs');
  });

  it('rejects when a source sends nothing', async () => {
    const timeout = new InactivityTimeout(new AbortController().signal, 0.02);
    await expect(collect(timeout.iterate(numbers(never)))).rejects.toThrow('The source sent nothing for 0.02 seconds.');
  });

  it('stops on abort even if the source does not', async () => {
    const stop = new AbortController();
    const work = collect(new InactivityTimeout(stop.signal, 60).iterate(numbers(never)));
    stop.abort(new Error('aborted'));
    await expect(work).rejects.toThrow('aborted');
  });

  it('closes the source when the consumer stops early', async () => {
    let isClosed = false;
    async function* source() {
      try {
        yield 1;
        yield 2;
      } finally {
        isClosed = true;
      }
    }
    for await (const item of new InactivityTimeout(new AbortController().signal, 60).iterate(source()))
      if (item === 1) break;
    expect(isClosed).toBe(true);
  });
});
