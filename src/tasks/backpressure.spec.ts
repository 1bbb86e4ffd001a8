import { describe, expect, it } from 'vitest';
import { Backpressure } from './backpressure.js';

describe('backpressure', () => {
  it('runs one task at a time for a fifth of the time while messages arrive faster than tasks end', () => {
    const backpressure = new Backpressure();
    backpressure.sample(1000, 100);
    expect(backpressure.concurrency(32, 0)).toBe(1);
    backpressure.recordRun(10, 50);
    expect([51, 89, 90].map((now) => backpressure.concurrency(32, now))).toEqual([0, 0, 1]);
  });

  it('restores the normal concurrency when tasks keep up or few messages arrive', () => {
    const backpressure = new Backpressure();
    backpressure.sample(1000, 100);
    backpressure.recordRun(10, 50);
    backpressure.sample(1300, 300);
    expect(backpressure.concurrency(32, 51)).toBe(32);
    backpressure.sample(1399, 300);
    expect(backpressure.concurrency(32, 51)).toBe(32);
  });
});
