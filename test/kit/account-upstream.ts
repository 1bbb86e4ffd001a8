import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, Server, type CallToolResult } from '@modelcontextprotocol/server';
import { AccountProvider } from './account-provider.js';

/** Faults of the upstream, until `behave()`. */
export interface AccountUpstreamFaults {
  /** Changes its protected resource metadata. */
  resource?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** Answers every request to the MCP endpoint. */
  respond?: (response: http.ServerResponse) => void;
}

/** A request to the MCP endpoint, with its token and the owner of the token. */
export interface UpstreamRequestRecord {
  method: string;
  authorization: string | undefined;
  sub: string | undefined;
  /** The requested JSON-RPC method. */
  rpcMethod: string | undefined;
}

/** A real MCP server that authenticates people by tokens of a real authorization server, both on this machine. */
export class AccountUpstream {
  readonly receivedRequests: UpstreamRequestRecord[] = [];
  private faults: AccountUpstreamFaults = {};
  private readonly server = http.createServer((request, response) => void this.serve(request, response));
  private readonly handle = createMcpHandler((context) => createNotesServer(context.authInfo?.extra?.sub as string));

  private constructor(readonly provider: AccountProvider) {}

  static async start(options: Parameters<typeof AccountProvider.start>[0] = {}): Promise<AccountUpstream> {
    const upstream = new AccountUpstream(await AccountProvider.start(options));
    upstream.server.listen(0, '127.0.0.1');
    await once(upstream.server, 'listening');
    upstream.provider.resource = upstream.url;
    return upstream;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  fail(faults: AccountUpstreamFaults): void {
    this.faults = faults;
  }

  clearFaults(): void {
    this.faults = {};
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await Promise.all([once(this.server, 'close'), this.provider.close()]);
  }

  private get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private get metadataUrl(): string {
    return `${this.origin}/.well-known/oauth-protected-resource/mcp`;
  }

  private async serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (request.url === '/.well-known/oauth-protected-resource/mcp') return this.sendMetadata(response);
    if (request.url !== '/mcp') return void response.writeHead(404).end();
    const { authorization } = request.headers;
    const person = await this.provider.tokenOwner(authorization);
    const web = await toWebRequest(request);
    const text = await web.clone().text();
    const asked = /"method":"([^"]+)"/.exec(text)?.[1];
    this.receivedRequests.push({ method: request.method!, authorization, sub: person?.sub, rpcMethod: asked });
    if (this.faults.respond) return this.faults.respond(response);
    if (!person) return this.challenge(response, 401, { scope: 'notes:read' });
    if (text.includes('"write_note"') && !person.scope.includes('notes:write'))
      return this.challenge(response, 403, { error: 'insufficient_scope', scope: 'notes:write' });
    const authInfo = { token: '', clientId: '', scopes: person.scope.split(' '), extra: { sub: person.sub } };
    await sendWebResponse(response, await this.handle.fetch(web, { authInfo }));
  }

  private challenge(response: http.ServerResponse, status: number, details: Record<string, string>): void {
    const parameters = Object.entries({ resource_metadata: this.metadataUrl, ...details }).map(
      ([n, v]) => `${n}="${v}"`,
    );
    response.writeHead(status, { 'www-authenticate': `Bearer ${parameters.join(', ')}` }).end();
  }

  private sendMetadata(response: http.ServerResponse): void {
    const metadata = {
      resource: this.url,
      authorization_servers: [this.provider.issuer],
      scopes_supported: ['notes:read', 'notes:write'],
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(this.faults.resource?.(metadata) ?? metadata));
  }
}

async function sendWebResponse(response: http.ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, [...answer.headers].flat());
  for await (const chunk of answer.body ?? []) response.write(chunk);
  response.end();
}

const emptyObjectSchema = { type: 'object', properties: {}, additionalProperties: false } as const;

/** Its tool returns the subject of the token. */
function createNotesServer(sub: string): Server {
  const server = new Server({ name: 'notes', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: ['whoami', 'write_note'].map((name) => ({
      name,
      description: 'Of a person.',
      inputSchema: emptyObjectSchema,
    })),
  }));
  server.setRequestHandler('tools/call', ({ params }): CallToolResult => ({
    content: [{ type: 'text', text: `${params.name} of ${sub}` }],
  }));
  return server;
}
