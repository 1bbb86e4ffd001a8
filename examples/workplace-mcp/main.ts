import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { localhostHostValidation, localhostOriginValidation, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Faults } from './faults.ts';
import type { Fault } from './faults.ts';
import { ticketText, workplaceServer } from './server.ts';
import { Store } from './store.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8090' },
    state: { type: 'string' },
    token: { type: 'string' },
    faults: { type: 'boolean', default: false },
    stdio: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const usage = `Tickets and chat of a small robotics company, as an MCP server.

  npx node run.js examples/workplace-mcp/main.ts [--port 8090] [--state file] [--token secret] [--faults]
  npx node run.js examples/workplace-mcp/main.ts --stdio [--state file]

  --state   store tickets, messages and arrivals in this file; otherwise they are lost at exit
  --token   require this bearer token
  --faults  let tests enable faults: POST /faults {"fault": "slow", "ms": 500, "times": 1}
`;

const store = new Store(values.state);
if (values.help) process.stdout.write(usage);
else if (values.stdio) serveStdio(() => workplaceServer(store));
else await serveHttp(Number(values.port));

async function serveHttp(port: number): Promise<void> {
  const faults = new Faults();
  let origin = '';
  const mcp = createMcpHandler(() => workplaceServer(store, { origin, hasChangedTools: faults.hasChangedTools }));
  const hasLocalHost = localhostHostValidation();
  const hasLocalOrigin = localhostOriginValidation();

  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (!hasLocalHost(req, res) || !hasLocalOrigin(req, res)) return;
    const path = new URL(req.url ?? '/', origin).pathname;
    if (path === '/mcp') return serveMcp(req, res);
    if (path === '/arrivals')
      return send(res, Response.json({ count: store.arrivals.length, arrivals: store.arrivals }));
    if (path === '/faults' && values.faults && req.method === 'POST') {
      faults.set((await new Response(Readable.toWeb(req) as ReadableStream).json()) as Fault);
      return send(res, new Response(null, { status: 204 }));
    }
    if (path === '/faults' && values.faults && req.method === 'DELETE') {
      faults.set(undefined);
      return send(res, new Response(null, { status: 204 }));
    }
    send(res, page(path));
  };

  const serveMcp = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (values.token && req.headers.authorization !== `Bearer ${values.token}`) {
      return send(res, new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } }));
    }
    const gone = new AbortController();
    res.on('close', () => gone.abort());
    const request = await toWebRequest(req, undefined, { signal: gone.signal });
    const response = await faults.around(await request.clone().text(), () => mcp.fetch(request));
    if (response) send(res, response);
    else req.socket.destroy();
  };

  const server = createServer((req, res) => {
    handle(req, res).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      if (!res.headersSent) res.writeHead(500).end();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.stdout.write(`Workplace MCP server: ${origin}/mcp\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
}

/** The pages that links in responses lead to, as plain text. */
function page(path: string): Response {
  const [, place, name] = path.split('/');
  const ticket = place === 'tickets' && name ? store.tickets.get(name) : undefined;
  if (ticket) return new Response(ticketText(ticket), { headers: { 'content-type': 'text/plain; charset=utf-8' } });
  const said = place === 'channels' ? store.messages.filter(({ channel }) => channel === name) : [];
  if (!said.length) return new Response('Not found. The MCP server is at /mcp.\n', { status: 404 });
  return new Response(said.map(({ id, at, author, text }) => `[${id}] ${at} ${author}: ${text}\n`).join(''), {
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });
}

function send(res: ServerResponse, response: Response): void {
  res.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) return void res.end();
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  body.on('error', () => res.destroy());
  res.on('close', () => body.destroy());
  body.pipe(res);
}
