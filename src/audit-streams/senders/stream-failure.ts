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
