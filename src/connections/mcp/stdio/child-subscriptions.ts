import type { StdioCaller } from './pending-requests.js';

/** Who wants to hear of which resource: the child is asked once for all of them, and told when the last one has left. */
export class ChildSubscriptions {
  private readonly callers = new Map<string, Set<StdioCaller>>();

  /** Whether the caller had not subscribed before. */
  add(uri: string, caller: StdioCaller): boolean {
    const callers = this.callers.get(uri) ?? new Set();
    const isNew = !callers.has(caller);
    this.callers.set(uri, callers.add(caller));
    return isNew;
  }

  /** Whether there are others. */
  remove(uri: string, caller: StdioCaller): boolean {
    const callers = this.callers.get(uri);
    callers?.delete(caller);
    if (!callers?.size) this.callers.delete(uri);
    return this.callers.has(uri);
  }

  subscribersOf(uri: string): Iterable<StdioCaller> {
    return this.callers.get(uri) ?? [];
  }

  /** The resources that nobody wants to hear of any more. */
  removeCaller(caller: StdioCaller): string[] {
    const mine = [...this.callers].filter(([, callers]) => callers.has(caller)).map(([uri]) => uri);
    return mine.filter((uri) => !this.remove(uri, caller));
  }
}
