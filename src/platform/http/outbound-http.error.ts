export type OutboundHttpErrorCode =
  | 'address-refused' // a private, link-local or otherwise unreachable range
  | 'url-refused' // not http(s), or with credentials in it
  | 'redirect-refused'
  | 'name-unknown'
  | 'connect-failed'
  | 'tls-failed'
  | 'timed-out'
  | 'broken' // the connection ended before the response was complete
  | 'too-large';

/** A request without a (complete) response. `isSent` false: it is certain that the other side received nothing. */
export class OutboundHttpError extends Error {
  constructor(
    readonly code: OutboundHttpErrorCode,
    message: string,
    readonly isSent: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'OutgoingError';
  }
}
