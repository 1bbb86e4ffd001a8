import type { Transport, TransportSendOptions } from '@modelcontextprotocol/server';
import {
  isRpcNotification,
  isRpcRequest,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from './messages.js';

/** Receives the messages that the server sends during one request. */
export interface SessionOutput {
  respond(response: RpcResponse): Promise<void>;
  notify(notification: RpcNotification): Promise<void>;
  /** Calls `answered` with the client's response, which may arrive at any process. */
  ask(request: RpcRequest, answered: (response: RpcResponse) => void): Promise<void>;
  /** For notifications about the session instead of the request. */
  announce(notification: RpcNotification): Promise<void>;
}

/**
 * Connects a client, whose session exists only in the database, with an SDK server that lives for one request. Replays the
 * client's initial messages to the server.
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

  /** Call before delivering the request, one replay at a time. */
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
      if (relatedRequestId === undefined) throw new Error(`${message.method} needs an open request of the client`);
      return this.output.ask(message, (response) => this.deliver(response));
    }
    const { onReplayed } = this;
    this.onReplayed = undefined;
    if (onReplayed) onReplayed(message);
    else await this.output.respond(message);
  }
}
