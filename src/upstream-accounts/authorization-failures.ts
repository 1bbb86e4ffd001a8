import { OAuthClientFlowError, OAuthError } from '@modelcontextprotocol/client';
import { OutboundHttpError } from '../platform/http/outbound-http.error.js';

/** An upstream or its authorization server violates a requirement. */
export class UnusableServer extends Error {
  override readonly name = 'UnusableServer';
}

/** The authorization server sent the person back with an error (RFC 6749, section 4.1.2.1). */
export class AuthorizationDeclined extends Error {
  override readonly name = 'AuthorizationDeclined';

  constructor(readonly code: string) {
    super(`the authorization server answered "${printableErrorCode(code)}"`);
  }
}

/** The reason for a failure of the other servers, as a clause. Null for our own errors, which must surface as such. */
export function explainFailure(error: unknown): string | null {
  if (error instanceof UnusableServer || error instanceof AuthorizationDeclined || error instanceof OutboundHttpError)
    return error.message;
  if (error instanceof OAuthError) return `the authorization server answered "${printableErrorCode(error.code)}"`;
  if (error instanceof OAuthClientFlowError) return normalizeMessage(error.message);
  const { name, message } = (error ?? {}) as Partial<Error>;
  if (name === 'TimeoutError') return 'it took too long';
  if (name === 'SyntaxError' || name === 'ZodError') return 'its response does not follow the protocol';
  // the SDK reports protocol violations of the server as a plain Error
  return name === 'Error' && message ? normalizeMessage(message) : null;
}

/** Sanitizes a code that the other server chose: error codes consist of these characters. */
const printableErrorCode = (code: string) => code.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 80);
const normalizeMessage = (text: string) => text.replace(/\s+/g, ' ').replace(/\.$/, '').slice(0, 300);
