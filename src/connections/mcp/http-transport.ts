import {
  StreamableHTTPClientTransport,
  type FetchLike,
  type JSONRPCMessage,
  type ReconnectionScheduler,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { follow } from '../../platform/events/follow.js';
import type { Outgoing } from '../../platform/http/outgoing.service.js';
import { traceHeaders } from '../../platform/telemetry/trace.js';
import { journeys } from './journey.js';
import type { HttpAddress } from './mcp-target.js';

/** A stream that only listens is silent most of the time; one in the middle of which somebody is asked, for as long as it takes. */
const longestSilenceMs = 15 * 60_000;
const reconnection = {
  initialReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 30_000,
  maxRetries: Infinity,
};
/** After which the answer to a request is no longer waited for. */
const mostAttempts = 3;
/** Between which servers may say when they want to be asked again. */
const shortestPauseMs = 100;
const longestPauseMs = 30_000;

/** The SDK’s transport through our own way out. It tells a request’s journey how far the request came. */
export class HttpTransport extends StreamableHTTPClientTransport {
  private isListening = false;

  constructor(outgoing: Outgoing, { url, headers, through }: HttpAddress, timeoutMs: number) {
    const reach: FetchLike = async (input, init) => {
      const journey = journeys.getStore();
      const given = new Headers(init?.headers);
      const carried = [...given, ...Object.entries(traceHeaders())] as [string, string][];
      const isGet = init?.method === 'GET';
      const listensOnly = isGet || given.get('mcp-method') === 'subscriptions/listen';
      const silenceMs = listensOnly || journey?.conversation ? longestSilenceMs : timeoutMs;
      const response = await outgoing.fetch(input, {
        ...init,
        headers: carried,
        headersTimeoutMs: silenceMs,
        idleTimeoutMs: silenceMs,
        onSent: () => {
          if (journey) journey.isSent = true;
        },
      });
      if (journey && /^text\/event-stream/i.test(response.headers.get('content-type') ?? '')) journey.isStreamed = true;
      if (isGet) this.hasListened(response);
      return response;
    };
    super(url, {
      fetch: through ? through(reach) : reach,
      requestInit: { headers },
      reconnectionOptions: reconnection,
      reconnectionScheduler,
    });
  }

  /** The SDK waits for an answer until its time is up, also where the line that could bring it is gone: here it is told. */
  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: TransportSendOptions): Promise<void> {
    const journey = journeys.getStore();
    if (!journey || Array.isArray(message) || !('method' in message && 'id' in message))
      return super.send(message, options);
    const { id } = message;
    journey.waitsFor(id);
    await super.send(message, {
      ...options,
      requestSignal: untilEither(journey.failed, options?.requestSignal),
      onRequestStreamEnd: () => {
        options?.onRequestStreamEnd?.();
        journey.losesLineOf(id);
      },
    });
    if (!journey.isStreamed) journey.losesLineOf(id);
  }

  /** A stream that cannot be opened again, because the server forgot the session: nothing more is heard in it. */
  private hasListened({ ok, status }: Response): void {
    if (ok) this.isListening = true;
    else if (status === 404 && this.isListening) setImmediate(() => void this.close());
  }
}

/** Both last as long as one call: neither has to be let go. */
function untilEither(failed: AbortSignal, given?: AbortSignal): AbortSignal {
  const either = new AbortController();
  for (const signal of [failed, given]) if (signal) follow(signal, (reason) => either.abort(reason));
  return either.signal;
}

/** Streams that belong to no request are opened again for as long as the client lasts. */
const reconnectionScheduler: ReconnectionScheduler = (reconnect, delayMs, attempt) => {
  const journey = journeys.getStore();
  if (journey && attempt >= mostAttempts) return journey.losesAllLines();
  const timer = setTimeout(reconnect, Math.min(Math.max(delayMs, shortestPauseMs), longestPauseMs)).unref();
  return () => clearTimeout(timer);
};
