import type { ClientCapabilities, JSONRPCRequest, JSONRPCResponse, RequestId } from '@modelcontextprotocol/client';
import type { StdioListener } from './stdio-session.js';

/** Who is at the other end of a line, and what can be asked there. */
export interface StdioCaller {
  listener: StdioListener;
  capabilities: ClientCapabilities;
}

/** A request on its way to the child. Without a caller it is our own. */
export interface PendingRequest {
  caller?: StdioCaller;
  request: JSONRPCRequest;
  answered(response: JSONRPCResponse): void;
  failed(error: Error): void;
  /** Its caller does not wait any more; the child may be at it still. */
  abandonedAt?: number;
}

/** In these a server may ask back. */
const interactiveMethods = ['tools/call', 'resources/read', 'prompts/get'];
/** As long as a call may take: what an abandoned one asks by then must not reach somebody else. */
const abandonedRequestMs = 5 * 60_000;

/** Everything that the child has not answered, under the ids that it knows. */
export class PendingRequests {
  private readonly requests = new Map<RequestId, PendingRequest>();
  private lastId = 0;

  add(pending: PendingRequest): number {
    this.requests.set(++this.lastId, pending);
    return this.lastId;
  }

  get(id: RequestId): PendingRequest | undefined {
    return this.requests.get(id);
  }

  take(id: RequestId): PendingRequest | undefined {
    const pending = this.requests.get(id);
    this.requests.delete(id);
    return pending;
  }

  takeAll(): PendingRequest[] {
    const all = [...this.requests.values()];
    this.requests.clear();
    return all;
  }

  /** Those that a caller waits for. */
  awaited(): [RequestId, PendingRequest][] {
    return [...this.requests].filter(([, { caller, abandonedAt }]) => caller && abandonedAt === undefined);
  }

  isAwaited(pending: PendingRequest): boolean {
    return this.awaited().some(([, known]) => known === pending);
  }

  abandon(id: RequestId): void {
    const pending = this.requests.get(id);
    if (!pending) return;
    this.deleteAbandoned();
    pending.abandonedAt = Date.now();
    pending.request = { ...pending.request, params: undefined };
    pending.failed(new Error('its caller gave it up'));
  }

  /** The one call that the child can mean when it asks. Where it could mean another one, nobody may be asked. */
  onlyInteractive(): PendingRequest | undefined {
    this.deleteAbandoned();
    const [one, ...others] = [...this.requests.values()].filter(({ request }) =>
      interactiveMethods.includes(request.method),
    );
    return others.length || one?.abandonedAt !== undefined ? undefined : one;
  }
  private deleteAbandoned(): void {
    for (const [id, { abandonedAt = Infinity }] of this.requests)
      if (abandonedAt < Date.now() - abandonedRequestMs) this.requests.delete(id);
  }
}
