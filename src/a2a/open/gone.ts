import type { Response } from 'express';

/** Aborted once whoever waits for the answer has left. */
export function goneOf(response: Response): AbortSignal {
  const gone = new AbortController();
  if (response.closed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}
