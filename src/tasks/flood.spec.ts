import { describe, expect, it } from 'vitest';
import { Flood } from './flood.js';

describe('while sends flood in', () => {
  it('one task at a time is worked on, a fifth of the time', () => {
    const flood = new Flood();
    flood.look(1000, 100);
    expect(flood.most(32, 0)).toBe(1);
    flood.ranFor(10, 50);
    expect([51, 89, 90].map((now) => flood.most(32, now))).toEqual([0, 0, 1]);
  });

  it('and as usual as soon as as much is finished as comes in, or little comes in at all', () => {
    const flood = new Flood();
    flood.look(1000, 100);
    flood.ranFor(10, 50);
    flood.look(1300, 300);
    expect(flood.most(32, 51)).toBe(32);
    flood.look(1399, 300);
    expect(flood.most(32, 51)).toBe(32);
  });
});
