import type { Conversation, InputRequest } from '../../connections/tools.service.js';
import type { Exchange } from '../../mcp-sessions/exchanges.service.js';
import type { JsonObject, JsonValue } from '../../platform/json/strict-json.js';
import type { Caller } from '../caller.js';
import { askable } from './abilities.js';
import { tellLog, tellProgress } from './telling.js';
import type { RequestContext } from './client-request.js';

/**
 * With a client of the era in which a server sends no requests: its own request is answered by a question, and it comes back
 * with the answer in another request, to any process. The call goes on here meanwhile.
 */
export class ReturningConversation implements Conversation {
  readonly capabilities: Conversation['capabilities'];
  /** Once there is a question. */
  readonly opened = Promise.withResolvers<Exchange>();
  private exchange?: Promise<Exchange>;
  private callId?: string;
  private previous: Promise<unknown> = Promise.resolve();
  private readonly over = new AbortController();

  constructor(
    caller: Caller,
    /** The request of the client that is open now, if this process serves it. */
    private listener: RequestContext,
    private readonly open: (callId?: string) => Promise<Exchange>,
  ) {
    this.capabilities = askable(caller.capabilities);
  }

  belongsTo(callId: string): void {
    this.callId = callId;
  }

  /** One after the other: a client is sent away with the questions of one request, and comes back with all their answers. */
  ask(requests: Record<string, InputRequest>, signal: AbortSignal): Promise<Record<string, JsonObject>> {
    const either = AbortSignal.any([signal, this.over.signal]);
    const asked = this.previous.then(async () => {
      either.throwIfAborted();
      const exchange = await (this.exchange ??= this.begin());
      return exchange.ask(requests as unknown as Record<string, JsonObject>, either);
    });
    this.previous = asked.catch(() => undefined); // whoever asked hears of it
    return asked;
  }

  progress(params: { progress: number; total?: number; message?: string }): void {
    tellProgress(this.listener, params);
  }

  log(params: { level: string; logger?: string; data: JsonValue }): void {
    tellLog(this.listener, params);
  }

  /** The client has come back. */
  heardBy(listener: RequestContext): void {
    this.listener = listener;
  }

  /** Nobody is asked any more, and nobody waited for. */
  breakOff(): void {
    this.over.abort(new Error('The question was not answered before the process that asked it was stopped.'));
  }

  private async begin(): Promise<Exchange> {
    const exchange = await this.open(this.callId);
    this.opened.resolve(exchange);
    return exchange;
  }
}
