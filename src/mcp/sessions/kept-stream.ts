import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Exchange } from '../../mcp-sessions/exchanges.service.js';
import type { SessionEvent } from '../../mcp-sessions/session-events.service.js';
import type { EventStream } from '../../platform/http/sse.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { Message, Notification, Request, Response } from './messages.js';
import { placeText } from './place.js';

/** Beyond so many that wait to be written down, or were, a server that floods loses what may be lost. */
const mostWaiting = 500;
const mostKept = 20_000;
const unread = { code: ProtocolErrorCode.InternalError, message: 'The answer could not be read.' };
const losable = new Set(['notifications/progress', 'notifications/message']);

/**
 * What is told in the course of one request, numbered, and kept before it is told. It goes on when the client goes away:
 * whoever comes back with the number of the last event finds the rest at any process.
 */
export class KeptStream {
  private number = 0;
  private waiting: SessionEvent[] = [];
  private keeping?: Promise<void>;
  /** What the client is being asked, by the id that the server gave it. */
  private readonly asked = new Map<Request['id'], { place: string; calling: AbortController }>();

  constructor(
    private readonly exchange: Exchange,
    private readonly reader: EventStream,
    private readonly keep: (events: SessionEvent[]) => Promise<void>,
  ) {}

  async notify(notification: Notification): Promise<void> {
    const isTooMuch = this.waiting.length >= mostWaiting || this.number >= mostKept;
    if (isTooMuch && losable.has(notification.method)) return;
    await this.tell(notification.method === 'notifications/cancelled' ? this.calledOff(notification) : notification);
  }

  async ask(request: Request, answered: (response: Response) => void): Promise<void> {
    const number = await this.exchange.put({ request: { method: request.method } });
    const place = placeText({ id: this.exchange.id, number });
    const calling = new AbortController();
    this.asked.set(request.id, { place, calling });
    void this.exchange
      .answerTo(number, calling.signal)
      .then(
        ({ response }) => answered({ ...response, jsonrpc: '2.0', id: request.id } as Response),
        () => {
          // otherwise the server itself called it off
          if (!calling.signal.aborted) answered({ jsonrpc: '2.0', id: request.id, error: unread });
        },
      )
      .finally(() => this.asked.delete(request.id));
    await this.tell({ ...request, id: place });
  }

  /** Nothing comes after the response. Null: the client cancelled the request and expects none. */
  async end(response: Response | null): Promise<void> {
    try {
      await this.tell(response, true);
    } finally {
      for (const { calling } of this.asked.values()) calling.abort(new Error('the request has ended'));
      this.exchange.release();
      this.reader.close();
    }
  }

  private calledOff(notification: Notification): Notification {
    const asked = this.asked.get(notification.params?.requestId as Request['id']);
    asked?.calling.abort(new Error('called off'));
    return asked ? { ...notification, params: { ...notification.params, requestId: asked.place } } : notification;
  }

  private tell(message: Message | null, isLast = false): Promise<void> {
    this.waiting.push({ number: ++this.number, isLast, message: message as unknown as JsonObject | null });
    return (this.keeping ??= this.keepWaiting());
  }

  /** What comes while others are being written down goes together, in its order. */
  private async keepWaiting(): Promise<void> {
    try {
      while (this.waiting.length) await this.keepAndTell(this.waiting.splice(0));
    } catch (error) {
      this.reader.close(); // what is not kept is not told; the client comes back for what is
      throw error;
    } finally {
      this.keeping = undefined;
    }
  }

  private async keepAndTell(events: SessionEvent[]): Promise<void> {
    await this.keep(events);
    for (const { number, message } of events) {
      if (!message) continue;
      const id = placeText({ id: this.exchange.id, number });
      this.reader.send({ event: 'message', id, data: JSON.stringify(message) });
    }
  }
}
