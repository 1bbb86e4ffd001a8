import { expect, it } from 'vitest';
import { raceWithSignal } from './race-with-signal.js';

const stopped = new Error('stopped');
const failed = new Error('failed');
const never = () => new Promise<never>(() => undefined);

it('settles like the work', async () => {
  const { signal } = new AbortController();
  await expect(raceWithSignal(Promise.resolve(1), signal)).resolves.toBe(1);
  await expect(raceWithSignal(Promise.reject(failed), signal)).rejects.toBe(failed);
});

it('rejects with the reason of the signal as soon as it aborts', async () => {
  const controller = new AbortController();
  const result = raceWithSignal(never(), controller.signal);
  controller.abort(stopped);
  await expect(result).rejects.toBe(stopped);
});

// an unhandled rejection ends the process; vitest fails on it
it('handles a failure of work whose signal was aborted before', async () => {
  await expect(raceWithSignal(Promise.reject(failed), AbortSignal.abort(stopped))).rejects.toBe(stopped);
  await new Promise(setImmediate);
});
