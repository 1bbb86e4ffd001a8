import { retryAfterSecondsOf } from '../platform/http/retry-after.js';

/** A message was not accepted. */
export class DeliveryFailure extends Error {
  constructor(
    message: string,
    /** A repetition would fail too, until somebody changes the settings. */
    readonly isPermanent: boolean,
    /** The receiver asked for this pause. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

export function retryAfterMs(headers: Headers): number | undefined {
  const seconds = retryAfterSecondsOf(headers);
  return seconds === undefined ? undefined : seconds * 1000;
}
