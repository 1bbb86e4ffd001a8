import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A loopback proxy in front of a server: the suites can send no credential, so it adds one, and changes nothing else. */
export class Proxy {
  private readonly server = http.createServer((request, response) => this.pass(request, response));
  private target?: { url: URL; token: string };

  static async start(): Promise<Proxy> {
    const proxy = new Proxy();
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** `localhost`, as one scenario wants it. */
  get url(): string {
    return `http://localhost:${this.port}/mcp`;
  }

  lead(url: string, token: string): void {
    this.target = { url: new URL(url), token };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { url, token } = this.target!;
    const { method, headers } = request;
    const onward = http.request(url, { method, headers: { ...headers, authorization: `Bearer ${token}` } });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => void (response.writableFinished || onward.destroy()));
    request.pipe(onward);
  }
}
