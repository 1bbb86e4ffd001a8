import { setTimeout as sleep } from 'node:timers/promises';

/** Ways in which real servers fail, switched on by a test: `POST /faults {"fault":"slow","ms":500,"times":1}`. */
export const faults = [
  'slow', // answers, but late
  'hang', // takes the call and is never heard of again; nothing is done
  'hang-after', // does it, then is never heard of again
  'drop', // does it, then the line goes dead
  'die', // does it, then the process is gone
  'rubbish', // answers with something that is no JSON-RPC
  'huge', // answers with 15 MB
  'error', // 500 from something in front
  'unauthorized',
  'change-tools', // other definitions than a moment ago
] as const;

export interface Fault {
  fault: (typeof faults)[number];
  ms?: number;
  /** How often; omitted: until switched off. */
  times?: number;
  /** Of tool calls only (the default), or of whatever is asked. */
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
