import type { Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import {
  isRpcNotification,
  isRpcRequest,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from './messages.js';

/** Where what the server says about one request goes. */
export interface SessionOutput {
  respond(response: RpcResponse): Promise<void>;
  notify(notification: RpcNotification): Promise<void>;
  /** `answered` with the client's response, whichever process it came to. */
  ask(request: RpcRequest, answered: (response: RpcResponse) => void): Promise<void>;
  /** What is about the session, and not about the request. */
  announce(notification: RpcNotification): Promise<void>;
}

/**
 * Between a client of whom only the database knows, and a server of the SDK that lives for one of its requests. What the
 * client said at the beginning is said to the server again, in the client's name.
 */
export class SessionTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  private onReplayed?: (response: RpcResponse) => void;

  constructor(
    readonly sessionId: string,
    private readonly output: SessionOutput,
  ) {}

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  /** Before the request itself, one at a time. */
  replay(method: string, params: RpcRequest['params']): Promise<RpcResponse> {
    return new Promise((resolve) => {
      this.onReplayed = resolve;
      this.deliver({ jsonrpc: '2.0', id: method, method, params });
    });
  }

  deliver(message: RpcMessage): void {
    this.onmessage?.(message);
  }

  async send(message: RpcMessage, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    if (isRpcNotification(message))
      return relatedRequestId === undefined ? this.output.announce(message) : this.output.notify(message);
    if (isRpcRequest(message)) {
      if (relatedRequestId === undefined)
        throw new Error(`${message.method} is asked of a client in the course of its request only`);
      return this.output.ask(message, (response) => this.deliver(response));
    }
    const { onReplayed } = this;
    this.onReplayed = undefined;
    if (onReplayed) onReplayed(message);
    else await this.output.respond(message);
  }
}
