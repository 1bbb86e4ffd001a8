/** The receiver did not accept a batch, or it is unknown whether it did. The batch is sent again. */
export class StreamFailure extends Error {
  constructor(
    message: string,
    /** The receiver requested this pause. */
    readonly retryAfterSeconds = 0,
    /** The receiver refuses the content: the same records would be rejected again. */
    readonly isRejection = false,
  ) {
    super(message);
  }
}

const maxRetryAfterSeconds = 3600;

export function retryAfterSeconds(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? NaN);
  return seconds >= 0 ? Math.min(seconds, maxRetryAfterSeconds) : 0;
}
