import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttp, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';

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
  private readonly backend = path.join(
    execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(),
    'git-http-backend',
  );

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
    this.answer(request, response, body, pathname, searchParams.toString(), fault);
  }

  /** The part of CGI (RFC 3875) that http-backend uses. */
  private answer(
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    pathname: string,
    query: string,
    fault: GitServerFault | null,
  ): void {
    const child = spawn(this.backend, [], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: this.options.root,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
        REQUEST_METHOD: method,
        PATH_INFO: decodeURIComponent(pathname),
        QUERY_STRING: query,
        CONTENT_TYPE: headers['content-type'] ?? '',
        CONTENT_LENGTH: String(body.length),
        HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    response.on('close', () => child.kill('SIGKILL'));
    child.stdin.on('error', () => undefined); // the response shows whether the backend has failed
    child.stdin.end(body);
    let head = Buffer.alloc(0);
    let sent = 0;
    let isHanging = false;
    const send = (chunk: Buffer) => {
      if (isHanging || !chunk.length) return;
      const part = fault?.body ? fault.body(chunk, sent) : chunk;
      if (!part) return void (isHanging = true);
      sent += part.length;
      response.write(part);
    };
    child.stdout.on('data', (chunk: Buffer) => {
      if (response.headersSent) return send(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      let status = 200;
      for (const line of head.subarray(0, end).toString().split('\r\n')) {
        const [, name, value] = /^([^:]+): (.*)$/.exec(line)!;
        if (name === 'Status') status = Number(value.slice(0, 3));
        else response.setHeader(name, value);
      }
      response.writeHead(status);
      send(head.subarray(end + 4));
    });
    child.stdout.on('end', () => void (isHanging || response.end()));
  }
}
