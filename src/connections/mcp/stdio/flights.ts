import type { ClientCapabilities, JSONRPCRequest, JSONRPCResponse, RequestId } from '@modelcontextprotocol/client';
import type { Ear } from './line.js';

/** Who is at the other end of a line, and what can be asked there. */
export interface Caller {
  ear: Ear;
  capabilities: ClientCapabilities;
}

/** A request on its way to the child. Without a caller it is our own. */
export interface Flight {
  caller?: Caller;
  request: JSONRPCRequest;
  answered(response: JSONRPCResponse): void;
  failed(error: Error): void;
  /** Its caller does not wait any more; the child may be at it still. */
  abandonedAt?: number;
}

/** In these a server may ask back. */
const asking = ['tools/call', 'resources/read', 'prompts/get'];
/** As long as a call may take: what an abandoned one asks by then must not reach somebody else. */
const abandonedMs = 5 * 60_000;

/** Everything that the child has not answered, under the ids that it knows. */
export class Flights {
  private readonly flights = new Map<RequestId, Flight>();
  private lastId = 0;

  add(flight: Flight): number {
    this.flights.set(++this.lastId, flight);
    return this.lastId;
  }

  get(id: RequestId): Flight | undefined {
    return this.flights.get(id);
  }

  take(id: RequestId): Flight | undefined {
    const flight = this.flights.get(id);
    this.flights.delete(id);
    return flight;
  }

  takeAll(): Flight[] {
    const all = [...this.flights.values()];
    this.flights.clear();
    return all;
  }

  /** Those that a caller waits for. */
  waiting(): [RequestId, Flight][] {
    return [...this.flights].filter(([, { caller, abandonedAt }]) => caller && abandonedAt === undefined);
  }

  isWaitedFor(flight: Flight): boolean {
    return this.waiting().some(([, known]) => known === flight);
  }

  abandon(id: RequestId): void {
    const flight = this.flights.get(id);
    if (!flight) return;
    this.forgetAbandoned();
    flight.abandonedAt = Date.now();
    flight.request = { ...flight.request, params: undefined };
    flight.failed(new Error('its caller gave it up'));
  }

  /** The one call that the child can mean when it asks. Where it could mean another one, nobody may be asked. */
  only(): Flight | undefined {
    this.forgetAbandoned();
    const [one, ...others] = [...this.flights.values()].filter(({ request }) => asking.includes(request.method));
    return others.length || one?.abandonedAt !== undefined ? undefined : one;
  }
  private forgetAbandoned(): void {
    for (const [id, { abandonedAt = Infinity }] of this.flights)
      if (abandonedAt < Date.now() - abandonedMs) this.flights.delete(id);
  }
}
