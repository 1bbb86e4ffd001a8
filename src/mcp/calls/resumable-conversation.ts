import type { Conversation, InputRequest } from '../../connections/tools.service.js';
import type { McpExchange } from '../../mcp-sessions/exchanges.service.js';
import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import type { McpCaller } from '../mcp-caller.js';
import { conversationCapabilities } from './client-capabilities.js';
import { notifyLog, notifyProgress } from './client-notifications.js';
import type { RequestContext } from './client-request.js';

/**
 * With a client of the era in which a server sends no requests: its own request is answered by a question, and it comes back
 * with the answer in another request, to any process. The call goes on here meanwhile.
 */
export class ResumableConversation implements Conversation {
  readonly capabilities: Conversation['capabilities'];
  /** Once there is a question. */
  readonly opened = Promise.withResolvers<McpExchange>();
  private exchange?: Promise<McpExchange>;
  private callId?: string;
  private previous: Promise<unknown> = Promise.resolve();
  private readonly abortController = new AbortController();

  constructor(
    caller: McpCaller,
    /** The request of the client that is open now, if this process serves it. */
    private openRequest: RequestContext,
    private readonly open: (callId?: string) => Promise<McpExchange>,
  ) {
    this.capabilities = conversationCapabilities(caller.capabilities);
  }

  belongsTo(callId: string): void {
    this.callId = callId;
  }

  /** One after the other: a client is sent away with the questions of one request, and comes back with all their answers. */
  ask(requests: Record<string, InputRequest>, signal: AbortSignal): Promise<Record<string, JsonObject>> {
    const either = AbortSignal.any([signal, this.abortController.signal]);
    const pendingAnswer = this.previous.then(async () => {
      either.throwIfAborted();
      const exchange = await (this.exchange ??= this.begin());
      return exchange.request(requests as unknown as Record<string, JsonObject>, either);
    });
    this.previous = pendingAnswer.catch(() => undefined); // whoever asked hears of it
    return pendingAnswer;
  }

  progress(params: { progress: number; total?: number; message?: string }): void {
    notifyProgress(this.openRequest, params);
  }

  log(params: { level: string; logger?: string; data: JsonValue }): void {
    notifyLog(this.openRequest, params);
  }

  /** The client has come back. */
  attach(request: RequestContext): void {
    this.openRequest = request;
  }

  /** Nobody is asked any more, and nobody waited for. */
  abort(): void {
    this.abortController.abort(
      new Error('The question was not answered before the process that asked it was stopped.'),
    );
  }

  private async begin(): Promise<McpExchange> {
    const exchange = await this.open(this.callId);
    this.opened.resolve(exchange);
    return exchange;
  }
}
