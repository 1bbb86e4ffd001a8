import {
  MissingRequiredClientCapabilityError,
  type ProtocolError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { ToolCall, ToolResult } from '../connection-kinds.service.js';
import { AccountNeeded, CapabilityNeeded } from '../connections.error.js';
import { quoted } from '../../platform/text/quoted.js';
import { clean, cleanJson } from './clean.js';
import { cut } from '../../platform/text/cut.js';

const longestRefusal = 4000;
const longestPage = 2000;

/**
 * An error of the protocol is an answer, too: the server says that it did not do it. Of an operation, `structured` is
 * `{error: {code, message}}`, so that a surface which speaks the protocol can say the same. Throws where the server would do it
 * once the caller has done something first.
 */
export function refusal(error: ProtocolError, { operation }: ToolCall): ToolResult {
  const said = cut(clean(error.message), longestRefusal);
  const answered = `The server answered: ${quoted(said)}.`;
  if (error instanceof MissingRequiredClientCapabilityError)
    throw new CapabilityNeeded(answered, cleanJson(error.requiredCapabilities) as JsonObject, { cause: error });
  const page = pageOf(error);
  if (page) throw new AccountNeeded(`${answered} Open ${page} and try again.`, page, { cause: error });
  const structured: JsonObject = { error: { code: error.code, message: said } };
  return {
    content: [{ type: 'text', text: said }],
    ...(operation !== 'tool' && { structured }),
    isError: true,
    outside: true,
  };
}

/** Where the caller has to go first (MCP 2025-11-25, URL elicitation required). */
function pageOf(error: ProtocolError): string | undefined {
  const named: unknown = error instanceof UrlElicitationRequiredError ? error.elicitations : [];
  const pages = (Array.isArray(named) ? named : []).map((each: { url?: unknown } | null) => each?.url);
  return pages.find((page) => typeof page === 'string' && isPage(page)) as string | undefined;
}

const isPage = (url: string) => url.length <= longestPage && /^https?:\/\/\S+$/.test(url) && URL.canParse(url);
