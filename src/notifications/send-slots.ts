import { setTimeout as sleep } from 'node:timers/promises';

const perEndpoint = 2;
/** Half of the workers of the queue, for all slow endpoints together. */
const forSlowEndpoints = 4;
const slowMs = 2000;
const pollMs = 20;

interface Endpoint {
  starts: Set<{ at: number }>;
  /** The last request that ended was slow. */
  wasSlow: boolean;
}

/** Limits the concurrent requests to endpoints, so that those that hang do not occupy all workers of the queue. */
export class SendSlots {
  private readonly endpoints = new Map<string, Endpoint>();

  /** Returns what releases the slot, or null if the requests in progress are slow. */
  async acquire(id: string): Promise<(() => void) | null> {
    const endpoint = this.endpoints.get(id) ?? { starts: new Set(), wasSlow: false };
    this.endpoints.set(id, endpoint);
    const { starts } = endpoint;
    while (starts.size >= perEndpoint) {
      if ([...starts].every(isSlow)) return null;
      await sleep(pollMs);
    }
    if (endpoint.wasSlow && this.countSlow() >= forSlowEndpoints) return null;
    const start = { at: Date.now() };
    starts.add(start);
    return () => {
      starts.delete(start);
      endpoint.wasSlow = isSlow(start);
      if (!starts.size && !endpoint.wasSlow) this.endpoints.delete(id);
    };
  }

  /** Requests in progress that are slow, or probably will be. */
  private countSlow(): number {
    const all = [...this.endpoints.values()];
    return all.flatMap(({ starts, wasSlow }) => [...starts].filter((start) => wasSlow || isSlow(start))).length;
  }
}

const isSlow = ({ at }: { at: number }): boolean => Date.now() - at > slowMs;
