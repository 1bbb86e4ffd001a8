import type { Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import { isNotification, isRequest, type Message, type Notification, type Request, type Response } from './messages.js';

/** Where what the server says about one request goes. */
export interface Outlet {
  respond(response: Response): Promise<void>;
  notify(notification: Notification): Promise<void>;
  /** `answered` with the client's response, whichever process it came to. */
  ask(request: Request, answered: (response: Response) => void): Promise<void>;
  /** What is about the session, and not about the request. */
  announce(notification: Notification): Promise<void>;
}

/**
 * Between a client of whom only the database knows, and a server of the SDK that lives for one of its requests. What the
 * client said at the beginning is said to the server again, in the client's name.
 */
export class SessionTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private rehearsed?: (response: Response) => void;

  constructor(
    readonly sessionId: string,
    private readonly outlet: Outlet,
  ) {}

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  /** Before the request itself, one at a time. */
  rehearse(method: string, params: Request['params']): Promise<Response> {
    return new Promise((resolve) => {
      this.rehearsed = resolve;
      this.deliver({ jsonrpc: '2.0', id: method, method, params });
    });
  }

  deliver(message: Message): void {
    this.onmessage?.(message);
  }

  async send(message: Message, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    if (isNotification(message))
      return relatedRequestId === undefined ? this.outlet.announce(message) : this.outlet.notify(message);
    if (isRequest(message)) {
      if (relatedRequestId === undefined)
        throw new Error(`${message.method} is asked of a client in the course of its request only`);
      return this.outlet.ask(message, (response) => this.deliver(response));
    }
    const { rehearsed } = this;
    this.rehearsed = undefined;
    if (rehearsed) rehearsed(message);
    else await this.outlet.respond(message);
  }
}
