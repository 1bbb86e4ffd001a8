import type { ClientCapabilities, JSONRPCRequest, JSONRPCResponse, RequestId } from '@modelcontextprotocol/client';
import type { StdioListener } from './stdio-session.js';

/** The caller of a session, and what it can be asked for. */
export interface StdioCaller {
  listener: StdioListener;
  capabilities: ClientCapabilities;
}

/** A request to the child. Without a caller it is our own. */
export interface PendingRequest {
  caller?: StdioCaller;
  request: JSONRPCRequest;
  answered(response: JSONRPCResponse): void;
  failed(error: Error): void;
  /** Set when its caller no longer waits; the child may still be processing it. */
  abandonedAt?: number;
}

/** Methods during which a server may send requests. */
const interactiveMethods = ['tools/call', 'resources/read', 'prompts/get'];
/** The maximum duration of a call: until then, a question of an abandoned call must not reach another caller. */
const abandonedRequestMs = 5 * 60_000;

/** All requests that the child has not answered, by the ids that it knows. */
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

  /** Requests that a caller waits for. */
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
    pending.failed(new Error('the caller canceled it'));
  }

  /**
   * The only call that a request of the child can belong to. Undefined if several are possible: then no caller is
   * asked.
   */
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
