import {
  MissingRequiredClientCapabilityError,
  type ProtocolError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { ConnectorCall, ToolResult } from '../connections/connector-registry.service.js';
import { AccountNeeded, CapabilityNeeded } from '../connections/connections.error.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import { cleanText, cleanJson } from './clean.js';
import { truncate } from '../platform/text/truncate.js';

const maxRefusalLength = 4000;
const maxUrlLength = 2000;

/**
 * A protocol error is also an answer: the server states that it did not execute the call. For an operation,
 * `structured` is `{error: {code, message}}`, so that an MCP endpoint can return the same error. Throws if the server
 * requires the caller to do something first.
 */
export function protocolErrorResult(error: ProtocolError, { operation }: ConnectorCall): ToolResult {
  const message = truncate(cleanText(error.message), maxRefusalLength);
  const reason = `The server answered: ${quoteExternalText(message)}.`;
  if (error instanceof MissingRequiredClientCapabilityError)
    throw new CapabilityNeeded(reason, cleanJson(error.requiredCapabilities) as JsonObject, { cause: error });
  const page = requiredPageOf(error);
  if (page) throw new AccountNeeded(`${reason} Open ${page} and try again.`, page, { cause: error });
  const structured: JsonObject = { error: { code: error.code, message } };
  return {
    content: [{ type: 'text', text: message }],
    ...(operation !== 'tool' && { structured }),
    isError: true,
    outside: true,
  };
}

/** The page that the caller must visit first (MCP 2025-11-25, URL elicitation required). */
function requiredPageOf(error: ProtocolError): string | undefined {
  const named: unknown = error instanceof UrlElicitationRequiredError ? error.elicitations : [];
  const pages = (Array.isArray(named) ? named : []).map((each: { url?: unknown } | null) => each?.url);
  return pages.find((page) => typeof page === 'string' && isPageUrl(page)) as string | undefined;
}

const isPageUrl = (url: string) => url.length <= maxUrlLength && /^https?:\/\/\S+$/.test(url) && URL.canParse(url);
