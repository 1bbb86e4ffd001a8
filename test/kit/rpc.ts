const version = '2026-07-28';

/** `body`: the response. `messages`: all messages of the stream, with the response last. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests know the type of the response
export type RpcAnswer = { status: number; headers: Headers; body: any; messages: any[] };

interface Sent {
  headers?: Record<string, string | undefined>;
  capabilities?: object;
  signal?: AbortSignal;
}

/** A raw client of `/v1/mcp` with one access token. It can send requests that no real client would send. */
export class Rpc {
  constructor(
    readonly url: string,
    readonly token: string,
  ) {}

  /** A request of the current protocol version. */
  call(
    method: string,
    params: Record<string, unknown> = {},
    { headers, capabilities = {}, signal }: Sent = {},
  ): Promise<RpcAnswer> {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, _meta: { ...envelope(capabilities), ...(params._meta as object) } },
    };
    const name = params.name ?? params.uri ?? params.taskId;
    const standard = {
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
    };
    return this.post(JSON.stringify(message), { ...standard, ...headers }, signal);
  }

  async post(
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string | undefined> = {},
    signal?: AbortSignal,
  ): Promise<RpcAnswer> {
    const all = {
      authorization: `Bearer ${this.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const response = await fetch(`${this.url}/v1/mcp`, { method: 'POST', headers: given, body, signal });
    const messages = messagesIn(await response.text());
    return { status: response.status, headers: response.headers, body: messages.at(-1), messages };
  }
}

export const envelope = (capabilities: object) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

function messagesIn(text: string): unknown[] {
  if (!text) return [];
  if (!text.startsWith('event:') && !text.startsWith(':')) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data) as unknown);
}
