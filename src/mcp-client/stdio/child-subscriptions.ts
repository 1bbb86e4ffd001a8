import type { StdioCaller } from './pending-requests.js';

/** Subscribers per resource: the child gets one subscription for all of them, and none after the last one leaves. */
export class ChildSubscriptions {
  private readonly callers = new Map<string, Set<StdioCaller>>();

  /** Returns whether the caller is a new subscriber. */
  add(uri: string, caller: StdioCaller): boolean {
    const callers = this.callers.get(uri) ?? new Set();
    const isNew = !callers.has(caller);
    this.callers.set(uri, callers.add(caller));
    return isNew;
  }

  /** Returns whether other subscribers remain. */
  remove(uri: string, caller: StdioCaller): boolean {
    const callers = this.callers.get(uri);
    callers?.delete(caller);
    if (!callers?.size) this.callers.delete(uri);
    return this.callers.has(uri);
  }

  subscribersOf(uri: string): Iterable<StdioCaller> {
    return this.callers.get(uri) ?? [];
  }

  /** Returns the resources without remaining subscribers. */
  removeCaller(caller: StdioCaller): string[] {
    const mine = [...this.callers].filter(([, callers]) => callers.has(caller)).map(([uri]) => uri);
    return mine.filter((uri) => !this.remove(uri, caller));
  }
}
