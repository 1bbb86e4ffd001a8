import { describe, expect, it } from 'vitest';
import pg from 'pg';
import { Batcher } from './batcher.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));

function doublingBatcher(fails: (inputs: number[]) => Error | undefined = () => undefined) {
  const batches: number[][] = [];
  const gather = new Batcher<{ tenantId: string; n: number }, number>(
    async (_tenantId, inputs) => {
      const numbers = inputs.map(({ n }) => n);
      batches.push(numbers);
      await tick();
      const failure = fails(numbers);
      if (failure) throw failure;
      return numbers.map((n) => n * 2);
    },
    { maxBatchSize: 3, maxInFlight: 1 },
  );
  return { batches, ask: (n: number, tenantId = 'a') => gather.submit({ tenantId, n }) };
}

describe('what is asked for together', () => {
  it('is answered together, each with its own answer, so many at a time', async () => {
    const { ask, batches } = doublingBatcher();
    await expect(Promise.all([1, 2, 3, 4].map((n) => ask(n)))).resolves.toEqual([2, 4, 6, 8]);
    expect(batches).toEqual([[1, 2, 3], [4]]);
  });

  it('goes out when what is under way is back', async () => {
    const { ask, batches } = doublingBatcher();
    const first = ask(1);
    await tick();
    const rest = [ask(2), ask(3)];
    await expect(Promise.all([first, ...rest])).resolves.toEqual([2, 4, 6]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('is asked per tenant, and one does not fail with the other', async () => {
    const { ask, batches } = doublingBatcher((inputs) =>
      inputs.includes(2) ? new Error('the connection broke') : undefined,
    );
    const answers = await Promise.allSettled([ask(1, 'a'), ask(2, 'b'), ask(3, 'a')]);
    expect(answers).toMatchObject([{ value: 2 }, { reason: new Error('the connection broke') }, { value: 6 }]);
    expect(batches).toEqual([[1, 3], [2]]);
  });

  it('does not fail because of a neighbour that the database refuses', async () => {
    const { ask } = doublingBatcher((inputs) =>
      inputs.includes(2) ? new pg.DatabaseError('no', 0, 'error') : undefined,
    );
    const answers = await Promise.allSettled([1, 2, 3].map((n) => ask(n)));
    expect(answers).toMatchObject([{ value: 2 }, { status: 'rejected' }, { value: 6 }]);
    await expect(ask(5)).resolves.toBe(10);
  });

  it('is not asked again when it may have taken effect', async () => {
    const { ask, batches } = doublingBatcher(() => new Error('the connection broke'));
    const answers = await Promise.allSettled([1, 2].map((n) => ask(n)));
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(batches).toEqual([[1, 2]]);
  });
});
