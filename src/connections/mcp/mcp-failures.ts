import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { quoteExternalText } from '../../platform/text/quote-external-text.js';
import { CallFault, NotSent, OutcomeUnknown } from '../connections.error.js';

/** Raised on our side before anything is put on the wire, or the server's word that it will not go on without a person. */
const clientSideErrorCodes: string[] = [
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.NotConnected,
  SdkErrorCode.NotInitialized,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.MethodNotSupportedByProtocolVersion,
];

/**
 * What a failed exchange says about the call in it. A refusal (4xx, a redirect) was not carried out. A gateway's 5xx, silence,
 * rubbish and a broken line leave open whether it was, once a byte of it was sent.
 */
export function callFailure(error: unknown, wasSent: boolean): NotSent | OutcomeUnknown {
  if (error instanceof NotSent || error instanceof OutcomeUnknown) return error;
  const reason = explainMcpFailure(error);
  const isOpen = wasSent && !isRefusedByServer(error);
  return isOpen ? new OutcomeUnknown(reason, { cause: error }) : new NotSent(reason, { cause: error });
}

/** What we threw ourselves, into whatever the SDK wrapped it. */
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

/** HTTP status of a refusal, where there was one. */
export function httpStatusOf(error: unknown): number | undefined {
  if (error instanceof UnauthorizedError) return 401;
  return error instanceof SdkHttpError ? error.status : undefined;
}

/** In words for a person who can do something about it: the administrator of the connection. */
export function explainMcpFailure(error: unknown): string {
  const status = httpStatusOf(error);
  if (status !== undefined) return explainStatus(status, error as Error);
  if (error instanceof OutboundHttpError) return toSentence(error.message);
  if (error instanceof SdkError) return explainSdk(error);
  if (error instanceof ProtocolError) return `The server answered with an error: ${quoteExternalText(error.message)}.`;
  const { name, message } = (error ?? {}) as Partial<Error>;
  if (name === 'SyntaxError' || name === 'ZodError') return notMcpReason;
  if (name === 'TimeoutError') return 'The server did not answer in time.';
  if (!message) return 'It failed for an unknown reason.';
  return error instanceof CallFault ? toSentence(message) : unknownFailureReason(message);
}

const notMcpReason = 'The server answers, but not in MCP. Check that the address is its MCP endpoint (often …/mcp).';

function explainStatus(status: number, error: Error): string {
  if (status === 401) return 'The server does not accept the credential (401). Enter a valid one.';
  if (status === 403)
    return 'The server knows the credential but does not permit this (403). Give its account the rights that are needed.';
  if (status === 404) return 'There is no MCP server at this address (404). Check the path.';
  if (status === 405) return 'There is something else than an MCP server at this address (405). Check the path.';
  if (status === 429) return 'The server refuses because of too many requests (429). It is tried again later.';
  if (status >= 500) return `The server has a problem of its own (${status}). It is tried again later.`;
  const text = error instanceof SdkHttpError ? error.data.text : undefined;
  const said = typeof text === 'string' && text.trim() ? ` It said: ${quoteExternalText(text)}.` : '';
  return `The server refused with ${status}. Check that the address is its MCP endpoint (often …/mcp).${said}`;
}

function explainSdk(error: SdkError): string {
  const inner = error.cause ?? (error.data as { cause?: unknown } | undefined)?.cause;
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return 'The server did not answer in time.';
    case SdkErrorCode.ConnectionClosed:
      return 'The server ended the connection before it answered.';
    case SdkErrorCode.UnsupportedResultType:
      return 'The tool asks for further input by a person, which cannot be given here.';
    case SdkErrorCode.ClientHttpUnexpectedContent:
    case SdkErrorCode.InvalidResult:
      return notMcpReason;
    case SdkErrorCode.ListPaginationExceeded:
      return 'The server lists its tools on more pages than are read.';
    default:
      return inner ? explainMcpFailure(inner) : unknownFailureReason(error.message);
  }
}

/** Whose words these are is not known. */
const unknownFailureReason = (message: string) => `It failed: ${quoteExternalText(message)}.`;

const normalizeText = (text: string) => text.replace(/\s+/g, ' ').slice(0, 300);
const toSentence = (text: string) => {
  const words = normalizeText(text);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?)]$/.test(words) ? '' : '.'}`;
};
