import { type GetPromptResult, ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { Answering } from './answering.service.js';
import type { Asked } from './asked.js';
import type { Caller } from './caller.js';
import { McpCalls } from './calls/mcp-calls.service.js';
import { Listings } from './listings.service.js';
import { Naming } from './naming.service.js';
import { isUnknown, operationResult } from './operation-result.js';

/** `prompts/list` and `prompts/get`. */
@Injectable()
export class PromptHandlers {
  constructor(
    private readonly listings: Listings,
    private readonly naming: Naming,
    private readonly calls: McpCalls,
    private readonly answering: Answering,
  ) {}

  register(server: Server, caller: Caller, asked: Asked): void {
    server.setRequestHandler('prompts/list', ({ params }, { mcpReq }) =>
      this.answering.to(caller, asked, () => this.listings.prompts(caller, params?.cursor, mcpReq.signal)),
    );
    server.setRequestHandler('prompts/get', ({ params }, ctx) =>
      this.answering.to(caller, asked, async () => {
        const meant = (await this.naming.of(caller)).meant(params.name);
        if (!meant) throw unknown(params.name);
        const answered = await this.calls.run(caller, ctx, {
          operation: 'prompts',
          tool: `${meant.connection}__prompts_get`,
          arguments: JSON.stringify({ name: meant.name, arguments: params.arguments }),
        });
        if (answered.kind === 'result') return answered.result as GetPromptResult;
        if (isUnknown(answered.outcome)) throw unknown(params.name);
        return operationResult(answered.outcome) as GetPromptResult;
      }),
    );
  }
}

const unknown = (name: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
