import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

type Reply = object | ((request: IncomingMessage, response: ServerResponse) => void);

/** A server that answers the command line with anything: what a real one never sends, or only after a fault. */
export class FakeCliServer {
  /** The answers by path, without the query. */
  readonly replies = new Map<string, Reply>();
  readonly requests: { path: string; headers: IncomingMessage['headers'] }[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<FakeCliServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const fake = new FakeCliServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => fake.answer(request, response));
    return fake;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url!.split('?')[0];
    this.requests.push({ path, headers: request.headers });
    const reply = this.replies.get(path);
    request.resume();
    if (typeof reply === 'function') return reply(request, response);
    response.writeHead(reply ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply ?? {}));
  }
}

/** A problem as the server sends it. */
export const problem =
  (status: number, code: string, more: object = {}) =>
  (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ title: code, status, detail: `Because of ${code}.`, code, ...more }));
  };
