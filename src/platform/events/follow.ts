/**
 * `abort` is called when `signal` aborts, or at once where it has; until it is let go. For what is on the way of every call:
 * `AbortSignal.any` costs ten times as much.
 */
export function follow(signal: AbortSignal, abort: (reason: unknown) => void): () => void {
  const told = () => abort(signal.reason);
  if (signal.aborted) told();
  else signal.addEventListener('abort', told, { once: true });
  return () => signal.removeEventListener('abort', told);
}
