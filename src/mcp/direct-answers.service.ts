import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Asked } from './asked.js';
import type { RequestContext } from './calls/client-request.js';
import type { Caller } from './caller.js';
import type { PlainRequest } from './plain-request.js';
import { identity, listing } from './server-factory.service.js';
import { ToolHandlers } from './tool-handlers.service.js';

/** An answer as it is sent. */
export interface DirectAnswer {
  status: number;
  message: object;
}

/**
 * The two requests that are most of the traffic, from the handlers that the SDK's server has, too, but without such a server,
 * a web request and a web response for each of them: those took an eighth of a call's time (docs/decisions/mcp.md).
 */
@Injectable()
export class DirectAnswers {
  constructor(private readonly tools: ToolHandlers) {}

  async to(request: PlainRequest, caller: Caller, asked: Asked, signal: AbortSignal): Promise<DirectAnswer> {
    const { id } = request;
    try {
      const result = stamped(await this.resultOf(request, caller, asked, signal));
      return { status: 200, message: { result, jsonrpc: '2.0', id } };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error; // handlers throw nothing else
      const { code, message, data } = error;
      return { status: statusOf(error), message: { jsonrpc: '2.0', id, error: { code, message, data } } };
    }
  }

  private async resultOf(request: PlainRequest, caller: Caller, asked: Asked, signal: AbortSignal): Promise<Result> {
    if (request.method === 'tools/list') return { ...(await this.tools.list(caller, asked)), ...listing };
    return withWords(await this.tools.call(caller, asked, contextOf(signal), request.params));
  }
}

/** Of a request that hears of nothing but its answer, and brings none. */
function contextOf(signal: AbortSignal): RequestContext {
  const unheard = () => Promise.resolve();
  const unsent = () => Promise.reject(new Error('a client of this revision is sent no requests'));
  return { mcpReq: { signal, notify: unheard, log: unheard, send: unsent, requestState: () => undefined } };
}

/** What the protocol wants to stand in every result. */
const stamped = (result: Result): Result => ({
  resultType: 'complete',
  ...result,
  _meta: { ...result._meta, [SERVER_INFO_META_KEY]: identity },
});

/** Clients that know structured content as an object only find any other in the text. */
function withWords(result: CallToolResult): CallToolResult {
  const { structuredContent: structured, content } = result;
  const isObject = typeof structured === 'object' && structured !== null && !Array.isArray(structured);
  if (structured === undefined || isObject || content.some(({ type }) => type === 'text')) return result;
  return { ...result, content: [...content, { type: 'text', text: JSON.stringify(structured) }] };
}

/** Only of the client's abilities does HTTP speak, too (2026-07-28, transports). */
const statusOf = ({ code }: ProtocolError): number =>
  code === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200;
