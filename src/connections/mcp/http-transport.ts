import {
  StreamableHTTPClientTransport,
  type FetchLike,
  type JSONRPCMessage,
  type ReconnectionScheduler,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { onAbort } from '../../platform/events/on-abort.js';
import type { OutboundHttpClient } from '../../platform/http/outbound-http-client.service.js';
import { traceHeaders } from '../../platform/telemetry/trace.js';
import { upstreamCalls } from './upstream-call.js';
import type { HttpEndpoint } from './mcp-target.js';

/** A stream that only listens is silent most of the time; one in the middle of which somebody is asked, for as long as it takes. */
const maxSilenceMs = 15 * 60_000;
const reconnection = {
  initialReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 30_000,
  maxRetries: Infinity,
};
/** After which the answer to a request is no longer waited for. */
const maxReconnectAttempts = 3;
/** Between which servers may say when they want to be asked again. */
const minReconnectMs = 100;
const maxReconnectMs = 30_000;

/** The SDK’s transport through our own way out. It tells a request’s journey how far the request came. */
export class HttpTransport extends StreamableHTTPClientTransport {
  private isListening = false;

  constructor(
    outboundHttpClient: OutboundHttpClient,
    { url, headers, wrapFetch: wrapFetch }: HttpEndpoint,
    timeoutMs: number,
  ) {
    const send: FetchLike = async (input, init) => {
      const upstreamCall = upstreamCalls.getStore();
      const given = new Headers(init?.headers);
      const carried = [...given, ...Object.entries(traceHeaders())] as [string, string][];
      const isGet = init?.method === 'GET';
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

  /** The SDK waits for an answer until its time is up, also where the line that could bring it is gone: here it is told. */
  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions): Promise<void> {
    const upstreamCall = upstreamCalls.getStore();
    if (!upstreamCall || Array.isArray(message) || !('method' in message && 'id' in message))
      return super.send(message, options);
    const { id } = message;
    upstreamCall.addPendingRequest(id);
    await super.send(message, {
      ...options,
      requestSignal: eitherSignal(upstreamCall.failed, options?.requestSignal),
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        upstreamCall.onStreamEnd(id);
      },
    });
    if (!upstreamCall.isStreamed) upstreamCall.onStreamEnd(id);
  }

  /** A stream that cannot be opened again, because the server forgot the session: nothing more is heard in it. */
  private onListenResponse({ ok, status }: Response): void {
    if (ok) this.isListening = true;
    else if (status === 404 && this.isListening) setImmediate(() => void this.close());
  }
}

/** Both last as long as one call: neither has to be let go. */
function eitherSignal(failed: AbortSignal, given?: AbortSignal): AbortSignal {
  const either = new AbortController();
  for (const signal of [failed, given]) if (signal) onAbort(signal, (reason) => either.abort(reason));
  return either.signal;
}

/** Streams that belong to no request are opened again for as long as the client lasts. */
const reconnectionScheduler: ReconnectionScheduler = (reconnect, delayMs, attempt) => {
  const upstreamCall = upstreamCalls.getStore();
  if (upstreamCall && attempt >= maxReconnectAttempts) return upstreamCall.onConnectionLost();
  const timer = setTimeout(reconnect, Math.min(Math.max(delayMs, minReconnectMs), maxReconnectMs)).unref();
  return () => clearTimeout(timer);
};
