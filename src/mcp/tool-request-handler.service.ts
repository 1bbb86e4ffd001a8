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
import { McpHandlerRunner } from './mcp-handler-runner.service.js';
import type { IncomingRequest } from './incoming-request.js';
import type { McpCaller } from './mcp-caller.js';
import type { CallAnswer } from './calls/call-answer.js';
import type { RequestContext } from './calls/client-request.js';
import { McpCallsService } from './calls/mcp-calls.service.js';
import { HeaderCheckService } from './header-check.service.js';
import { ListingsService } from './listings.service.js';
import { WireNamesService } from './wire-names.service.js';
import { paramText } from './received-message.js';
import { toolResult } from './tool-result.js';
import { declaresOutputSchema } from './mcp-tools.js';

/** `tools/list` and `tools/call`. */
@Injectable()
export class ToolRequestHandler {
  constructor(
    private readonly listings: ListingsService,
    private readonly wireNames: WireNamesService,
    private readonly headers: HeaderCheckService,
    private readonly gate: GateService,
    private readonly calls: McpCallsService,
    private readonly mcpHandlerRunner: McpHandlerRunner,
  ) {}

  register(server: Server, caller: McpCaller, incoming: IncomingRequest): void {
    server.setRequestHandler('tools/list', ({ params }) => this.list(caller, incoming, params?.cursor));
    server.setRequestHandler('tools/call', async ({ params }, ctx) => {
      const result = await this.call(caller, incoming, ctx, params);
      // a question, or a task
      return 'resultType' in result ? result : server.projectCallToolResult(result, undefined);
    });
  }

  list(caller: McpCaller, incoming: IncomingRequest, cursor?: string): Promise<ListToolsResult> {
    return this.mcpHandlerRunner.run(caller, incoming, async () => {
      const listed = await this.listings.tools(caller, cursor);
      if (caller.era === 'legacy') return listed;
      incoming.tools = listed.tools;
      return { ...listed, tools: [] };
    });
  }

  call(
    caller: McpCaller,
    incoming: IncomingRequest,
    ctx: RequestContext,
    params: { name: string; arguments?: object },
  ): Promise<CallToolResult> {
    return this.mcpHandlerRunner.run(caller, incoming, async () => {
      const tool = (await this.wireNames.of(caller)).toFullName(params.name);
      // deployed clients know nothing of such headers
      if (caller.era === 'modern')
        await this.headers.require(caller, incoming, tool, (params.arguments ?? {}) as JsonObject);
      // the very bytes that were sent: what is decided about is what was written
      const args = paramText(incoming.source, 'arguments') ?? '{}';
      const callAnswer = await this.calls.run(caller, ctx, { operation: 'tool', tool, arguments: args });
      if (isUnknownTool(callAnswer)) throw unknownToolError(params.name);
      const result = toCallToolResult(callAnswer);
      if ('resultType' in result || !replacesResult(callAnswer)) return result;
      return this.withDeclaredForm(caller, tool, result);
    });
  }

  /** What cannot have the form that was promised of a result: clients let a model read it all the same if it says that it is an error. */
  private async withDeclaredForm(
    { principal, configurationId }: McpCaller,
    name: string,
    result: CallToolResult,
  ): Promise<CallToolResult> {
    if (result.isError || result.structuredContent !== undefined) return result;
    const tool = (await this.gate.list(principal, configurationId)).find((one) => one.name === name);
    return tool && declaresOutputSchema(tool) ? { ...result, isError: true } : result;
  }
}

/** It tells of the call where no result is at hand: a policy asks for a person by the arguments, or what came of it is not kept. */
const replacesResult = (answered: CallAnswer): boolean =>
  answered.kind === 'result' || answered.outcome.state === 'executing' || answered.outcome.replayed === true;

const isUnknownTool = (answered: CallAnswer): boolean =>
  answered.kind === 'outcome' && answered.outcome.state === 'denied' && answered.outcome.code === 'tool-not-found';

const unknownToolError = (name: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);

const toCallToolResult = (answered: CallAnswer) =>
  answered.kind === 'result' ? (answered.result as CallToolResult) : toolResult(answered.outcome);
