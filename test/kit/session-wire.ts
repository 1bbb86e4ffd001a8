import { setTimeout as rest } from 'node:timers/promises';
import { eventBlocks } from './event-stream.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests know the type of the response
type Body = any;

export interface McpReplyEvent {
  id?: string;
  retry?: string;
  /** Undefined for an event without a message. */
  message?: Body;
}

/** A raw client of `/v1/mcp` for protocol versions with sessions, at one or several processes. */
export class SessionWire {
  session?: string;
  private last = 0;

  constructor(
    readonly url: string,
    readonly token: string,
    readonly version = '2025-11-25',
  ) {}

  /** The same session, at another process or with another token. */
  at(url: string, { token = this.token, session = this.session } = {}): SessionWire {
    return Object.assign(new SessionWire(url, token, this.version), { session });
  }

  async begin(capabilities: object = {}): Promise<this> {
    const answer = await this.request('initialize', {
      protocolVersion: this.version,
      capabilities,
      clientInfo: { name: 'by hand', version: '1.0.0' },
    });
    if (answer.status !== 200) throw new Error(`no session: ${answer.status} ${JSON.stringify(await answer.body())}`);
    this.session = answer.headers.get('mcp-session-id')!;
    await answer.body();
    await (await this.notify('notifications/initialized')).body();
    return this;
  }

  request(method: string, params: object = {}, id: string | number = ++this.last): Promise<McpReply> {
    return this.post({ jsonrpc: '2.0', id, method, params });
  }

  call(name: string, args: object = {}, more: object = {}): Promise<McpReply> {
    return this.request('tools/call', { name, arguments: args, ...more });
  }

  notify(method: string, params: object = {}): Promise<McpReply> {
    return this.post({ jsonrpc: '2.0', method, params });
  }

  respond(id: unknown, result: object): Promise<McpReply> {
    return this.post({ jsonrpc: '2.0', id, result });
  }

  post(message: object, headers: Record<string, string> = {}): Promise<McpReply> {
    const body = JSON.stringify(message);
    return this.send(
      'POST',
      { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
      body,
    );
  }

  listen(lastEventId?: string): Promise<McpReply> {
    const last: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return this.send('GET', { accept: 'text/event-stream', ...last });
  }

  end(): Promise<McpReply> {
    return this.send('DELETE');
  }

  private async send(method: string, headers: Record<string, string> = {}, body?: string): Promise<McpReply> {
    const abort = new AbortController();
    const own: Record<string, string> = this.session
      ? { 'mcp-session-id': this.session, 'mcp-protocol-version': this.version }
      : {};
    const all = { authorization: `Bearer ${this.token}`, ...own, ...headers };
    const response = await fetch(`${this.url}/v1/mcp`, { method, headers: all, body, signal: abort.signal });
    return new McpReply(response, abort);
  }
}

/** A reply: one message, or a stream that is read as it arrives. */
export class McpReply {
  readonly events: McpReplyEvent[] = [];
  comments = 0;
  isClosed = false;
  private reading?: Promise<void>;

  constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {
    if (this.isStream) this.reading = this.read();
  }

  get status(): number {
    return this.response.status;
  }
  get headers(): Headers {
    return this.response.headers;
  }
  get isStream(): boolean {
    return this.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  }
  get messages(): Body[] {
    return this.events.flatMap(({ message }) => (message === undefined ? [] : [message as unknown]));
  }
  get lastId(): string {
    return this.events.findLast(({ id }) => id)!.id!;
  }

  /** The single message, or the last message of an ended stream. */
  async body(): Promise<Body> {
    if (this.isStream) return (await this.end()).messages.at(-1);
    const text = await this.response.text();
    return text ? JSON.parse(text) : undefined;
  }

  async until(found: (event: McpReplyEvent) => boolean, ms = 10_000): Promise<McpReplyEvent> {
    const deadline = Date.now() + ms;
    while (Date.now() < deadline) {
      const event = this.events.find(found);
      if (event) return event;
      await rest(5);
    }
    throw new Error(`the stream told ${JSON.stringify(this.events)}`);
  }

  untilMethod(method: string): Promise<McpReplyEvent> {
    return this.until(({ message }) => message?.method === method);
  }

  /** Resolves when the server closes the stream. */
  async end(): Promise<this> {
    await this.reading;
    return this;
  }

  disconnect(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    try {
      for await (const block of eventBlocks(this.response)) this.take(block);
    } catch (error) {
      // aborted by the test, or cut off by the end of the process
      if (!this.abort.signal.aborted && (error as Error).name !== 'TypeError') throw error;
    } finally {
      this.isClosed = true;
    }
  }

  private take(block: string): void {
    if (block.startsWith(':')) return void (this.comments += 1);
    const fields = Object.fromEntries(
      block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line)!.slice(1)) as [string, string][],
    );
    const { id, retry, data } = fields;
    this.events.push({ id, retry, message: data ? (JSON.parse(data) as unknown) : undefined });
  }
}
