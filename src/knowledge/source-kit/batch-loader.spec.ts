import { describe, expect, it } from 'vitest';
import { UnreadableDocument } from '../../connections/connections.error.js';
import { BatchLoader } from './batch-loader.js';
import { SourceRequestError } from './source-request.error.js';

const loader = (options: { size: number; maxBytes?: number; fails?: (batch: number[]) => boolean }) => {
  const batches: number[][] = [];
  const load = async (batch: number[]) => {
    batches.push(batch);
    if (options.fails?.(batch)) throw new SourceRequestError('unavailable', 'too slow', null, true);
    return batch.map((one) => one * 10);
  };
  return { batches, loader: new BatchLoader(load, { ...options, bytesOf: (one: number) => one }) };
};

describe('a batch loader', () => {
  it('loads a batch for items that are read in order, and continues across pages', async () => {
    const { batches, loader: tried } = loader({ size: 3 });
    const read: number[] = [];
    for (const page of [
      [1, 2, 3, 4],
      [5, 6],
    ])
      for (const one of tried.page(page)) read.push(await one());
    expect(read).toEqual([10, 20, 30, 40, 50, 60]);
    expect(batches).toEqual([[1, 2, 3], [4], [5, 6]]);
  });

  it('loads single items when reads skip others', async () => {
    const { batches, loader: tried } = loader({ size: 3 });
    const page = tried.page([1, 2, 3, 4, 5, 6, 7, 8]);
    expect([await page[3](), await page[6](), await page[7]()]).toEqual([40, 70, 80]);
    expect(batches).toEqual([[4], [7], [8]]);
  });

  it('limits the estimated size of a batch', async () => {
    const { batches, loader: tried } = loader({ size: 10, maxBytes: 7 });
    await Promise.all(tried.page([1, 2, 3, 4, 9, 1]).map((one) => one()));
    expect(batches).toEqual([[1, 2, 3], [4], [9], [1]]);
  });

  it('splits a batch that the source cannot answer', async () => {
    const { batches, loader: tried } = loader({ size: 4, fails: (batch) => batch.length > 1 });
    expect(await Promise.all(tried.page([1, 2, 3, 4]).map((one) => one()))).toEqual([10, 20, 30, 40]);
    expect(batches).toHaveLength(7);
  });

  it('rejects only the reader of an oversized item', async () => {
    const load = async (batch: number[]) => {
      if (batch.includes(2)) throw new SourceRequestError('too-large', 'too large', 200, true);
      return batch;
    };
    const reads = new BatchLoader(load, { size: 4 }).page([1, 2, 3, 4]).map((one) => one());
    expect(await Promise.allSettled(reads)).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'rejected', reason: new UnreadableDocument('is larger than a response may be') },
      { status: 'fulfilled', value: 3 },
      { status: 'fulfilled', value: 4 },
    ]);
  });

  it('rejects every reader of a failed batch, and loads it again on the next read', async () => {
    let isBroken = true;
    const { loader: tried } = loader({ size: 2, fails: () => isBroken });
    const [one, two] = tried.page([1, 2]);
    await expect(one()).rejects.toThrow('too slow');
    await expect(two()).rejects.toThrow('too slow');
    isBroken = false;
    expect([await one(), await two()]).toEqual([10, 20]);
  });
});
