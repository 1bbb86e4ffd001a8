import { afterEach, expect, it, vi } from 'vitest';
import { SendSlots } from './send-slots.js';

afterEach(() => vi.useRealTimers());

it('lets a third request to an endpoint wait for a quick one, and refuses it while the others hang', async () => {
  const slots = new SendSlots();
  const first = await slots.acquire('email');
  const second = await slots.acquire('email');
  expect(await slots.acquire('another')).not.toBeNull();
  const third = slots.acquire('email');
  first!();
  expect(await third).not.toBeNull();
  vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ['Date'] });
  expect(await slots.acquire('email')).toBeNull();
  second!();
  expect(await slots.acquire('email')).not.toBeNull();
});

it('leaves room for others if many endpoints hang, until they answer quickly again', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const slots = new SendSlots();
  const acquireOf = (...endpoints: string[]) => Promise.all(endpoints.map((endpoint) => slots.acquire(endpoint)));
  const hanging = ['a', 'b', 'c', 'd', 'e'];
  const first = await acquireOf(...hanging);
  vi.setSystemTime(Date.now() + 15_000);
  for (const release of first) release!();
  const [a, ...others] = await acquireOf('a', 'a', 'b', 'c');
  expect(others).not.toContain(null);
  expect(await acquireOf('d', 'e', 'b')).toEqual([null, null, null]);
  expect(await acquireOf('healthy', 'healthy')).not.toContain(null);
  a!();
  expect(await acquireOf('d', 'e')).not.toContain(null);
  expect(await acquireOf('b')).toEqual([null]);
});
