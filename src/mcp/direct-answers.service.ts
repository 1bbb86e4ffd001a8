import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { IncomingRequest } from './incoming-request.js';
import type { RequestContext } from './calls/client-request.js';
import type { McpCaller } from './mcp-caller.js';
import type { PlainRequest } from './plain-request.js';
import { serverInfo, listingCacheHint } from './server-factory.service.js';
import { ToolRequestHandler } from './tool-request-handler.service.js';

export interface DirectAnswer {
  status: number;
  message: object;
}

/**
 * Serves the two most frequent requests with the same handlers as the SDK's server, but without creating a server, a web
 * request and a web response for each: those took an eighth of a call's time (docs/decisions/mcp.md).
 */
@Injectable()
export class DirectAnswersService {
  constructor(private readonly tools: ToolRequestHandler) {}

  async answer(
    request: PlainRequest,
    caller: McpCaller,
    incoming: IncomingRequest,
    signal: AbortSignal,
  ): Promise<DirectAnswer> {
    const { id } = request;
    try {
      const result = withServerInfo(await this.resultOf(request, caller, incoming, signal));
      return { status: 200, message: { result, jsonrpc: '2.0', id } };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error; // the handlers throw nothing else
      const { code, message, data } = error;
      return { status: httpStatusOfError(error), message: { jsonrpc: '2.0', id, error: { code, message, data } } };
    }
  }

  private async resultOf(
    request: PlainRequest,
    caller: McpCaller,
    incoming: IncomingRequest,
    signal: AbortSignal,
  ): Promise<Result> {
    if (request.method === 'tools/list') return { ...(await this.tools.list(caller, incoming)), ...listingCacheHint };
    return withTextContent(await this.tools.call(caller, incoming, contextOf(signal), request.params));
  }
}

/** For a request that receives only its response and carries no answers from an earlier one. */
function contextOf(signal: AbortSignal): RequestContext {
  const ignore = () => Promise.resolve();
  const reject = () => Promise.reject(new Error('the server sends no requests to clients of this revision'));
  return { mcpReq: { signal, notify: ignore, log: ignore, send: reject, requestState: () => undefined } };
}

/** Fields that the protocol requires in every result. */
const withServerInfo = (result: Result): Result => ({
  resultType: 'complete',
  ...result,
  _meta: { ...result._meta, [SERVER_INFO_META_KEY]: serverInfo },
});

/** Some clients accept only an object as structured content. They read any other value from the text. */
function withTextContent(result: CallToolResult): CallToolResult {
  const { structuredContent: structured, content } = result;
  const isObject = typeof structured === 'object' && structured !== null && !Array.isArray(structured);
  if (structured === undefined || isObject || content.some(({ type }) => type === 'text')) return result;
  return { ...result, content: [...content, { type: 'text', text: JSON.stringify(structured) }] };
}

/** A missing client capability is the only protocol error with its own HTTP status (2026-07-28, transports). */
const httpStatusOfError = ({ code }: ProtocolError): number =>
  code === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200;
