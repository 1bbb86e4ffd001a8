import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Agent, ping, WebSocket } from 'undici';
import { Config } from '../config/config.js';
import { badPorts } from './bad-ports.js';
import { guardedConnector } from './guarded-connector.js';
import { OutboundHttpError } from './outbound-http.error.js';

export interface WebSocketTarget {
  url: string;
  /** Closes the connection, also one that is being opened. */
  signal: AbortSignal;
  /** A longer message closes the connection. */
  maxMessageBytes: number;
  /** Without TLS, for a server that the operator configured this way. */
  allowsPlain?: boolean;
  /** Closes a connection on which nothing arrives, not even an answer to a ping. Default: 30 s. */
  maxSilenceMs?: number;
  onMessage: (text: string) => void;
}
interface OutboundWebSocket {
  /** Resolves when the connection has ended. */
  closed: Promise<void>;
  /** Does nothing after the connection has ended. */
  send(text: string): void;
  close(): void;
}

const handshakeMs = 15_000;
const closingMs = 1000;
const maxFragments = 1000;

/** Outbound WebSocket connections, with the same guard of addresses as `OutboundHttpClient`. Redirects are refused. */
@Injectable()
export class OutboundWebSocketClient {
  constructor(private readonly config: Config) {}

  /** Rejects with `OutboundHttpError`, or with the signal's reason. */
  async connect(target: WebSocketTarget): Promise<OutboundWebSocket> {
    const { signal, maxMessageBytes, onMessage, maxSilenceMs = 30_000 } = target;
    signal.throwIfAborted();
    const url = checkedUrl(target);
    const connector = guardedConnector(this.config.allowPrivateNetworks);
    const transport: { socket: Socket | null; failure: unknown } = { socket: null, failure: null };
    const agent = new Agent({
      connect: (options, callback) =>
        connector(options, (...[error, connected]) => {
          transport.failure = error;
          transport.socket = connected;
          if (error) callback(error, null);
          else callback(null, connected);
        }),
      headersTimeout: handshakeMs,
      allowH2: false,
      webSocket: { maxPayloadSize: maxMessageBytes, maxFragments },
    });
    const webSocket = new WebSocket(url, { dispatcher: agent });
    const close = () => {
      webSocket.close();
      // the other side may never answer
      setTimeout(() => transport.socket?.destroy(), closingMs).unref();
    };
    signal.addEventListener('abort', close, { once: true });
    const closed = new Promise<void>((resolve) => webSocket.addEventListener('close', () => resolve()));
    void closed.then(() => {
      signal.removeEventListener('abort', close);
      return agent.destroy();
    });
    webSocket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') onMessage(data);
    });
    await new Promise<void>((resolve, reject) => {
      webSocket.addEventListener('open', () => resolve());
      webSocket.addEventListener('error', () => reject(toOutboundHttpError(transport.failure, url)));
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
    void closed.finally(this.watch(webSocket, transport.socket!, maxSilenceMs));
    return { closed, send: (text) => webSocket.send(text), close };
  }

  /** A peer that vanished sends no end of the connection. */
  private watch(webSocket: WebSocket, socket: Socket, maxSilenceMs: number): () => void {
    let received = socket.bytesRead;
    let receivedAt = Date.now();
    const timer = setInterval(() => {
      if (socket.bytesRead !== received) {
        received = socket.bytesRead;
        receivedAt = Date.now();
      } else if (Date.now() - receivedAt > maxSilenceMs) socket.destroy();
      ping(webSocket);
    }, maxSilenceMs / 3);
    return () => clearInterval(timer);
  }
}

function checkedUrl({ url: text, allowsPlain }: WebSocketTarget): URL {
  const refuse = (message: string) => new OutboundHttpError('url-refused', message, false);
  if (!URL.canParse(text)) throw refuse('this is not a complete URL such as wss://example.com/path');
  const url = new URL(text);
  if (url.protocol !== 'wss:' && !(allowsPlain && url.protocol === 'ws:'))
    throw refuse('the URL of a WebSocket must start with wss://');
  if (url.username || url.password) throw refuse('a URL must not contain a user name or password');
  if (badPorts.has(url.port)) throw refuse(`port ${url.port} is reserved for another protocol than HTTP`);
  return url;
}

function toOutboundHttpError(failure: unknown, { host }: URL): OutboundHttpError {
  if (failure instanceof OutboundHttpError) return failure;
  if (!failure) return new OutboundHttpError('connect-failed', `${host} did not open a WebSocket`, true);
  const code = (failure as { code?: unknown }).code;
  const reason = typeof code === 'string' ? ` (${code})` : '';
  return new OutboundHttpError('connect-failed', `no connection to ${host}${reason}`, false, failure);
}
