import {
  StreamableHTTPClientTransport,
  type FetchLike,
  type JSONRPCMessage,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import type { Outgoing } from '../../platform/http/outgoing.service.js';
import { traceHeaders } from '../../platform/telemetry/trace.js';
import { journeys } from './journey.js';
import type { HttpAddress } from './mcp-clients.service.js';

/** A stream that only listens is silent most of the time; one that somebody is asked in the middle of, for as long as it takes. */
const longestSilenceMs = 15 * 60_000;

/** The SDK's transport through our own way out; tells a request's journey how far it came. */
export class HttpTransport extends StreamableHTTPClientTransport {
  constructor(outgoing: Outgoing, { url, headers, through }: HttpAddress, timeoutMs: number) {
    const reach: FetchLike = async (input, init) => {
      const journey = journeys.getStore();
      const carried = [...new Headers(init?.headers), ...Object.entries(traceHeaders())] as [string, string][];
      const mayBeSilent = init?.method === 'GET' || journey?.conversation !== undefined;
      const response = await outgoing.fetch(input, {
        ...init,
        headers: carried,
        headersTimeoutMs: mayBeSilent ? longestSilenceMs : timeoutMs,
        idleTimeoutMs: mayBeSilent ? longestSilenceMs : timeoutMs,
        onSent: () => {
          if (journey) journey.isSent = true;
        },
      });
      if (journey && /^text\/event-stream/i.test(response.headers.get('content-type') ?? '')) journey.isStreamed = true;
      return response;
    };
    const fetch = through ? through(reach) : reach;
    super(url, { fetch, requestInit: { headers } });
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
      requestSignal: options?.requestSignal ? AbortSignal.any([journey.failed, options.requestSignal]) : journey.failed,
      onRequestStreamEnd: () => journey.losesLineOf(id),
    });
    if (!journey.isStreamed) journey.losesLineOf(id);
  }
}
