/**
 * Ends with the signal's reason when the signal does; `work` that does not heed the signal is not waited for, but for
 * `graceMs` in which it may still say itself what became of it.
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

/** Of whatever was thrown. */
export const failureMessageOf = (error: unknown): string =>
  (error as Partial<Error> | null)?.message || 'It failed for an unknown reason.';
