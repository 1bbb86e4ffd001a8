import { AsyncLocalStorage } from 'node:async_hooks';
import {
  StreamableHTTPClientTransport,
  type FetchLike,
  type JSONRPCMessage,
  type ReconnectionScheduler,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { onAbort } from '../platform/events/on-abort.js';
import type { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';
import { traceHeaders } from '../platform/telemetry/trace.js';
import { upstreamCalls } from './upstream-call.js';
import type { HttpEndpoint } from './mcp-target.js';

/** Limit for streams that are silent by nature: those that only listen, and those on which a person is asked. */
const maxSilenceMs = 15 * 60_000;
const reconnection = {
  initialReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 30_000,
  maxRetries: Infinity,
};
/** After these attempts the answer to a request is given up. */
const maxReconnectAttempts = 3;
/** Of the request that is being sent. Answers to the server's questions are sent in its context, without a key. */
const idempotencyKeys = new AsyncLocalStorage<string | undefined>();

/** Bounds for the reconnection delay that a server requests. */
const minReconnectMs = 100;
const maxReconnectMs = 30_000;

/** The SDK’s transport over the outbound HTTP client. It records in the upstream call how far a request got. */
export class HttpTransport extends StreamableHTTPClientTransport {
  private isListening = false;

  constructor(outboundHttpClient: OutboundHttpClient, { url, headers, wrapFetch }: HttpEndpoint, timeoutMs: number) {
    const send: FetchLike = async (input, init) => {
      const upstreamCall = upstreamCalls.getStore();
      const given = new Headers(init?.headers);
      const carried = [...given, ...Object.entries(traceHeaders())] as [string, string][];
      const isGet = init?.method === 'GET';
      const idempotencyKey = idempotencyKeys.getStore();
      if (idempotencyKey && !isGet) carried.push(['idempotency-key', idempotencyKey]);
      const listensOnly = isGet || given.get('mcp-method') === 'subscriptions/listen';
      const silenceMs = listensOnly || upstreamCall?.conversation ? maxSilenceMs : timeoutMs;
      const response = await outboundHttpClient.fetch(input, {
        ...init,
        headers: carried,
        headersTimeoutMs: silenceMs,
        idleTimeoutMs: silenceMs,
        onSent: () => {
          if (upstreamCall) upstreamCall.isSent = true;
        },
      });
      if (upstreamCall && /^text\/event-stream/i.test(response.headers.get('content-type') ?? ''))
        upstreamCall.isStreamed = true;
      if (isGet) this.onListenResponse(response);
      return response;
    };
    super(url, {
      fetch: wrapFetch ? wrapFetch(send) : send,
      requestInit: { headers },
      reconnectionOptions: reconnection,
      reconnectionScheduler,
    });
  }

  /**
   * The SDK waits until the timeout even if the stream that could bring the answer has ended. This reports the end at
   * once.
   */
  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions): Promise<void> {
    const upstreamCall = upstreamCalls.getStore();
    if (!upstreamCall || Array.isArray(message) || !('method' in message && 'id' in message))
      return idempotencyKeys.run(undefined, () => super.send(message, options));
    const { id } = message;
    upstreamCall.addPendingRequest(id);
    const sendOptions: TransportSendOptions = {
      ...options,
      requestSignal: eitherSignal(upstreamCall.failed, options?.requestSignal),
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        upstreamCall.onStreamEnd(id);
      },
    };
    const idempotencyKey = isFirstToolCall(message) ? upstreamCall.idempotencyKey : undefined;
    await idempotencyKeys.run(idempotencyKey, () => super.send(message, sendOptions));
    if (!upstreamCall.isStreamed) upstreamCall.onStreamEnd(id);
  }

  /**
   * A listening stream that cannot be reopened because the server lost the session: the client cannot receive anything
   * more.
   */
  private onListenResponse({ ok, status }: Response): void {
    if (ok) this.isListening = true;
    else if (status === 404 && this.isListening) setImmediate(() => void this.close());
  }
}

/**
 * A request that continues a call, with the caller's answers, is another request: with the same key, a server could
 * answer it as it answered the first.
 */
const isFirstToolCall = ({ method, params = {} }: { method: string; params?: object }): boolean =>
  method === 'tools/call' && !('inputResponses' in params) && !('requestState' in params);

/** Both signals live as long as one call, so the listeners need no removal. */
function eitherSignal(failed: AbortSignal, given?: AbortSignal): AbortSignal {
  const either = new AbortController();
  for (const signal of [failed, given]) if (signal) onAbort(signal, (reason) => either.abort(reason));
  return either.signal;
}

/** Streams that belong to no request are reopened for the lifetime of the client. */
const reconnectionScheduler: ReconnectionScheduler = (reconnect, delayMs, attempt) => {
  const upstreamCall = upstreamCalls.getStore();
  if (upstreamCall && attempt >= maxReconnectAttempts) return upstreamCall.onConnectionLost();
  const timer = setTimeout(reconnect, Math.min(Math.max(delayMs, minReconnectMs), maxReconnectMs)).unref();
  return () => clearTimeout(timer);
};
