export type SourceRequestFault =
  | 'unauthorized' // 401: the credential is wrong, expired or revoked
  | 'forbidden' // 403: the credential lacks a right
  | 'missing' // 404 or 410: gone, or not visible to the credential
  | 'refused' // any other 4xx: the source rejects what was sent
  | 'unavailable' // 5xx or no complete response, also after retries
  | 'too-large' // more bytes or values than are read
  | 'unreadable'; // a response that is not what the API documents

/** A request that the source did not answer as documented. The message contains no credential. */
export class SourceRequestError extends Error {
  override readonly name = 'SourceRequestError';

  constructor(
    readonly fault: SourceRequestFault,
    message: string,
    /** Null without a complete response. */
    readonly status: number | null,
    /** False: it is certain that the source received nothing. */
    readonly isSent: boolean,
    /** What the source says about it: external text. */
    readonly quote: string | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const isSourceFault = (error: unknown, ...faults: SourceRequestFault[]): error is SourceRequestError =>
  error instanceof SourceRequestError && faults.includes(error.fault);
