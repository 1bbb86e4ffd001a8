import type { Response } from 'express';

/** Why nothing is waited for any more. Made once: every answer ends with it, and an error of each one's own takes 8 µs. */
export const left = new Error('whoever asked has left');

/** Aborted once whoever waits for the answer has left. */
export function goneOf(response: Response): AbortSignal {
  const gone = new AbortController();
  if (response.closed) gone.abort(left);
  else response.once('close', () => gone.abort(left));
  return gone.signal;
}
