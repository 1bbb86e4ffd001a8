import { setTimeout as sleep } from 'node:timers/promises';

/** Failures of real servers, enabled by a test: `POST /faults {"fault":"slow","ms":500,"times":1}`. */
export const faults = [
  'slow', // responds late
  'hang', // accepts the call, does nothing and never responds
  'hang-after', // executes the call and never responds
  'drop', // executes the call, then closes the connection
  'die', // executes the call, then the process exits
  'rubbish', // responds with invalid JSON-RPC
  'huge', // responds with 15 MB
  'error', // 503 from a proxy
  'unauthorized',
  'change-tools', // changed tool definitions
] as const;

export interface Fault {
  fault: (typeof faults)[number];
  ms?: number;
  /** How often; omitted: until disabled. */
  times?: number;
  /** Applies to tool calls only (the default) or to all requests. */
  on?: 'calls' | 'everything';
  /** Only for requests with this text. */
  containing?: string;
}

export class Faults {
  private active: Fault | undefined;

  set(fault: Fault | undefined): void {
    this.active = fault;
  }

  get hasChangedTools(): boolean {
    return this.active?.fault === 'change-tools';
  }

  /** Serves a request with the fault that is switched on; undefined: the line is to be cut without an answer. */
  async around(request: string, serve: () => Promise<Response>): Promise<Response | undefined> {
    const fault = this.take(request);
    switch (fault?.fault) {
      case 'slow':
        await sleep(fault.ms ?? 1000);
        return serve();
      case 'hang':
        return sleep(600_000, undefined, { ref: false });
      case 'hang-after':
        await serve();
        return sleep(600_000, undefined, { ref: false });
      case 'drop':
        await serve();
        return undefined;
      case 'die':
        await serve();
        return process.exit(1);
      case 'rubbish':
        return new Response('{"jsonrpc": "2.0", "result": [[[', { headers: { 'content-type': 'application/json' } });
      case 'huge':
        return new Response(
          `{"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":"${'x'.repeat(15_000_000)}"}]}}`,
          {
            headers: { 'content-type': 'application/json' },
          },
        );
      case 'error':
        return new Response('upstream connect error', { status: 503 });
      case 'unauthorized':
        return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
      default:
        return serve();
    }
  }

  private take(request: string): Fault | undefined {
    const fault = this.active;
    if (!fault || !request.includes(fault.containing ?? '')) return undefined;
    if (fault.on !== 'everything' && !request.includes('"tools/call"')) return undefined;
    if (fault.times !== undefined && --fault.times <= 0) this.active = undefined;
    return fault;
  }
}
