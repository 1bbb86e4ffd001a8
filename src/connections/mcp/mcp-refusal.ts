import {
  MissingRequiredClientCapabilityError,
  type ProtocolError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { ConnectorCall, ToolResult } from '../connector-registry.service.js';
import { AccountNeeded, CapabilityNeeded } from '../connections.error.js';
import { quoteExternalText } from '../../platform/text/quote-external-text.js';
import { cleanText, cleanJson } from './clean.js';
import { truncate } from '../../platform/text/truncate.js';

const maxRefusalLength = 4000;
const maxUrlLength = 2000;

/**
 * An error of the protocol is an answer, too: the server says that it did not do it. Of an operation, `structured` is
 * `{error: {code, message}}`, so that a surface which speaks the protocol can say the same. Throws where the server would do it
 * once the caller has done something first.
 */
export function protocolErrorResult(error: ProtocolError, { operation }: ConnectorCall): ToolResult {
  const message = truncate(cleanText(error.message), maxRefusalLength);
  const reason = `The server answered: ${quoteExternalText(message)}.`;
  if (error instanceof MissingRequiredClientCapabilityError)
    throw new CapabilityNeeded(reason, cleanJson(error.requiredCapabilities) as JsonObject, { cause: error });
  const page = requiredPageOf(error);
  if (page) throw new AccountNeeded(`${reason} Open ${page} and try again.`, page, { cause: error });
  const structured: JsonObject = { error: { code: error.code, message: message } };
  return {
    content: [{ type: 'text', text: message }],
    ...(operation !== 'tool' && { structured }),
    isError: true,
    outside: true,
  };
}

/** Where the caller has to go first (MCP 2025-11-25, URL elicitation required). */
function requiredPageOf(error: ProtocolError): string | undefined {
  const named: unknown = error instanceof UrlElicitationRequiredError ? error.elicitations : [];
  const pages = (Array.isArray(named) ? named : []).map((each: { url?: unknown } | null) => each?.url);
  return pages.find((page) => typeof page === 'string' && isPageUrl(page)) as string | undefined;
}

const isPageUrl = (url: string) => url.length <= maxUrlLength && /^https?:\/\/\S+$/.test(url) && URL.canParse(url);
