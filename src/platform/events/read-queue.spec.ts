import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ReadQueue } from './read-queue.js';

it('reads the readers of one turn together, each once', async () => {
  const batches: string[][] = [];
  const queue = new ReadQueue<string>(async (batch) => void batches.push(batch), throwError);
  queue.add(['a', 'b']);
  queue.add(['b', 'c']);
  queue.delete('a');
  await nextTurn();
  expect(batches).toEqual([['b', 'c']]);
});

it('reads again for readers that are added during a read', async () => {
  const batches: string[][] = [];
  const queue = new ReadQueue<string>(async (batch) => {
    batches.push(batch);
    if (batches.length === 1) queue.add(['a', 'b']);
  }, throwError);
  queue.add(['a']);
  await nextTurn();
  expect(batches).toEqual([['a'], ['a', 'b']]);
});

it('reports an error, and reads again when a reader is added', async () => {
  const errors: unknown[] = [];
  const batches: string[][] = [];
  const queue = new ReadQueue<string>(
    async (batch) => {
      batches.push(batch);
      if (batches.length === 1) throw new Error('no connection');
    },
    (error) => errors.push(error),
  );
  queue.add(['a']);
  await nextTurn();
  queue.add(['b']);
  await nextTurn();
  expect(errors).toEqual([new Error('no connection')]);
  expect(batches).toEqual([['a'], ['b']]);
});

function throwError(error: unknown): never {
  throw error;
}
