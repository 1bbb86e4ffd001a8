import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface LocalRequest {
  method: string;
  path: string;
  body: string;
}
type Answer = (request: LocalRequest) => Response | Promise<Response>;

/** An HTTP server for this machine only, which refuses requests that pages of other origins send. */
export class LocalServer {
  private readonly server = createServer((request, response) => {
    this.serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  private readonly answer: Answer;

  private constructor(answer: Answer) {
    this.answer = answer;
  }

  static async start(port: number, answer: Answer): Promise<LocalServer> {
    const local = new LocalServer(answer);
    local.server.listen(port, '127.0.0.1');
    await once(local.server, 'listening');
    return local;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, origin = this.url } = request.headers;
    if (`http://${host}` !== this.url || origin !== this.url) return void response.writeHead(403).end();
    const body = await text(request);
    const answer = await this.answer({ method: request.method!, path: request.url!, body });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  }
}

export const escaped = (value: string): string =>
  value.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

/** A page that shows new content by itself, unless somebody is typing into it. */
export const htmlPage = (title: string, body: string, { refreshes = true } = {}): Response =>
  new Response(
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refreshes ? '<meta http-equiv="refresh" content="2">' : ''}
<title>${escaped(title)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733; }
  article { border: 1px solid #ccd5dd; border-radius: .5rem; padding: 0 1rem .75rem; margin: 1rem 0; }
  pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; }
  button { font: inherit; padding: .25rem 1rem; }
  form { display: inline; }
</style>
<h1>${escaped(title)}</h1>
${body}
</html>`,
    { headers: { 'content-type': 'text/html; charset=utf-8' } },
  );
