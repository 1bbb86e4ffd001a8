import { describe, expect, it } from 'vitest';
import { Backpressure } from './backpressure.js';

describe('while sends flood in', () => {
  it('one task at a time is worked on, a fifth of the time', () => {
    const flood = new Backpressure();
    flood.sample(1000, 100);
    expect(flood.concurrency(32, 0)).toBe(1);
    flood.recordRun(10, 50);
    expect([51, 89, 90].map((now) => flood.concurrency(32, now))).toEqual([0, 0, 1]);
  });

  it('and as usual as soon as as much is finished as comes in, or little comes in at all', () => {
    const flood = new Backpressure();
    flood.sample(1000, 100);
    flood.recordRun(10, 50);
    flood.sample(1300, 300);
    expect(flood.concurrency(32, 51)).toBe(32);
    flood.sample(1399, 300);
    expect(flood.concurrency(32, 51)).toBe(32);
  });
});
