import { describe, expect, it } from 'vitest';
import pg from 'pg';
import { Batcher } from './batcher.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));

function doublingBatcher(fails: (inputs: number[]) => Error | undefined = () => undefined) {
  const batches: number[][] = [];
  const batcher = new Batcher<{ tenantId: string; n: number }, number>(
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
  return { batches, submit: (n: number, tenantId = 'a') => batcher.submit({ tenantId, n }) };
}

describe('a batcher', () => {
  it('answers concurrent inputs in batches of limited size, each with its own output', async () => {
    const { submit, batches } = doublingBatcher();
    await expect(Promise.all([1, 2, 3, 4].map((n) => submit(n)))).resolves.toEqual([2, 4, 6, 8]);
    expect(batches).toEqual([[1, 2, 3], [4]]);
  });

  it('sends the next batch when the one in flight is answered', async () => {
    const { submit, batches } = doublingBatcher();
    const first = submit(1);
    await tick();
    const rest = [submit(2), submit(3)];
    await expect(Promise.all([first, ...rest])).resolves.toEqual([2, 4, 6]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('runs a batch per tenant, and a failure does not affect other tenants', async () => {
    const { submit, batches } = doublingBatcher((inputs) =>
      inputs.includes(2) ? new Error('the connection broke') : undefined,
    );
    const answers = await Promise.allSettled([submit(1, 'a'), submit(2, 'b'), submit(3, 'a')]);
    expect(answers).toMatchObject([{ value: 2 }, { reason: new Error('the connection broke') }, { value: 6 }]);
    expect(batches).toEqual([[1, 3], [2]]);
  });

  it('runs inputs one by one if the database rejects the batch', async () => {
    const { submit } = doublingBatcher((inputs) =>
      inputs.includes(2) ? new pg.DatabaseError('no', 0, 'error') : undefined,
    );
    const answers = await Promise.allSettled([1, 2, 3].map((n) => submit(n)));
    expect(answers).toMatchObject([{ value: 2 }, { status: 'rejected' }, { value: 6 }]);
    await expect(submit(5)).resolves.toBe(10);
  });

  it('does not retry a batch that may have taken effect', async () => {
    const { submit, batches } = doublingBatcher(() => new Error('the connection broke'));
    const answers = await Promise.allSettled([1, 2].map((n) => submit(n)));
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(batches).toEqual([[1, 2]]);
  });
});
