import { type GetPromptResult, ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { McpHandlerRunner } from './mcp-handler-runner.service.js';
import type { IncomingRequest } from './incoming-request.js';
import type { McpCaller } from './mcp-caller.js';
import { McpCallsService } from './calls/mcp-calls.service.js';
import { ListingsService } from './listings.service.js';
import { WireNamesService } from './wire-names.service.js';
import { isUnknown, operationResult } from './operation-result.js';

/** `prompts/list` and `prompts/get`. */
@Injectable()
export class PromptRequestHandler {
  constructor(
    private readonly listings: ListingsService,
    private readonly wireNames: WireNamesService,
    private readonly calls: McpCallsService,
    private readonly mcpHandlerRunner: McpHandlerRunner,
  ) {}

  register(server: Server, caller: McpCaller, incoming: IncomingRequest): void {
    server.setRequestHandler('prompts/list', ({ params }, { mcpReq }) =>
      this.mcpHandlerRunner.run(caller, incoming, () => this.listings.prompts(caller, params?.cursor, mcpReq.signal)),
    );
    server.setRequestHandler('prompts/get', ({ params }, ctx) =>
      this.mcpHandlerRunner.run(caller, incoming, async () => {
        const target = (await this.wireNames.of(caller)).parseName(params.name);
        if (!target) throw unknownPromptError(params.name);
        const callAnswer = await this.calls.run(caller, ctx, {
          operation: 'prompts',
          tool: `${target.connection}__prompts_get`,
          arguments: JSON.stringify({ name: target.name, arguments: params.arguments }),
        });
        if (callAnswer.kind === 'result') return callAnswer.result as GetPromptResult;
        if (isUnknown(callAnswer.outcome)) throw unknownPromptError(params.name);
        return operationResult(callAnswer.outcome) as GetPromptResult;
      }),
    );
  }
}

const unknownPromptError = (name: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
