import { newId } from '../../src/platform/crypto/ids.js';
import { eventBlocks } from './event-stream.js';
import type { SandboxFixture } from './sandbox-fixture.js';

/* Raw A2A clients, like those of test kits: they send exactly what is written here and return replies unchanged. */

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests know the type of the response
export type Json = any;
export interface A2aMessageInput {
  messageId?: string;
  taskId?: string;
  contextId?: string;
  text?: string;
  parts?: object[];
  configuration?: object;
}
/** `error`: the error code of the binding. */
export interface A2aReply {
  result?: Json;
  error?: number;
}

/** A client of one binding of A2A 1.0. */
export interface A2aClient {
  send(sent: A2aMessageInput): Promise<A2aReply>;
  stream(sent: A2aMessageInput): Promise<A2aEventStream>;
  get(id: string, historyLength?: number): Promise<A2aReply>;
  list(query: Record<string, string | number | boolean>): Promise<A2aReply>;
  cancel(id: string): Promise<A2aReply>;
  subscribe(id: string): Promise<A2aEventStream>;
}

const messageParams = ({ messageId = newId(), text = 'Hello', parts, configuration, ...ids }: A2aMessageInput) => ({
  message: { role: 'ROLE_USER', messageId, parts: parts ?? [{ text }], ...ids },
  ...(configuration ? { configuration } : {}),
});

export class JsonRpcA2aClient implements A2aClient {
  private readonly url: string;
  private readonly headers: Record<string, string>;

  constructor({ configurationId, key }: SandboxFixture, url: string, version: '1.0' | '0.3' = '1.0') {
    this.url = `${url}/agents/${configurationId}/`;
    this.headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(version === '1.0' ? { 'a2a-version': version } : {}),
    };
  }

  async call(method: string, params: object): Promise<A2aReply> {
    const { result, error } = (await (await this.post(method, params)).json()) as Json;
    return error ? { error: error.code } : { result };
  }

  async events(method: string, params: object): Promise<A2aEventStream> {
    const response = await this.post(method, params);
    return new A2aEventStream(response, ({ result, error }) => (error ? { error: error.code } : result));
  }

  send = (sent: A2aMessageInput) => this.call('SendMessage', messageParams(sent));
  stream = (sent: A2aMessageInput) => this.events('SendStreamingMessage', messageParams(sent));
  get = (id: string, historyLength?: number) => this.call('GetTask', { id, historyLength });
  list = (query: object) => this.call('ListTasks', query);
  cancel = (id: string) => this.call('CancelTask', { id });
  subscribe = (id: string) => this.events('SubscribeToTask', { id });

  private post(method: string, params: object): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return fetch(this.url, { method: 'POST', headers: this.headers, body });
  }
}

export class HttpA2aClient implements A2aClient {
  private readonly url: string;
  private readonly headers: Record<string, string>;

  constructor({ configurationId, key }: SandboxFixture, url: string) {
    this.url = `${url}/agents/${configurationId}/a2a`;
    this.headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'a2a-version': '1.0' };
  }

  send = (sent: A2aMessageInput) => this.request('POST', '/message:send', messageParams(sent));
  stream = (sent: A2aMessageInput) => this.events('POST', '/message:stream', messageParams(sent));
  get = (id: string, historyLength?: number) =>
    this.request('GET', `/tasks/${id}${historyLength === undefined ? '' : `?historyLength=${historyLength}`}`);
  list = (query: Record<string, string | number | boolean>) =>
    this.request(
      'GET',
      `/tasks?${new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]))}`,
    );
  cancel = (id: string) => this.request('POST', `/tasks/${id}:cancel`, {});
  subscribe = (id: string) => this.events('POST', `/tasks/${id}:subscribe`);

  private async request(method: string, path: string, body?: object): Promise<A2aReply> {
    const response = await this.fetch(method, path, body);
    const answer = (await response.json()) as Json;
    return response.ok ? { result: answer } : { error: answer.error.code };
  }

  private async events(method: string, path: string, body?: object): Promise<A2aEventStream> {
    return new A2aEventStream(await this.fetch(method, path, body), (event) => event as Json);
  }

  private fetch(method: string, path: string, body?: object): Promise<Response> {
    return fetch(this.url + path, { method, headers: this.headers, body: body && JSON.stringify(body) });
  }
}

/** The events of a stream, in order. */
export class A2aEventStream {
  readonly events: Json[] = [];
  isClosed = false;
  readonly completion: Promise<void>;

  constructor(
    readonly response: Response,
    private readonly read: (event: Json) => Json,
  ) {
    this.completion = this.readAll();
  }

  /** Resolves with all events when the server closes the stream. */
  async end(): Promise<Json[]> {
    await this.completion;
    return this.events;
  }

  async until(holds: (event: Json) => boolean): Promise<Json> {
    for (;;) {
      const found = this.events.find(holds);
      if (found) return found;
      if (this.isClosed) throw new Error(`the stream ended with ${JSON.stringify(this.events)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  private async readAll(): Promise<void> {
    const type = this.response.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream')) {
      this.events.push(this.read(await this.response.json()));
    } else {
      for await (const block of eventBlocks(this.response)) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data) this.events.push(this.read(JSON.parse(data)));
      }
    }
    this.isClosed = true;
  }
}
