import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { McpExchange } from '../../mcp-sessions/exchanges.service.js';
import type { SessionEvent } from '../../mcp-sessions/session-event-store.service.js';
import type { EventStream } from '../../platform/http/sse.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { RpcMessage, RpcNotification, RpcRequest, RpcResponse } from './messages.js';
import { formatEventId } from './event-position.js';

/** Beyond so many that wait to be written down, or were, a server that floods loses what may be lost. */
const maxWaiting = 500;
const maxStored = 20_000;
const unreadableAnswer = { code: ProtocolErrorCode.InternalError, message: 'The answer could not be read.' };
const droppableMethods = new Set(['notifications/progress', 'notifications/message']);

/**
 * What is told in the course of one request, numbered, and kept before it is told. It goes on when the client goes away:
 * whoever comes back with the number of the last event finds the rest at any process.
 */
export class ResumableStream {
  private number = 0;
  private waiting: SessionEvent[] = [];
  private storing?: Promise<void>;
  /** What the client is being asked, by the id that the server gave it. */
  private readonly openRequests = new Map<RpcRequest['id'], { place: string; calling: AbortController }>();

  constructor(
    private readonly mcpExchange: McpExchange,
    private readonly reader: EventStream,
    private readonly store: (events: SessionEvent[]) => Promise<void>,
  ) {}

  async notify(notification: RpcNotification): Promise<void> {
    const isOverLimit = this.waiting.length >= maxWaiting || this.number >= maxStored;
    if (isOverLimit && droppableMethods.has(notification.method)) return;
    await this.enqueue(
      notification.method === 'notifications/cancelled' ? this.toClientCancellation(notification) : notification,
    );
  }

  async ask(request: RpcRequest, answered: (response: RpcResponse) => void): Promise<void> {
    const number = await this.mcpExchange.send({ request: { method: request.method } });
    const wireId = formatEventId({ id: this.mcpExchange.id, number });
    const cancellation = new AbortController();
    this.openRequests.set(request.id, { place: wireId, calling: cancellation });
    void this.mcpExchange
      .waitForResponse(number, cancellation.signal)
      .then(
        ({ response }) => answered({ ...response, jsonrpc: '2.0', id: request.id } as RpcResponse),
        () => {
          // otherwise the server itself called it off
          if (!cancellation.signal.aborted) answered({ jsonrpc: '2.0', id: request.id, error: unreadableAnswer });
        },
      )
      .finally(() => this.openRequests.delete(request.id));
    await this.enqueue({ ...request, id: wireId });
  }

  /** Nothing comes after the response. Null: the client cancelled the request and expects none. */
  async end(response: RpcResponse | null): Promise<void> {
    try {
      await this.enqueue(response, true);
    } finally {
      for (const { calling } of this.openRequests.values()) calling.abort(new Error('the request has ended'));
      this.mcpExchange.release();
      this.reader.close();
    }
  }

  private toClientCancellation(notification: RpcNotification): RpcNotification {
    const openRequest = this.openRequests.get(notification.params?.requestId as RpcRequest['id']);
    openRequest?.calling.abort(new Error('called off'));
    return openRequest
      ? { ...notification, params: { ...notification.params, requestId: openRequest.place } }
      : notification;
  }

  private enqueue(message: RpcMessage | null, isLast = false): Promise<void> {
    this.waiting.push({ number: ++this.number, isLast, message: message as unknown as JsonObject | null });
    return (this.storing ??= this.storeWaiting());
  }

  /** What comes while others are being written down goes together, in its order. */
  private async storeWaiting(): Promise<void> {
    try {
      while (this.waiting.length) await this.storeAndSend(this.waiting.splice(0));
    } catch (error) {
      this.reader.close(); // what is not kept is not told; the client comes back for what is
      throw error;
    } finally {
      this.storing = undefined;
    }
  }

  private async storeAndSend(events: SessionEvent[]): Promise<void> {
    await this.store(events);
    for (const { number, message } of events) {
      if (!message) continue;
      const id = formatEventId({ id: this.mcpExchange.id, number });
      this.reader.send({ event: 'message', id, data: JSON.stringify(message) });
    }
  }
}
