import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { answerWithGit } from '../../examples/simulators/git-http-backend.js';

interface GitServerOptions {
  /** The folder of the repositories. */
  root: string;
  /** Basic authentication. Default: public. */
  user?: string;
  password?: string;
  tls?: { key: string; cert: string };
  /** Default: 127.0.0.1. */
  address?: string;
}

/** Handles a request instead of git, or changes the response of git. */
interface GitServerFault {
  /** Default: every request. */
  path?: RegExp;
  answer?(response: ServerResponse, request: IncomingMessage): void;
  /** Called with each part of the body. Null: the rest is never sent. */
  body?(chunk: Buffer, sentBytes: number): Buffer | null;
}

/** Serves repositories with `git http-backend`, with authentication and faults. */
export class GitServer {
  fault: GitServerFault | null = null;
  readonly requests: { method: string; path: string; user: string | null; body: string }[] = [];

  private constructor(
    private readonly server: Server,
    private readonly options: GitServerOptions,
  ) {}

  static async start(options: GitServerOptions): Promise<GitServer> {
    const server = options.tls ? createHttps(options.tls) : createHttp();
    const started = new GitServer(server, options);
    server.on('request', (request, response) => void started.handle(request, response));
    server.listen(0, options.address ?? '127.0.0.1');
    await once(server, 'listening');
    return started;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(name: string): string {
    const { tls, address = '127.0.0.1' } = this.options;
    return `${tls ? 'https' : 'http'}://${address.includes(':') ? `[${address}]` : address}:${this.port}/${name}`;
  }

  /** Simulates a network failure. */
  dropConnections(): void {
    this.server.closeAllConnections();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
    const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const given = basic === undefined ? null : Buffer.from(basic, 'base64').toString();
    const body = await buffer(request);
    this.requests.push({ method: request.method!, path: request.url!, user: given, body: body.toString('latin1') });
    const fault = this.fault && (this.fault.path ?? /./).test(request.url!) ? this.fault : null;
    if (fault?.answer) return fault.answer(response, request);
    const { user, password } = this.options;
    if (password !== undefined && given !== `${user ?? 'x-access-token'}:${password}`) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('Unauthorized');
      return;
    }
    const transform = fault?.body?.bind(fault);
    answerWithGit(request, response, {
      root: this.options.root,
      pathname,
      query: searchParams.toString(),
      body,
      transform,
    });
  }
}
