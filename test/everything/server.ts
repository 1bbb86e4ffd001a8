import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { serve } from './serve.ts';
import { Sessions } from './sessions.ts';
import { Shelf } from './shelf.ts';

/** Which revisions it speaks: one of the two generations, or both. */
export type Era = 'modern' | 'legacy' | 'both';

export interface Everything {
  url: string;
  shelf: Shelf;
  close(): Promise<void>;
}

/** A server with the fixtures of the public conformance suites, on this machine only. */
export async function everything({ port = 0, era = 'both' }: { port?: number; era?: Era } = {}): Promise<Everything> {
  const shelf = new Shelf();
  const sessions = new Sessions(shelf);
  const handler = createMcpHandler(() => serve(shelf), { legacy: 'reject' });
  const modern = toNodeHandler(handler);
  shelf.on('tools', () => handler.notify.toolsChanged()).on('prompts', () => handler.notify.promptsChanged());
  const isLocal = [localhostHostValidation(), localhostOriginValidation()];

  const server = http.createServer((request, response) => {
    if (isLocal.every((check) => check(request, response))) void answer(request, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    shelf,
    close: async () => {
      await Promise.all([handler.close(), sessions.close()]);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = request.method === 'POST' ? await json(request).catch(() => undefined) : undefined;
    if (await isForSession(request, body)) await sessions.handle(request, response, body);
    else await modern(request, response, body);
  }

  async function isForSession(request: IncomingMessage, body: unknown): Promise<boolean> {
    if (era !== 'both') return era === 'legacy';
    return isLegacyRequest(await toWebRequest(request, body ?? null), body);
  }
}
