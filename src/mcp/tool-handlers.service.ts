import { type CallToolResult, ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../platform/json/strict-json.js';
import { Answering } from './answering.service.js';
import type { Asked } from './asked.js';
import type { Caller } from './caller.js';
import { McpCalls } from './calls/mcp-calls.service.js';
import { HeaderCheck } from './header-check.service.js';
import { Listings } from './listings.service.js';
import { Naming } from './naming.service.js';
import { paramText } from './received.js';
import { toolResult } from './tool-result.js';

/** `tools/list` and `tools/call`. */
@Injectable()
export class ToolHandlers {
  constructor(
    private readonly listings: Listings,
    private readonly naming: Naming,
    private readonly headers: HeaderCheck,
    private readonly calls: McpCalls,
    private readonly answering: Answering,
  ) {}

  register(server: Server, caller: Caller, asked: Asked): void {
    server.setRequestHandler('tools/list', ({ params }) =>
      this.answering.to(caller, asked, () => this.listings.tools(caller, params?.cursor)),
    );
    server.setRequestHandler('tools/call', ({ params }, ctx) =>
      this.answering.to(caller, asked, async () => {
        const tool = (await this.naming.of(caller)).full(params.name);
        // deployed clients know nothing of such headers
        if (caller.era === 'modern')
          await this.headers.require(caller, asked, tool, (params.arguments ?? {}) as JsonObject);
        // the very bytes that were sent: what is decided about is what was written
        const args = paramText(asked.source, 'arguments') ?? '{}';
        const answered = await this.calls.run(caller, ctx, { operation: 'tool', tool, arguments: args });
        if (answered.kind === 'result') return answered.result as CallToolResult;
        const { outcome } = answered;
        if (outcome.state === 'denied' && outcome.code === 'tool-not-found')
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
        return toolResult(outcome);
      }),
    );
  }
}
