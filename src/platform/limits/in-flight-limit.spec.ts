import { expect, it } from 'vitest';
import { InFlightLimit } from './in-flight-limit.js';

it('refuses a key at its limit until a slot is released', () => {
  const limit = new InFlightLimit();
  const slot = limit.acquire('a', 1);
  expect(limit.acquire('a', 1)).toBeNull();
  expect(limit.acquire('b', 1)).not.toBeNull();
  slot!.release();
  expect(limit.acquire('a', 1)).not.toBeNull();
});

it('releases a slot once', () => {
  const limit = new InFlightLimit();
  const slot = limit.acquire('a', 2)!;
  limit.acquire('a', 2);
  slot.release();
  slot.release();
  expect(limit.here).toEqual(new Map([['a', 1]]));
});

it('forgets a key without slots', () => {
  const limit = new InFlightLimit();
  limit.acquire('a', 1)!.release();
  expect(limit.here.size).toBe(0);
});

it('includes the slots of other processes', () => {
  const limit = new InFlightLimit();
  const slot = limit.acquire('a', 3)!;
  limit.recordElsewhere('a', 2);
  expect(limit.acquire('a', 3)).toBeNull();
  slot.release();
  expect(limit.here).toEqual(new Map([['a', 0]])); // until the others know
  limit.recordElsewhere('a', 2);
  expect(limit.here.size).toBe(0);
});
