import { onAbort } from '../platform/events/on-abort.js';

/** Settles like the work, or rejects when the signal aborts: work that ignores its signal delays nobody. */
export function raceWithSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, reject);
    void work.then(resolve, reject).finally(unsubscribe);
  });
}
