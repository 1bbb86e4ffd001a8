import { Injectable } from '@nestjs/common';
import { ProtocolError, type Client, type RequestOptions } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { ConnectionContext, ToolCall, ToolResult } from '../connection-kinds.service.js';
import { clean } from './clean.js';
import type { Journey } from './journey.js';
import { McpClients } from './mcp-clients.service.js';
import { callFailure } from './mcp-failures.js';
import { completionResult, contentsResult, promptResult } from './mcp-operations.js';
import { toResult } from './mcp-result.js';
import { McpTargets } from './mcp-targets.service.js';

const idempotencyKey = 'io.countersign/idempotency-key';

/** Carries a decided call to its server, and its answer back. */
@Injectable()
export class McpExecution {
  constructor(
    private readonly targets: McpTargets,
    private readonly clients: McpClients,
  ) {}

  async execute(context: ConnectionContext, call: ToolCall): Promise<ToolResult> {
    const { signal } = context;
    const journey: Journey = { isSent: false };
    try {
      const target = await this.targets.of(context);
      const options = { signal, timeout: target.timeoutMs };
      return await this.clients.use(target, signal, (client) => send(client, call, options), journey);
    } catch (error) {
      if (error instanceof ProtocolError) return refusal(error, call);
      throw callFailure(error, journey.isSent);
    }
  }
}

async function send(client: Client, call: ToolCall, options: RequestOptions): Promise<ToolResult> {
  const { operation, tool, arguments: args, inputSchema, outputSchema } = call;
  // what a decided request was checked to be is what its method takes
  switch (operation) {
    case 'resources':
      return contentsResult(await client.request({ method: 'resources/read', params: args }, options));
    case 'prompts':
      return promptResult(await client.request({ method: 'prompts/get', params: args }, options));
    case 'completions':
      return completionResult(await client.request({ method: 'completion/complete', params: args }, options));
    case 'tool':
      return toResult(
        await client.callTool(
          { name: tool, arguments: args, _meta: { [idempotencyKey]: call.idempotencyKey } },
          // our own copy of the definition: no retry behind our back, and the answer is judged by us
          { ...options, toolDefinition: { name: tool, inputSchema: { ...inputSchema, type: 'object' } } },
        ),
        outputSchema,
      );
  }
}

/**
 * An error of the protocol is an answer, too: the server says that it did not do it. Of an operation, `structured` is
 * `{error: {code, message}}`, so that a surface which speaks the protocol can say the same.
 */
function refusal({ code, message }: ProtocolError, { operation }: ToolCall): ToolResult {
  const said = clean(message).slice(0, 4000);
  const structured: JsonObject = { error: { code, message: said } };
  return {
    content: [{ type: 'text', text: said }],
    ...(operation !== 'tool' && { structured }),
    isError: true,
    outside: true,
  };
}
