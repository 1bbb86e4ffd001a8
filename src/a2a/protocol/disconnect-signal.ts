import type { Response } from 'express';

/** Shared: every response aborts with it, and creating an error takes 8 µs. */
export const clientDisconnected = new Error('the client has disconnected');

/** Aborts when the response closes. */
export function disconnectSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort(clientDisconnected);
  else response.once('close', () => controller.abort(clientDisconnected));
  return controller.signal;
}
