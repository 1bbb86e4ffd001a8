import { Injectable } from '@nestjs/common';
import { type Client, LOG_LEVEL_META_KEY, ProtocolError, type RequestOptions } from '@modelcontextprotocol/client';
import type { ConnectionContext, ToolCall, ToolResult } from '../connection-kinds.service.js';
import { sha256 } from '../../platform/crypto/digest.js';
import type { Conversation } from '../conversation.js';
import { NotSent } from '../connections.error.js';
import { Journey } from './journey.js';
import { listener } from './listener.js';
import { McpClients } from './mcp-clients.service.js';
import type { McpTarget } from './mcp-target.js';
import { callFailure } from './mcp-failures.js';
import { completionResult, contentsResult, promptResult } from './mcp-operations.js';
import { refusal } from './mcp-refusal.js';
import { toResult } from './mcp-result.js';
import { McpTargets } from './mcp-targets.service.js';
import { Patience } from './patience.js';
import { untilAnswered } from './rounds.js';

const idempotencyKey = 'io.countersign/idempotency-key';

/** Carries a decided call to its server, what the server asks meanwhile to the caller, and its answer back. */
@Injectable()
export class McpExecution {
  constructor(
    private readonly targets: McpTargets,
    private readonly clients: McpClients,
  ) {}

  async execute(context: ConnectionContext, call: ToolCall): Promise<ToolResult> {
    let journey: Journey | undefined;
    let patience: Patience | undefined;
    try {
      const target = await this.targets.of(context);
      patience = new Patience(target.timeoutMs, context.signal);
      journey = new Journey(call.conversation && listener(call.conversation, patience));
      return await this.ask(target, patience.signal, call, journey);
    } catch (error) {
      if (error instanceof ProtocolError) return refusal(error, call);
      throw callFailure(error, journey?.isSent ?? false);
    } finally {
      patience?.end();
    }
  }

  private ask(target: McpTarget, until: AbortSignal, call: ToolCall, journey: Journey): Promise<ToolResult> {
    const { conversation } = journey;
    return this.clients.use(
      target,
      until,
      (client, signal) => send(client, target.tenantId, call, { signal, timeout: Patience.forever }, conversation),
      journey,
    );
  }
}

async function send(
  client: Client,
  tenantId: string,
  call: ToolCall,
  limits: RequestOptions & { signal: AbortSignal },
  conversation?: Conversation,
): Promise<ToolResult> {
  const { operation, tool, arguments: args, inputSchema, outputSchema } = call;
  const options = {
    ...limits,
    ...(conversation && { onprogress: conversation.progress }),
    allowInputRequired: true,
  };
  const _meta = conversation ? { [LOG_LEVEL_META_KEY]: 'debug' as const } : {};
  const answered = <T extends object>(request: Parameters<typeof untilAnswered<T>>[0]) =>
    untilAnswered(request, conversation, limits.signal);
  // what a decided request was checked to be is what its method takes
  switch (operation) {
    case 'resources':
      return contentsResult(
        await answered((reply) =>
          client.request({ method: 'resources/read', params: { ...args, ...reply, _meta } }, options),
        ),
      );
    case 'prompts':
      return promptResult(
        await answered((reply) =>
          client.request({ method: 'prompts/get', params: { ...args, ...reply, _meta } }, options),
        ),
      );
    case 'completions':
      return completionResult(await client.request({ method: 'completion/complete', params: args }, limits));
    case 'delegation':
      throw new NotSent('MCP servers are handed no tasks.');
    case 'tool': {
      const meta = { ..._meta, [idempotencyKey]: call.idempotencyKey };
      // our own copy of the definition: no retry behind our back, and the answer is judged by us
      const toolDefinition = { name: tool, inputSchema: { ...inputSchema, type: 'object' as const } };
      return toResult(
        await answered((reply) =>
          client.callTool({ name: tool, arguments: args, ...reply, _meta: meta }, { ...options, toolDefinition }),
        ),
        outputSchema && {
          tenantId,
          key: `result ${sha256(JSON.stringify(outputSchema)).toString('hex')}`,
          schema: outputSchema,
        },
      );
    }
  }
}
