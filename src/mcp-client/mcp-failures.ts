import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { OutboundHttpError } from '../platform/http/outbound-http.error.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import { CallFault, NotSent, OutcomeUnknown } from '../connections/connections.error.js';

/**
 * Errors that the client raises before it sends anything, and the server's request for input, which ends a call
 * unexecuted.
 */
const clientSideErrorCodes: string[] = [
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.NotConnected,
  SdkErrorCode.NotInitialized,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
];

/**
 * The outcome of a call whose request failed. A rejected request (4xx, a redirect) was not executed. After at least one
 * byte was sent, a gateway's 5xx, a timeout, an invalid response or a lost connection leaves the outcome unknown.
 */
export function callFailure(error: unknown, wasSent: boolean): NotSent | OutcomeUnknown {
  if (error instanceof NotSent || error instanceof OutcomeUnknown) return error;
  const reason = explainMcpFailure(error);
  const isOpen = wasSent && !isRefusedByServer(error);
  return isOpen ? new OutcomeUnknown(reason, { cause: error }) : new NotSent(reason, { cause: error });
}

/** The fault that we threw ourselves, even if the SDK wrapped it. */
export function callFaultOf(error: unknown): NotSent | OutcomeUnknown | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof NotSent || cause instanceof OutcomeUnknown) return cause;
  return undefined;
}

function isRefusedByServer(error: unknown): boolean {
  const status = httpStatusOf(error);
  if (status !== undefined) return status >= 300 && status < 500 && status !== 408;
  if (error instanceof SdkError) return clientSideErrorCodes.includes(error.code);
  return error instanceof OutboundHttpError && !error.isSent;
}

/** HTTP status of a rejected request, if there is one. */
export function httpStatusOf(error: unknown): number | undefined {
  if (error instanceof UnauthorizedError) return 401;
  return error instanceof SdkHttpError ? error.status : undefined;
}

/** A message for the administrator of the connection, who can fix the cause. */
export function explainMcpFailure(error: unknown): string {
  const status = httpStatusOf(error);
  if (status !== undefined) return explainStatus(status, error as Error);
  if (error instanceof OutboundHttpError) return toSentence(error.message);
  if (error instanceof SdkError) return explainSdk(error);
  if (error instanceof ProtocolError) return `The server answered with an error: ${quoteExternalText(error.message)}.`;
  const { name, message } = (error ?? {}) as Partial<Error>;
  if (name === 'SyntaxError' || name === 'ZodError') return notMcpReason;
  if (name === 'TimeoutError') return 'The server did not answer in time.';
  if (!message) return 'Unknown error.';
  return error instanceof CallFault ? toSentence(message) : unknownFailureReason(message);
}

const notMcpReason = 'The server responds, but not with MCP. Check that the address is its MCP endpoint (often …/mcp).';

function explainStatus(status: number, error: Error): string {
  if (status === 401) return 'The server rejected the credential (401). Enter a valid one.';
  if (status === 403)
    return 'The server accepts the credential but denies access (403). Grant its account the required rights.';
  if (status === 404) return 'There is no MCP server at this address (404). Check the path.';
  if (status === 405) return 'This address is not an MCP server (405). Check the path.';
  if (status === 429) return 'The server rejected the request because of too many requests (429). Try again later.';
  if (status >= 500) return `The server failed with an internal error (${status}). Try again later.`;
  const text = error instanceof SdkHttpError ? error.data.text : undefined;
  const said = typeof text === 'string' && text.trim() ? ` Its response: ${quoteExternalText(text)}.` : '';
  return `The server rejected the request (${status}). Check that the address is its MCP endpoint (often …/mcp).${said}`;
}

function explainSdk(error: SdkError): string {
  const inner = error.cause ?? (error.data as { cause?: unknown } | undefined)?.cause;
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return 'The server did not answer in time.';
    case SdkErrorCode.ConnectionClosed:
      return 'The server ended the connection before it answered.';
    case SdkErrorCode.UnsupportedResultType:
      return 'The tool requires further input from a person, which is not possible here.';
    case SdkErrorCode.ClientHttpUnexpectedContent:
    case SdkErrorCode.InvalidResult:
      return notMcpReason;
    case SdkErrorCode.ListPaginationExceeded:
      return 'The server lists its tools on too many pages.';
    default:
      return inner ? explainMcpFailure(inner) : unknownFailureReason(error.message);
  }
}

/** The origin of this message is unknown, so it is quoted. */
const unknownFailureReason = (message: string) => `The request failed: ${quoteExternalText(message)}.`;

const normalizeText = (text: string) => text.replace(/\s+/g, ' ').slice(0, 300);
const toSentence = (text: string) => {
  const words = normalizeText(text);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?)]$/.test(words) ? '' : '.'}`;
};
