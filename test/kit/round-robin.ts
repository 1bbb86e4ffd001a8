import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * A simple proxy for several processes: each request goes to the next process, regardless of its sender. It skips
 * processes that refuse the connection and never resends a request.
 */
export class RoundRobinProxy {
  /** Base URLs of the processes. */
  targets: string[] = [];
  /** Requests by process and path. */
  readonly served = new Map<string, number>();
  private turn = 0;
  private readonly server = http.createServer((request, response) => void this.forward(request, response));

  static async start(): Promise<RoundRobinProxy> {
    const proxy = new RoundRobinProxy();
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async forward(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await buffer(request);
    for (let tried = 0; tried < this.targets.length; tried++) {
      const target = this.targets[this.turn++ % this.targets.length];
      const answer = await this.requestFrom(target, request, body, response);
      if (answer === 'nobody there') continue;
      if (answer) this.pipeResponse(answer, response);
      else response.destroy();
      return;
    }
    response.writeHead(503).end();
  }

  private requestFrom(
    target: string,
    { method, url, headers }: http.IncomingMessage,
    body: Buffer,
    response: http.ServerResponse,
  ): Promise<http.IncomingMessage | 'nobody there' | null> {
    return new Promise((resolve) => {
      const upstreamRequest = http.request(new URL(url!, target), { method, headers, agent: false });
      upstreamRequest.on('socket', (socket) => socket.once('connect', () => this.countRequest(target, url!)));
      upstreamRequest.on('response', resolve);
      upstreamRequest.on('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'ECONNREFUSED' ? 'nobody there' : null),
      );
      response.on('close', () => upstreamRequest.destroy());
      upstreamRequest.end(body);
    });
  }

  private pipeResponse(answer: http.IncomingMessage, response: http.ServerResponse): void {
    response.writeHead(answer.statusCode!, answer.headers);
    response.flushHeaders();
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  }

  private countRequest(target: string, url: string): void {
    const key = `${target} ${url.split('?')[0]}`;
    this.served.set(key, (this.served.get(key) ?? 0) + 1);
  }
}
