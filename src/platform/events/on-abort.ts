/**
 * `abort` is called when `signal` aborts, or at once where it has; until it is let go. For what is on the way of every call:
 * `AbortSignal.any` costs ten times as much.
 */
export function onAbort(signal: AbortSignal, abort: (reason: unknown) => void): () => void {
  const listener = () => abort(signal.reason);
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
