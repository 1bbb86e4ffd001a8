import type { Conversation, InputRequest } from '../../connections/tools.service.js';
import type { McpExchange } from '../../mcp-sessions/exchanges.service.js';
import { SerialExecutor } from '../../platform/events/serial-executor.js';
import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import type { McpCaller } from '../mcp-caller.js';
import { conversationCapabilities } from './client-capabilities.js';
import { notifyLog, notifyProgress } from './client-notifications.js';
import type { RequestContext } from './client-request.js';

/**
 * For modern clients, which accept no requests from the server. The response to their request is a question, and they
 * send the answer in another request, to any process. The call continues here meanwhile.
 */
export class ResumableConversation implements Conversation {
  readonly capabilities: Conversation['capabilities'];
  /** Resolves with the first question. */
  readonly opened = Promise.withResolvers<McpExchange>();
  private exchange?: Promise<McpExchange>;
  private callId?: string;
  private readonly questions = new SerialExecutor();
  private readonly abortController = new AbortController();

  constructor(
    caller: McpCaller,
    /** The client's latest request that this process served. */
    private openRequest: RequestContext,
    private readonly open: (callId?: string) => Promise<McpExchange>,
  ) {
    this.capabilities = conversationCapabilities(caller.capabilities);
  }

  belongsTo(callId: string): void {
    this.callId = callId;
  }

  /** Sequential: each round trip carries the questions of one upstream request and all their answers. */
  ask(requests: Record<string, InputRequest>, signal: AbortSignal): Promise<Record<string, JsonObject>> {
    const either = AbortSignal.any([signal, this.abortController.signal]);
    return this.questions.run(async () => {
      either.throwIfAborted();
      const exchange = await (this.exchange ??= this.begin());
      return exchange.request(requests as unknown as Record<string, JsonObject>, either);
    });
  }

  progress(params: { progress: number; total?: number; message?: string }): void {
    notifyProgress(this.openRequest, params);
  }

  log(params: { level: string; logger?: string; data: JsonValue }): void {
    notifyLog(this.openRequest, params);
  }

  /** The client has sent its next request. */
  attach(request: RequestContext): void {
    this.openRequest = request;
  }

  /** Cancels all open and future questions. */
  abort(): void {
    this.abortController.abort(
      new Error('The server process that asked the question stopped before it received an answer.'),
    );
  }

  private async begin(): Promise<McpExchange> {
    const exchange = await this.open(this.callId);
    this.opened.resolve(exchange);
    return exchange;
  }
}
