import { setTimeout as after } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { mapConcurrently } from './map-concurrently.js';

it('yields results in the order of the items and never exceeds the limit', async () => {
  let running = 0;
  let most = 0;
  const map = async (item: number) => {
    most = Math.max(most, ++running);
    await after(item % 3);
    running--;
    return item * 2;
  };
  const items = Array.from({ length: 20 }, (_, index) => index);
  const results: number[] = [];
  for await (const result of mapConcurrently(items, 4, map)) results.push(result);
  expect(results).toEqual(items.map((item) => item * 2));
  expect(most).toBe(4);
});

it('starts no more items than the consumer needs', async () => {
  const started: number[] = [];
  const map = async (item: number) => void started.push(item);
  await mapConcurrently([0, 1, 2, 3, 4, 5], 2, map).next();
  expect(started).toEqual([0, 1]);
});

it('throws the failure of an item in its turn', async () => {
  const map = async (item: number) => {
    if (item >= 2) throw new Error(`item ${item}`);
    return item;
  };
  const results: number[] = [];
  const consume = async () => {
    for await (const result of mapConcurrently([0, 1, 2, 3], 4, map)) results.push(result);
  };
  await expect(consume()).rejects.toThrow('item 2');
  expect(results).toEqual([0, 1]);
});
