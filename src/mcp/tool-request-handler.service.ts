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
      // `resultType` marks a question or a task
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
      // legacy clients do not send such headers
      if (caller.era === 'modern')
        await this.headers.require(caller, incoming, tool, (params.arguments ?? {}) as JsonObject);
      // the exact bytes received, so that the decision applies to what the client wrote
      const args = paramText(incoming.source, 'arguments') ?? '{}';
      const callAnswer = await this.calls.run(caller, ctx, { operation: 'tool', tool, arguments: args });
      if (isUnknownTool(callAnswer)) throw unknownToolError(params.name);
      const result = toCallToolResult(callAnswer);
      if ('resultType' in result || !replacesResult(callAnswer)) return result;
      return this.withDeclaredForm(caller, tool, result);
    });
  }

  /** This result cannot match the declared output schema. Clients pass it to the model only if it is an error. */
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

/**
 * The answer describes the call instead of its result: a policy requires an approval for these arguments, or the result
 * is not stored, or rules changed it.
 */
const replacesResult = (answer: CallAnswer): boolean =>
  answer.kind === 'result' ||
  answer.outcome.state === 'executing' ||
  answer.outcome.replayed === true ||
  ('result' in answer.outcome && answer.outcome.result?.notice !== undefined);

const isUnknownTool = (answer: CallAnswer): boolean =>
  answer.kind === 'outcome' && answer.outcome.state === 'denied' && answer.outcome.code === 'tool-not-found';

const unknownToolError = (name: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);

const toCallToolResult = (answer: CallAnswer) =>
  answer.kind === 'result' ? (answer.result as CallToolResult) : toolResult(answer.outcome);
