import { expect, it } from 'vitest';
import { ReadAhead } from './read-ahead.js';

const ids = (from: number, count: number) => Array.from({ length: count }, (_, index) => String(from + index));

function reading(maxBatch: number) {
  const batches: number[] = [];
  const ahead = new ReadAhead<string>(maxBatch, (wanted) => {
    batches.push(wanted.length);
    return Promise.resolve(new Map(wanted.filter((id) => id !== '13').map((id) => [id, `text ${id}`])));
  });
  return { ahead, batches };
}

it('doubles its batches while contents are read one after another, also from page to page', async () => {
  const { ahead, batches } = reading(8);
  for (const page of [ids(0, 10), ids(10, 10), ids(20, 10)]) {
    const read = ahead.openPage(page);
    for (const id of page) expect(await read(id)).toBe(id === '13' ? undefined : `text ${id}`);
  }
  expect(batches).toEqual([1, 2, 4, 3, 8, 2, 8, 2]);
});

it('reads single contents alone', async () => {
  const { ahead, batches } = reading(8);
  const read = ahead.openPage(ids(0, 100));
  for (const id of ['7', '40', '80']) expect(await read(id)).toBe(`text ${id}`);
  expect(batches).toEqual([1, 1, 1]);
});

it('passes the failure of a batch to each of its readers', async () => {
  const read = new ReadAhead<string>(8, () => Promise.reject(new Error('down'))).openPage(ids(0, 4));
  await expect(read('0')).rejects.toThrow('down');
  const both = await Promise.allSettled([read('1'), read('2')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
