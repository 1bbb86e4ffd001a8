interface Waiter {
  isNotified: boolean;
  notify(): void;
}

/**
 * Who waits for something to change that has an id. News only say that it is worth looking: a wake-up may be lost, so the
 * tables are looked at again each second as well.
 */
export class ChangeNotifier {
  private readonly waiters = new Map<string, Set<Waiter>>();

  notify(ids: string[] | 'all'): void {
    for (const id of ids === 'all' ? this.waiters.keys() : ids)
      for (const place of this.waiters.get(id) ?? []) place.notify();
  }

  /** Looks, and looks again at any news, until there is something to be seen. */
  async waitFor<T>(id: string, signal: AbortSignal, poll: () => Promise<T | undefined>): Promise<T> {
    const waiter: Waiter = { isNotified: false, notify: () => (waiter.isNotified = true) };
    this.waiters.set(id, (this.waiters.get(id) ?? new Set()).add(waiter));
    try {
      for (;;) {
        signal.throwIfAborted();
        waiter.isNotified = false;
        const result = await poll();
        if (result !== undefined) return result;
        await waitForNotification(waiter, signal);
      }
    } finally {
      this.removeWaiter(id, waiter);
    }
  }

  private removeWaiter(id: string, waiter: Waiter): void {
    const others = this.waiters.get(id);
    others?.delete(waiter);
    if (!others?.size) this.waiters.delete(id);
  }
}

function waitForNotification(waiter: Waiter, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      waiter.isNotified = true;
      resolve();
    };
    waiter.notify = done;
    signal.addEventListener('abort', done, { once: true });
    // what was told, or called off, while the look was under way
    if (waiter.isNotified || signal.aborted) done();
  });
}
