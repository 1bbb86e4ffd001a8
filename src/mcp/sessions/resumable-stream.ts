import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { McpExchange } from '../../mcp-sessions/exchanges.service.js';
import type { SessionEvent } from '../../mcp-sessions/session-event-store.service.js';
import type { EventStream } from '../../platform/http/sse.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { RpcMessage, RpcNotification, RpcRequest, RpcResponse } from './messages.js';
import { formatEventId } from './event-position.js';

/** Beyond these numbers of waiting or stored events, the stream drops droppable notifications. */
const maxWaiting = 500;
const maxStored = 20_000;
const unreadableAnswer = { code: ProtocolErrorCode.InternalError, message: 'The client’s answer could not be loaded.' };
const droppableMethods = new Set(['notifications/progress', 'notifications/message']);

/**
 * The numbered messages of one request, stored before they are sent. The stream continues after a disconnect: a client
 * that reconnects with the id of its last event receives the rest from any process.
 */
export class ResumableStream {
  private number = 0;
  private waiting: SessionEvent[] = [];
  private storing?: Promise<void>;
  /** Open requests to the client, by the id that the SDK's server assigned. */
  private readonly openRequests = new Map<RpcRequest['id'], { wireId: string; cancellation: AbortController }>();

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
    this.openRequests.set(request.id, { wireId, cancellation });
    void this.mcpExchange
      .waitForResponse(number, cancellation.signal)
      .then(
        ({ response }) => answered({ ...response, jsonrpc: '2.0', id: request.id } as RpcResponse),
        () => {
          // an aborted request was cancelled by the server
          if (!cancellation.signal.aborted) answered({ jsonrpc: '2.0', id: request.id, error: unreadableAnswer });
        },
      )
      .finally(() => this.openRequests.delete(request.id));
    await this.enqueue({ ...request, id: wireId });
  }

  /** The response is the last message. Null: the client cancelled the request and expects none. */
  async end(response: RpcResponse | null): Promise<void> {
    try {
      await this.enqueue(response, true);
    } finally {
      for (const { cancellation } of this.openRequests.values()) cancellation.abort(new Error('the request has ended'));
      this.mcpExchange.release();
      this.reader.close();
    }
  }

  private toClientCancellation(notification: RpcNotification): RpcNotification {
    const openRequest = this.openRequests.get(notification.params?.requestId as RpcRequest['id']);
    openRequest?.cancellation.abort(new Error('the server cancelled its request'));
    return openRequest
      ? { ...notification, params: { ...notification.params, requestId: openRequest.wireId } }
      : notification;
  }

  private enqueue(message: RpcMessage | null, isLast = false): Promise<void> {
    this.waiting.push({ number: ++this.number, isLast, message: message as unknown as JsonObject | null });
    return (this.storing ??= this.storeWaiting());
  }

  /** Stores messages that arrive during a write together in the next write, in order. */
  private async storeWaiting(): Promise<void> {
    try {
      while (this.waiting.length) await this.storeAndSend(this.waiting.splice(0));
    } catch (error) {
      this.reader.close(); // an event that is not stored is not sent; the client reconnects for the stored ones
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
