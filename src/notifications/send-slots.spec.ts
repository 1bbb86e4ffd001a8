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
