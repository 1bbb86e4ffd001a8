import { Injectable } from '@nestjs/common';
import { type Client, LOG_LEVEL_META_KEY, ProtocolError, type RequestOptions } from '@modelcontextprotocol/client';
import type { ConnectionContext, ConnectorCall, ToolResult } from '../connections/connector-registry.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import type { Conversation } from '../connections/conversation.port.js';
import { NotSent } from '../connections/connections.error.js';
import { UpstreamCall } from './upstream-call.js';
import { limitConversation } from './limited-conversation.js';
import { McpClientPool } from './mcp-client-pool.service.js';
import type { McpTarget } from './mcp-target.js';
import { callFailure } from './mcp-failures.js';
import { completionResult, contentsResult, promptResult } from './mcp-operations.js';
import { protocolErrorResult } from './mcp-refusal.js';
import { toToolResult } from './mcp-result.js';
import { McpTargetsService } from './mcp-targets.service.js';
import { PausableTimeout } from './pausable-timeout.js';
import { requestUntilAnswered } from './multi-round-trip.js';

const idempotencyKey = 'io.countersign/idempotency-key';

/** Sends a decided call to its server, forwards the server's questions to the caller, and returns the answer. */
@Injectable()
export class McpExecutionService {
  constructor(
    private readonly targets: McpTargetsService,
    private readonly clients: McpClientPool,
  ) {}

  async execute(context: ConnectionContext, call: ConnectorCall): Promise<ToolResult> {
    let upstreamCall: UpstreamCall | undefined;
    let timeout: PausableTimeout | undefined;
    try {
      const target = await this.targets.of(context);
      timeout = new PausableTimeout(target.timeoutMs, context.signal);
      const conversation = call.conversation && limitConversation(call.conversation, timeout);
      upstreamCall = new UpstreamCall(conversation, call.idempotencyKey);
      return await this.run(target, timeout.signal, call, upstreamCall);
    } catch (error) {
      if (error instanceof ProtocolError) return protocolErrorResult(error, call);
      throw callFailure(error, upstreamCall?.isSent ?? false);
    } finally {
      timeout?.end();
    }
  }

  private run(
    target: McpTarget,
    until: AbortSignal,
    call: ConnectorCall,
    upstreamCall: UpstreamCall,
  ): Promise<ToolResult> {
    const { conversation } = upstreamCall;
    return this.clients.use(
      target,
      until,
      (client, signal) =>
        sendOperation(client, target.tenantId, call, { signal, timeout: PausableTimeout.maxTimeoutMs }, conversation),
      upstreamCall,
    );
  }
}

async function sendOperation(
  client: Client,
  tenantId: string,
  call: ConnectorCall,
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
  const requestAnswered = <T extends object>(request: Parameters<typeof requestUntilAnswered<T>>[0]) =>
    requestUntilAnswered(request, conversation, limits.signal);
  // the arguments of a decided call have been validated against the schema of its operation
  switch (operation) {
    case 'resources':
      return contentsResult(
        await requestAnswered((retryParams) =>
          client.request({ method: 'resources/read', params: { ...args, ...retryParams, _meta } }, options),
        ),
      );
    case 'prompts':
      return promptResult(
        await requestAnswered((retryParams) =>
          client.request({ method: 'prompts/get', params: { ...args, ...retryParams, _meta } }, options),
        ),
      );
    case 'completions':
      return completionResult(await client.request({ method: 'completion/complete', params: args }, limits));
    case 'delegation':
      throw new NotSent('MCP servers do not accept delegated tasks.');
    case 'tool': {
      const meta = { ..._meta, [idempotencyKey]: call.idempotencyKey };
      // our own copy of the definition: the SDK then neither retries by itself nor validates the result
      const toolDefinition = { name: tool, inputSchema: { ...inputSchema, type: 'object' as const } };
      return toToolResult(
        await requestAnswered((retryParams) =>
          client.callTool({ name: tool, arguments: args, ...retryParams, _meta: meta }, { ...options, toolDefinition }),
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
