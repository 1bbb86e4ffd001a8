import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server, type ServerCapabilities, type ServerContext } from '@modelcontextprotocol/server';

/** The features of a test server. It declares only the features that are set. */
export interface UpstreamFeatures {
  tools?: object[];
  call?(name: string, args: Record<string, unknown>, context: ServerContext, server: Server): unknown;
  resources?: {
    list(cursor?: string): object;
    read(uri: string, context: ServerContext): object;
    templates?(): object;
  };
  prompts?: {
    list(cursor?: string): object;
    get(name: string, args: Record<string, string>, context: ServerContext): object;
  };
  complete?(params: object): object;
  capabilities?: ServerCapabilities;
  /** Adds handlers to every server instance. */
  prepare?(server: Server): void;
}

export const upstreamTool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
export const toolTextResult = (text: string) => ({ content: [{ type: 'text', text }] });

type UpstreamHandler = (req: http.IncomingMessage, res: http.ServerResponse, body?: unknown) => void;

/** A message from a client. A GET has no JSON-RPC method. */
export interface ReceivedMessage {
  id?: number | string;
  method?: string;
  params?: { name?: string; _meta?: Record<string, unknown> };
}

/** An in-process upstream built with the official packages, with handlers of the test. */
export class McpUpstream {
  readonly requests: http.IncomingMessage[] = [];
  calls: { name: string; arguments?: object; _meta?: Record<string, unknown> }[] = [];
  handler: UpstreamHandler = (_req, res) => res.writeHead(404).end();
  /** Sends a faulty response instead of the server's. Returns true if it did. */
  fault?: (message: ReceivedMessage, res: http.ServerResponse, req: http.IncomingMessage) => boolean;
  private readonly server = http.createServer((req, res) => {
    this.requests.push(req);
    void this.serve(req, res);
  });

  static async start(): Promise<McpUpstream> {
    const upstream = new McpUpstream();
    await new Promise<void>((resolve) => upstream.server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Drops all open connections and keeps listening. */
  dropConnections(): void {
    this.server.closeAllConnections();
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  forgetRequests(): void {
    this.requests.length = 0;
    this.calls = [];
  }

  /** A server of the current, stateless protocol. `handler` notifies its listeners of changes. */
  serveStateless(features: UpstreamFeatures): ReturnType<typeof createMcpHandler> {
    const handler = createMcpHandler(() => this.createServer(features));
    const serve = toNodeHandler(handler);
    this.handler = (req, res, body) => void serve(req, res as never, body);
    return handler;
  }

  /** A server of the 2025 protocol with in-memory sessions. `forget` simulates a restart. */
  serveSessions(features: UpstreamFeatures): {
    servers: Server[];
    /** Resolves when the client has opened the stream of notifications. What a server sends before is lost. */
    listening(server: Server): Promise<void>;
    forget(): void;
  } {
    const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
    const servers: Server[] = [];
    const streams = new Map<unknown, PromiseWithResolvers<void>>();
    const serve = async (req: http.IncomingMessage, res: http.ServerResponse, body: unknown) => {
      const id = req.headers['mcp-session-id'];
      if (typeof id === 'string' && !sessions.has(id)) return void res.writeHead(404).end();
      let transport = sessions.get(String(id));
      if (!transport) {
        const fresh = new NodeStreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (session) => void sessions.set(session, fresh),
        });
        transport = fresh;
        const server = this.createServer(features);
        await server.connect(transport);
        streams.set(transport, Promise.withResolvers());
        servers.push(server);
      }
      if (req.method === 'GET') void untilHeadersSent(res).then(streams.get(transport)!.resolve);
      await transport.handleRequest(req, res, body);
    };
    this.handler = (req, res, body) => void serve(req, res, body);
    const listening = (server: Server) => streams.get(server.transport)?.promise ?? new Promise<void>(() => undefined);
    const forget = () => {
      for (const transport of sessions.values()) void transport.close();
      sessions.clear();
    };
    return { servers, listening, forget };
  }

  private async serve(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    if (!this.fault) return this.handler(req, res);
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = chunks.length ? (JSON.parse(Buffer.concat(chunks).toString()) as ReceivedMessage) : undefined;
    if (!this.fault(body ?? {}, res, req)) this.handler(req, res, body);
  }

  private createServer(features: UpstreamFeatures): Server {
    const { tools, call, resources, prompts, complete, capabilities, prepare } = features;
    const server = new Server(
      { name: 'upstream', version: '1' },
      {
        capabilities: {
          ...(tools && { tools: {} }),
          ...(resources && { resources: {} }),
          ...(prompts && { prompts: {} }),
          ...(complete && { completions: {} }),
          ...capabilities,
        },
      },
    );
    if (tools) {
      server.setRequestHandler('tools/list', () => ({ tools: features.tools as never[] }));
      server.setRequestHandler('tools/call', async ({ params }, context) => {
        this.calls.push(params);
        return ((await call?.(params.name, params.arguments ?? {}, context, server)) ??
          toolTextResult('done')) as never;
      });
    }
    if (resources) {
      server.setRequestHandler('resources/list', ({ params }) => resources.list(params?.cursor) as never);
      server.setRequestHandler(
        'resources/templates/list',
        () => (resources.templates?.() ?? { resourceTemplates: [] }) as never,
      );
      server.setRequestHandler('resources/read', ({ params }, context) => resources.read(params.uri, context) as never);
    }
    if (prompts) {
      server.setRequestHandler('prompts/list', ({ params }) => prompts.list(params?.cursor) as never);
      server.setRequestHandler(
        'prompts/get',
        ({ params }, context) => prompts.get(params.name, params.arguments ?? {}, context) as never,
      );
    }
    if (complete) server.setRequestHandler('completion/complete', ({ params }) => complete(params) as never);
    prepare?.(server);
    return server;
  }
}

async function untilHeadersSent(response: http.ServerResponse): Promise<void> {
  while (!response.headersSent && !response.destroyed) await sleep(5);
}
