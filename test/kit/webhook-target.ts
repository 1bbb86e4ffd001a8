import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}
type Answer = (response: ServerResponse, request: ReceivedRequest) => void;

/** An HTTP server that stores requests and answers them as the test says: the next answers first, then 204. */
export class WebhookTarget {
  readonly received: ReceivedRequest[] = [];
  readonly nextAnswers: Answer[] = [];
  answer: Answer = (response) => response.writeHead(204).end();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookTarget> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      response.on('error', () => undefined);
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const received = { path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() };
        self.received.push(received);
        (self.nextAnswers.shift() ?? self.answer)(response, received);
      });
    });
    const self = new WebhookTarget(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return self;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

export const json =
  (body: object, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end();
