import { OAuthClientFlowError, OAuthError } from '@modelcontextprotocol/client';
import { OutgoingError } from '../../platform/http/outgoing.error.js';

/** An upstream or its authorization server does not do what it has to. */
export class UnusableServer extends Error {
  override readonly name = 'UnusableServer';
}

/** The authorization server sent the person back with an error (RFC 6749, section 4.1.2.1). */
export class Declined extends Error {
  override readonly name = 'Declined';

  constructor(readonly code: string) {
    super(`the authorization server answered "${shown(code)}"`);
  }
}

/** Why it went wrong over there, to go on after "because". Null for our own mistakes, which stay errors. */
export function explainFailure(error: unknown): string | null {
  if (error instanceof UnusableServer || error instanceof Declined || error instanceof OutgoingError)
    return error.message;
  if (error instanceof OAuthError) return `the authorization server answered "${shown(error.code)}"`;
  if (error instanceof OAuthClientFlowError) return plain(error.message);
  const { name, message } = (error ?? {}) as Partial<Error>;
  if (name === 'TimeoutError') return 'it took too long';
  if (name === 'SyntaxError' || name === 'ZodError') return 'what it answers is not what the protocol has there';
  // how the SDK says that a server does not do its part
  return name === 'Error' && message ? plain(message) : null;
}

/** What somebody else chose, in our own sentence: error codes are of these characters. */
const shown = (code: string) => code.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?').slice(0, 80);
const plain = (text: string) => text.replace(/\s+/g, ' ').replace(/\.$/, '').slice(0, 300);
