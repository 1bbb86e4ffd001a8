interface Waiter {
  isNotified: boolean;
  notify(): void;
}

/**
 * Lets callers wait for a change of an object with an id. A notification only triggers a new poll. Notifications may
 * get lost, so that waiters also poll every second.
 */
export class ChangeNotifier {
  private readonly waiters = new Map<string, Set<Waiter>>();

  notify(ids: string[] | 'all'): void {
    for (const id of ids === 'all' ? this.waiters.keys() : ids)
      for (const waiter of this.waiters.get(id) ?? []) waiter.notify();
  }

  /** Polls now and after each notification, until `poll` returns a value. */
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
    // notified or aborted while the poll was running
    if (waiter.isNotified || signal.aborted) done();
  });
}
