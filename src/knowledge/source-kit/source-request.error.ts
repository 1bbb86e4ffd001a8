export type SourceRequestFault =
  | 'unauthorized' // 401: the credential is invalid, expired or revoked
  | 'forbidden' // 403: the credential lacks a right
  | 'missing' // 404 or 410: deleted, or not visible to the credential
  | 'refused' // any other 4xx: the source rejects the request
  | 'unavailable' // 5xx or no complete response after all retries
  | 'too-large' // the response exceeds the size limit
  | 'unreadable'; // the response does not match the documentation of the API

/** A request to a source that failed. The message contains no credential. */
export class SourceRequestError extends Error {
  override readonly name = 'SourceRequestError';

  constructor(
    readonly fault: SourceRequestFault,
    message: string,
    /** Null if there was no complete response. */
    readonly status: number | null,
    /** False if the source certainly received nothing. */
    readonly isSent: boolean,
    /** The error message of the source, quoted. External text. */
    readonly quote: string | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const isSourceFault = (error: unknown, ...faults: SourceRequestFault[]): error is SourceRequestError =>
  error instanceof SourceRequestError && faults.includes(error.fault);
