import type { FetchLike } from '@modelcontextprotocol/client';
import type { Outgoing } from '../../platform/http/outgoing.service.js';

const limits = { headersTimeoutMs: 8_000, idleTimeoutMs: 8_000, maxBytes: 256 * 1024 };

/** For all requests of one attempt together: somebody waits for it. */
export function oauthFetch(outgoing: Outgoing, deadline: AbortSignal): FetchLike {
  const reach = outgoing.asFetch(limits);
  return (address, init) =>
    reach(address, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, deadline]) : deadline });
}
