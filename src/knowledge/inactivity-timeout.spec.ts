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

describe('patience', () => {
  it('passes on what comes, and ends with it', async () => {
    const patience = new InactivityTimeout(new AbortController().signal, 60);
    await expect(collect(patience.iterate(numbers(Promise.resolve())))).resolves.toEqual([1, 2]);
    await expect(patience.waitFor(Promise.resolve('x'))).resolves.toBe('x');
    await expect(patience.waitFor(Promise.reject(new Error('theirs')))).rejects.toThrow('theirs');
  });

  it('gives up on a source that gives nothing', async () => {
    const patience = new InactivityTimeout(new AbortController().signal, 0.02);
    await expect(collect(patience.iterate(numbers(never)))).rejects.toThrow('Nothing came for 0.02 seconds.');
  });

  it('stops at once when told to, even if the source does not', async () => {
    const stop = new AbortController();
    const work = collect(new InactivityTimeout(stop.signal, 60).iterate(numbers(never)));
    stop.abort(new Error('told to'));
    await expect(work).rejects.toThrow('told to');
  });

  it('closes a source that its reader leaves', async () => {
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
