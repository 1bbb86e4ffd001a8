import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { SimulatorFaults } from './simulator-faults.ts';
import type { SimulatorFault } from './simulator-faults.ts';
import { WebhookSender } from './webhook-sender.ts';

export interface SimulatedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  /** The parts of the path that the route names with ":". */
  params: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** Parsed JSON. Undefined if the body is empty or not JSON. */
  body: unknown;
  /** The unparsed body. */
  text: string;
  /** The address under which the client reached the simulator, for links. */
  origin: string;
}

export interface SimulatedReply {
  /** Default: 200. */
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON. Undefined: no body. */
  body?: unknown;
}

export type SimulatedHandler = (request: SimulatedRequest) => SimulatedReply | Promise<SimulatedReply>;

export interface LoggedRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  headers: IncomingHttpHeaders;
  /** 0 while the request runs, and after an injected fault. */
  status: number;
}

interface Route {
  method: string;
  pattern: RegExp;
  names: string[];
  handler: SimulatedHandler;
}

/** Handlers throw it to reply immediately. */
export class SimulatedRefusal extends Error {
  readonly reply: SimulatedReply;

  constructor(reply: SimulatedReply) {
    super(`the simulator answers with ${reply.status ?? 200}`);
    this.reply = reply;
  }
}

/** The HTTP server under every simulator, which adds the routes of its vendor. */
export class HttpSimulator {
  readonly faults = new SimulatorFaults();
  readonly webhooks = new WebhookSender();
  /** The last 50,000 requests. */
  readonly requests: LoggedRequest[] = [];
  /** Answers requests that are not for an API, for example of git. True if it does. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  /** Runs before the route, to check credentials and rate limits. If it returns a reply, the route does not run. */
  before: (request: SimulatedRequest) => SimulatedReply | undefined = () => undefined;
  /** Adds headers to the replies of routes, for example the remaining quota. */
  headersOf: (request: SimulatedRequest) => Record<string, string> = () => ({});
  /** Runs after the route, for example to refund the quota of a 304. */
  after: (request: SimulatedRequest, reply: SimulatedReply) => void = () => undefined;
  /** The answer for an unknown path. */
  unknownRoute: SimulatedReply = { status: 404, body: { message: 'Not Found' } };
  private readonly routes: Route[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      if (this.intercept(request, response)) return;
      this.serve(request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else send(response, error instanceof SimulatedRefusal ? error.reply : failure(error));
      });
    });
  }

  /** "GET", "/repos/:owner/:repo/issues". A part ":path*" also matches slashes. The first matching route wins. */
  route(method: string, path: string, handler: SimulatedHandler): this {
    const names: string[] = [];
    const pattern = path.replace(/[.+()]/g, '\\$&').replace(/:(\w+)(\*?)/g, (_, name: string, isLong: string) => {
      names.push(name);
      return isLong ? '(.+)' : '([^/]+)';
    });
    this.routes.push({ method, pattern: new RegExp(`^${pattern}$`), names, handler });
    return this;
  }

  async start(port = 0): Promise<this> {
    await once(this.server.listen(port, '127.0.0.1'), 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await this.webhooks.settled();
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  /** The number of matching requests, for tests that limit the requests of a connector. */
  count(path: RegExp, method?: string): number {
    return this.requests.filter((one) => path.test(one.path) && (!method || one.method === method)).length;
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const origin = `http://${incoming.headers.host ?? new URL(this.url).host}`;
    const { pathname: path, searchParams: query } = new URL(incoming.url ?? '/', origin);
    const text = await textOf(incoming);
    const method = incoming.method ?? 'GET';
    const { headers } = incoming;
    const request: SimulatedRequest = { method, path, query, params: {}, headers, body: parsed(text), text, origin };
    const logged = { method, path, query: Object.fromEntries(query), body: request.body, headers, status: 0 };
    if (this.requests.push(logged) > 50_000) this.requests.shift();

    const fault = this.faults.take(method, path);
    if (fault?.kind === 'delay') await after(fault.ms);
    const isServed = !fault || ['delay', 'cut', 'half'].includes(fault.kind);
    const reply = isServed ? await this.answer(request) : undefined;
    if (fault && fault.kind !== 'delay') return fail(fault, response, reply);
    logged.status = reply!.status ?? 200;
    send(response, reply!);
  }

  private async answer(request: SimulatedRequest): Promise<SimulatedReply> {
    try {
      const early = this.before(request);
      if (early) return early;
      const reply = await this.dispatch(request);
      this.after(request, reply);
      return { ...reply, headers: { ...this.headersOf(request), ...reply.headers } };
    } catch (error) {
      if (!(error instanceof SimulatedRefusal)) throw error;
      return { ...error.reply, headers: { ...this.headersOf(request), ...error.reply.headers } };
    }
  }

  private async dispatch(request: SimulatedRequest): Promise<SimulatedReply> {
    for (const { method, pattern, names, handler } of this.routes) {
      const match = method === request.method ? pattern.exec(request.path) : null;
      if (!match) continue;
      const params = Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(match[at + 1])]));
      return handler({ ...request, params });
    }
    return this.unknownRoute;
  }
}

async function fail(fault: SimulatorFault, response: ServerResponse, reply?: SimulatedReply): Promise<void> {
  if (fault.kind === 'status') return send(response, fault);
  if (fault.kind === 'hang') return void (await once(response, 'close'));
  if (fault.kind === 'html') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back in a moment</h1>');
    return;
  }
  // the request was executed, but the client receives only half of the response
  const whole = JSON.stringify(reply?.body ?? null);
  const half = whole.slice(0, Math.ceil(whole.length / 2));
  if (fault.kind === 'half') {
    response.writeHead(200, jsonType).end(half);
    return;
  }
  response.writeHead(200, { ...jsonType, 'content-length': String(Buffer.byteLength(whole) + 1) });
  response.write(half, () => response.destroy());
}

const jsonType = { 'content-type': 'application/json; charset=utf-8' };

function send(response: ServerResponse, { status = 200, headers, body }: SimulatedReply): void {
  if (body === undefined) response.writeHead(status, headers).end();
  else response.writeHead(status, { ...jsonType, ...headers }).end(JSON.stringify(body));
}

const failure = (error: unknown): SimulatedReply => ({
  status: 500,
  body: { message: `The simulator failed: ${error instanceof Error ? error.stack : String(error)}` },
});

function parsed(text: string): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
