import type { Caller } from './flights.js';

/** Who wants to hear of which resource: the child is asked once for all of them, and told when the last one has left. */
export class Subscriptions {
  private readonly callers = new Map<string, Set<Caller>>();

  /** Whether the caller had not subscribed before. */
  add(uri: string, caller: Caller): boolean {
    const callers = this.callers.get(uri) ?? new Set();
    const isNew = !callers.has(caller);
    this.callers.set(uri, callers.add(caller));
    return isNew;
  }

  /** Whether there are others. */
  remove(uri: string, caller: Caller): boolean {
    const callers = this.callers.get(uri);
    callers?.delete(caller);
    if (!callers?.size) this.callers.delete(uri);
    return this.callers.has(uri);
  }

  of(uri: string): Iterable<Caller> {
    return this.callers.get(uri) ?? [];
  }

  /** The resources that nobody wants to hear of any more. */
  leave(caller: Caller): string[] {
    const mine = [...this.callers].filter(([, callers]) => callers.has(caller)).map(([uri]) => uri);
    return mine.filter((uri) => !this.remove(uri, caller));
  }
}
