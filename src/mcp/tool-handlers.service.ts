import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { GateService } from '../gate/gate.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { Answering } from './answering.service.js';
import type { Asked } from './asked.js';
import type { Caller } from './caller.js';
import type { Answered } from './calls/answered.js';
import type { RequestContext } from './calls/client-request.js';
import { McpCalls } from './calls/mcp-calls.service.js';
import { HeaderCheck } from './header-check.service.js';
import { Listings } from './listings.service.js';
import { Naming } from './naming.service.js';
import { paramText } from './received.js';
import { toolResult } from './tool-result.js';
import { isPromised } from './tools-on-wire.js';

/** `tools/list` and `tools/call`. */
@Injectable()
export class ToolHandlers {
  constructor(
    private readonly listings: Listings,
    private readonly naming: Naming,
    private readonly headers: HeaderCheck,
    private readonly gate: GateService,
    private readonly calls: McpCalls,
    private readonly answering: Answering,
  ) {}

  register(server: Server, caller: Caller, asked: Asked): void {
    server.setRequestHandler('tools/list', ({ params }) => this.list(caller, asked, params?.cursor));
    server.setRequestHandler('tools/call', async ({ params }, ctx) => {
      const result = await this.call(caller, asked, ctx, params);
      // a question, or a task
      return 'resultType' in result ? result : server.projectCallToolResult(result, undefined);
    });
  }

  list(caller: Caller, asked: Asked, cursor?: string): Promise<ListToolsResult> {
    return this.answering.to(caller, asked, async () => {
      const listed = await this.listings.tools(caller, cursor);
      if (caller.era === 'legacy') return listed;
      asked.tools = listed.tools;
      return { ...listed, tools: [] };
    });
  }

  call(
    caller: Caller,
    asked: Asked,
    ctx: RequestContext,
    params: { name: string; arguments?: object },
  ): Promise<CallToolResult> {
    return this.answering.to(caller, asked, async () => {
      const tool = (await this.naming.of(caller)).full(params.name);
      // deployed clients know nothing of such headers
      if (caller.era === 'modern')
        await this.headers.require(caller, asked, tool, (params.arguments ?? {}) as JsonObject);
      // the very bytes that were sent: what is decided about is what was written
      const args = paramText(asked.source, 'arguments') ?? '{}';
      const answered = await this.calls.run(caller, ctx, { operation: 'tool', tool, arguments: args });
      if (isUnknownTool(answered)) throw unknown(params.name);
      const result = resultOf(answered);
      if ('resultType' in result || !isInPlaceOfResult(answered)) return result;
      return this.keptTo(caller, tool, result);
    });
  }

  /** What cannot have the form that was promised of a result: clients let a model read it all the same if it says that it is an error. */
  private async keptTo(
    { principal, configurationId }: Caller,
    name: string,
    result: CallToolResult,
  ): Promise<CallToolResult> {
    if (result.isError || result.structuredContent !== undefined) return result;
    const tool = (await this.gate.list(principal, configurationId)).find((one) => one.name === name);
    return tool && isPromised(tool) ? { ...result, isError: true } : result;
  }
}

/** It tells of the call where no result is at hand: a policy asks for a person by the arguments, or what came of it is not kept. */
const isInPlaceOfResult = (answered: Answered): boolean =>
  answered.kind === 'result' || answered.outcome.state === 'executing' || answered.outcome.replayed === true;

const isUnknownTool = (answered: Answered): boolean =>
  answered.kind === 'outcome' && answered.outcome.state === 'denied' && answered.outcome.code === 'tool-not-found';

const unknown = (name: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);

const resultOf = (answered: Answered) =>
  answered.kind === 'result' ? (answered.result as CallToolResult) : toolResult(answered.outcome);
