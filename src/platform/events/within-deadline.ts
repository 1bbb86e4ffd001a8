/**
 * Rejects with the signal's reason when the signal aborts, even if `work` ignores the signal. `work` gets another
 * `graceMs` to report its own outcome.
 */
export function withinDeadline<T>(signal: AbortSignal, work: Promise<T>, graceMs = 0): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      timer = setTimeout(() => reject(signal.reason as Error), graceMs);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    });
  });
}
