import type { FetchLike } from '@modelcontextprotocol/client';
import type { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';

const oauthFetchLimits = { headersTimeoutMs: 8_000, idleTimeoutMs: 8_000, maxBytes: 256 * 1024 };

/** One deadline for all requests of a sign-in together, because a person is waiting. */
export function oauthFetch(outboundHttpClient: OutboundHttpClient, deadline: AbortSignal): FetchLike {
  const send = outboundHttpClient.asFetch(oauthFetchLimits);
  return (address, init) =>
    send(address, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline });
}
