export type OutboundHttpErrorCode =
  | 'address-refused' // a private, link-local or otherwise unreachable range
  | 'url-refused' // not http(s), or with credentials in it
  | 'redirect-refused'
  | 'name-unknown'
  | 'connect-failed'
  | 'tls-failed'
  | 'timed-out'
  | 'broken' // the connection ended before the answer was complete
  | 'too-large';

/** A request that got no (complete) answer. `isSent` false: surely not one byte of it reached the other side. */
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
