import { expect, it } from 'vitest';
import { PatternBudget } from './pattern-budget.js';

const reason = 'The patterns take too long.';

it('lets other work run between entries', async () => {
  const patterns = new PatternBudget(reason);
  let turns = 0;
  const count = () => void (turns++, (next = setImmediate(count)));
  let next = setImmediate(count);
  for (let entry = 0; entry < 20; entry++) {
    patterns.match((budget) => budget.spend(1_500_000));
    await patterns.pauseIfDue();
  }
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(9);
});

it('limits the steps for one entry', () => {
  const patterns = new PatternBudget(reason);
  expect(() => patterns.match((budget) => budget.spend(2_000_001))).toThrow(reason);
});

it('limits the steps for all entries', () => {
  const patterns = new PatternBudget(reason);
  for (let entry = 0; entry < 500; entry++) patterns.match((budget) => budget.spend(2_000_000));
  expect(() => patterns.match((budget) => budget.spend(1))).toThrow(reason);
});

it('throws other errors unchanged', () => {
  const fail = () => {
    throw new TypeError('other');
  };
  expect(() => new PatternBudget(reason).match(fail)).toThrow(TypeError);
});
