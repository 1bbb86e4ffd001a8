import { describe, expect, it } from '@jest/globals';
import { Gather } from './gather.js';

const tick = () => new Promise((resolve) => setImmediate(resolve));

function doubling(fails: (inputs: number[]) => boolean = () => false) {
  const batches: number[][] = [];
  const gather = new Gather<number, number>(
    async (inputs) => {
      batches.push(inputs);
      await tick();
      if (fails(inputs)) throw new Error(`no ${inputs.join()}`);
      return inputs.map((input) => input * 2);
    },
    3,
    1,
  );
  return { batches, ask: (input: number) => gather.ask(input) };
}

describe('what is asked for together', () => {
  it('is answered together, each with its own answer, so many at a time', async () => {
    const { ask, batches } = doubling();
    await expect(Promise.all([1, 2, 3, 4].map(ask))).resolves.toEqual([2, 4, 6, 8]);
    expect(batches).toEqual([[1, 2, 3], [4]]);
  });

  it('goes out when what is under way is back', async () => {
    const { ask, batches } = doubling();
    const first = ask(1);
    await tick();
    const rest = [ask(2), ask(3)];
    await expect(Promise.all([first, ...rest])).resolves.toEqual([2, 4, 6]);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it('does not fail because of a neighbour', async () => {
    const { ask } = doubling((inputs) => inputs.includes(2));
    const answers = await Promise.allSettled([1, 2, 3].map(ask));
    expect(answers).toMatchObject([{ value: 2 }, { reason: new Error('no 2') }, { value: 6 }]);
    await expect(ask(5)).resolves.toBe(10);
  });
});
