import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Route = (request: IncomingMessage, response: ServerResponse) => void;

/** A website on this machine, whose answers a test sets by path and query. */
export class LocalSite {
  readonly routes = new Map<string, Route>();
  /** The largest number of requests at the same time. */
  maxConcurrent = 0;
  private concurrent = 0;
  readonly requests: { path: string; headers: IncomingMessage['headers'] }[] = [];
  fallback: Route = (_, response) => response.writeHead(404).end('Not found');

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      this.requests.push({ path: request.url!, headers: request.headers });
      this.maxConcurrent = Math.max(this.maxConcurrent, ++this.concurrent);
      response.on('close', () => this.concurrent--);
      (this.routes.get(request.url!) ?? this.fallback)(request, response);
    });
  }

  static async start(): Promise<LocalSite> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LocalSite(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get paths(): string[] {
    return this.requests.map(({ path }) => path);
  }

  serve(path: string, body: string | Buffer, headers: Record<string, string> = {}, status = 200): void {
    this.routes.set(path, (_, response) =>
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body),
    );
  }

  page(path: string, title: string, links: string[] = [], head = ''): void {
    const anchors = links.map((link) => `<a href="${link}">link</a>`).join(' ');
    this.serve(path, `<html><head>${head}</head><body><h1>${title}</h1><p>About ${title}.</p>${anchors}</body></html>`);
  }

  /** Answers a conditional request with status 304 as long as the validators are the same. */
  serveVersion(path: string, body: string | Buffer, headers: Record<string, string>): void {
    this.routes.set(path, (request, response) => {
      const { 'if-none-match': tags, 'if-modified-since': since } = request.headers;
      const isSame =
        tags === undefined ? since !== undefined && since === headers['last-modified'] : tags === headers.etag;
      response
        .writeHead(isSame ? 304 : 200, { 'content-type': 'text/html', ...headers })
        .end(isSame ? undefined : body);
    });
  }

  redirect(path: string, target: string, status = 302): void {
    this.serve(path, '', { location: target }, status);
  }

  sitemap(path: string, paths: string[], lastModified = '2026-03-04'): void {
    const entries = paths.map((one) => `<url><loc>${this.url}${one}</loc><lastmod>${lastModified}</lastmod></url>`);
    this.serve(path, `<?xml version="1.0"?><urlset>${entries.join('')}</urlset>`, {
      'content-type': 'application/xml',
    });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
