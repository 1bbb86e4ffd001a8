import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { type EventStore, isInitializeRequest, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from './serve.ts';
import type { Shelf } from './shelf.ts';

/** The older revisions: one server and one transport for a session, and its events kept for who comes back for them. */
export class Sessions {
  private readonly transports = new Map<string, NodeStreamableHTTPServerTransport>();
  private readonly shelf: Shelf;

  constructor(shelf: Shelf) {
    this.shelf = shelf;
  }

  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id'];
    const transport = typeof id === 'string' ? this.transports.get(id) : undefined;
    if (transport) return transport.handleRequest(request, response, body);
    if (id === undefined && isInitializeRequest(body))
      return (await this.open()).handleRequest(request, response, body);
    const [status, message] = id === undefined ? [400, 'There is no session.'] : [404, 'The session is gone.'];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } }));
  }

  async close(): Promise<void> {
    await Promise.all([...this.transports.values()].map((transport) => transport.close()));
  }

  private async open(): Promise<NodeStreamableHTTPServerTransport> {
    const { shelf, transports } = this;
    const server = serve(shelf);
    const tools = () => void server.sendToolListChanged().catch(() => {}); // who does not listen misses it
    const prompts = () => void server.sendPromptListChanged().catch(() => {});
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: events(),
      retryInterval: 500,
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => void transports.delete(id),
    });
    await server.connect(transport);
    shelf.on('tools', tools).on('prompts', prompts);
    server.onclose = () => void shelf.off('tools', tools).off('prompts', prompts);
    return transport;
  }
}

function events(): EventStore {
  const kept: { stream: string; message: JSONRPCMessage }[] = [];
  return {
    storeEvent: async (stream, message) => `${kept.push({ stream, message }) - 1}`,
    getStreamIdForEventId: async (id) => kept[Number(id)]?.stream,
    replayEventsAfter: async (last, { send }) => {
      const { stream } = kept[Number(last)];
      for (const [number, event] of kept.entries()) {
        const isPriming = !('jsonrpc' in event.message);
        if (number > Number(last) && event.stream === stream && !isPriming) await send(`${number}`, event.message);
      }
      return stream;
    },
  };
}
