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

const maxRetryAfterSeconds = 3600;

export function retryAfterMs(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? NaN);
  return seconds >= 0 ? Math.min(seconds, maxRetryAfterSeconds) * 1000 : undefined;
}
