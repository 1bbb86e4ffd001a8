import { setTimeout as sleep } from 'node:timers/promises';

const perEndpoint = 2;
const slowMs = 2000;
const pollMs = 20;

/** Limits the concurrent requests to an endpoint, so that one that hangs does not occupy all workers of the queue. */
export class SendSlots {
  private readonly startsByEndpoint = new Map<string, Set<{ at: number }>>();

  /** Returns what releases the slot, or null if the requests in progress are slow. */
  async acquire(endpoint: string): Promise<(() => void) | null> {
    const starts = this.startsByEndpoint.get(endpoint) ?? new Set();
    this.startsByEndpoint.set(endpoint, starts);
    while (starts.size >= perEndpoint) {
      if ([...starts].every(({ at }) => Date.now() - at > slowMs)) return null;
      await sleep(pollMs);
    }
    const start = { at: Date.now() };
    starts.add(start);
    return () => void starts.delete(start);
  }
}
