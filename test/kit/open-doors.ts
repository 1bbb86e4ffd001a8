import { newId } from '../../src/platform/crypto/ids.js';
import { eventBlocks } from './event-stream.js';
import type { SandboxHouse } from './sandbox.js';

/* The open protocol by hand, as test kits speak it: what is sent is what stands here, and answers are shown as they came. */

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test knows what it asked for
export type Json = any;
export interface Sent {
  messageId?: string;
  taskId?: string;
  contextId?: string;
  text?: string;
  parts?: object[];
  configuration?: object;
}
/** `error` is the code of the binding. */
export interface Answered {
  result?: Json;
  error?: number;
}

/** One binding of version 1.0. */
export interface Door {
  send(sent: Sent): Promise<Answered>;
  stream(sent: Sent): Promise<Events>;
  get(id: string, historyLength?: number): Promise<Answered>;
  list(query: Record<string, string | number | boolean>): Promise<Answered>;
  cancel(id: string): Promise<Answered>;
  subscribe(id: string): Promise<Events>;
}

const paramsOf = ({ messageId = newId(), text = 'Hello', parts, configuration, ...ids }: Sent) => ({
  message: { role: 'ROLE_USER', messageId, parts: parts ?? [{ text }], ...ids },
  ...(configuration ? { configuration } : {}),
});

export class JsonRpcDoor implements Door {
  private readonly url: string;
  private readonly headers: Record<string, string>;

  constructor({ configurationId, key }: SandboxHouse, url: string, version: '1.0' | '0.3' = '1.0') {
    this.url = `${url}/agents/${configurationId}/`;
    this.headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(version === '1.0' ? { 'a2a-version': version } : {}),
    };
  }

  async call(method: string, params: object): Promise<Answered> {
    const { result, error } = (await (await this.post(method, params)).json()) as Json;
    return error ? { error: error.code } : { result };
  }

  async events(method: string, params: object): Promise<Events> {
    const response = await this.post(method, params);
    return new Events(response, ({ result, error }) => (error ? { error: error.code } : result));
  }

  send = (sent: Sent) => this.call('SendMessage', paramsOf(sent));
  stream = (sent: Sent) => this.events('SendStreamingMessage', paramsOf(sent));
  get = (id: string, historyLength?: number) => this.call('GetTask', { id, historyLength });
  list = (query: object) => this.call('ListTasks', query);
  cancel = (id: string) => this.call('CancelTask', { id });
  subscribe = (id: string) => this.events('SubscribeToTask', { id });

  private post(method: string, params: object): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return fetch(this.url, { method: 'POST', headers: this.headers, body });
  }
}

export class HttpDoor implements Door {
  private readonly url: string;
  private readonly headers: Record<string, string>;

  constructor({ configurationId, key }: SandboxHouse, url: string) {
    this.url = `${url}/agents/${configurationId}/a2a`;
    this.headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'a2a-version': '1.0' };
  }

  send = (sent: Sent) => this.ask('POST', '/message:send', paramsOf(sent));
  stream = (sent: Sent) => this.events('POST', '/message:stream', paramsOf(sent));
  get = (id: string, historyLength?: number) =>
    this.ask('GET', `/tasks/${id}${historyLength === undefined ? '' : `?historyLength=${historyLength}`}`);
  list = (query: Record<string, string | number | boolean>) =>
    this.ask(
      'GET',
      `/tasks?${new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]))}`,
    );
  cancel = (id: string) => this.ask('POST', `/tasks/${id}:cancel`, {});
  subscribe = (id: string) => this.events('POST', `/tasks/${id}:subscribe`);

  private async ask(method: string, path: string, body?: object): Promise<Answered> {
    const response = await this.fetch(method, path, body);
    const answer = (await response.json()) as Json;
    return response.ok ? { result: answer } : { error: answer.error.code };
  }

  private async events(method: string, path: string, body?: object): Promise<Events> {
    return new Events(await this.fetch(method, path, body), (event) => event as Json);
  }

  private fetch(method: string, path: string, body?: object): Promise<Response> {
    return fetch(this.url + path, { method, headers: this.headers, body: body && JSON.stringify(body) });
  }
}

/** What a stream told, in order. */
export class Events {
  readonly seen: Json[] = [];
  isClosed = false;
  readonly ended: Promise<void>;

  constructor(
    readonly response: Response,
    private readonly read: (event: Json) => Json,
  ) {
    this.ended = this.follow();
  }

  /** Resolves with what came, once the server has closed it. */
  async end(): Promise<Json[]> {
    await this.ended;
    return this.seen;
  }

  async until(holds: (event: Json) => boolean): Promise<Json> {
    for (;;) {
      const found = this.seen.find(holds);
      if (found) return found;
      if (this.isClosed) throw new Error(`the stream ended with ${JSON.stringify(this.seen)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  private async follow(): Promise<void> {
    const type = this.response.headers.get('content-type') ?? '';
    if (!type.startsWith('text/event-stream')) {
      this.seen.push(this.read(await this.response.json()));
    } else {
      for await (const block of eventBlocks(this.response)) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data) this.seen.push(this.read(JSON.parse(data)));
      }
    }
    this.isClosed = true;
  }
}
