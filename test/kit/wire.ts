import type { Artifact } from '../../src/agent/agent-model.port.js';
import { AgentsService } from '../../src/configurations/agents.service.js';
import { KeysService } from '../../src/configurations/keys.service.js';
import type { TaskStatus } from '../../src/tasks/task.entity.js';
import { type Browser, formsOf } from './browser.js';
import { eventBlocks } from './event-stream.js';
import type { GateFixture } from './gate-fixture.js';

/** A raw client of the protocol with the key of the fixture's agent. `url`: of another server process. */
export const wireOf = (fixture: GateFixture, url: string): Wire =>
  new Wire(`${url}/agents/${fixture.configurationId}`, fixture.key);

/** Creates another agent of the same configuration. */
export async function anotherAgentIdentity(
  fixture: GateFixture,
  url: string,
  name = 'Stranger',
): Promise<{ wire: Wire; keyId: string }> {
  const admin = await fixture.principalOf();
  const agent = await fixture.get(AgentsService).create(admin, { configurationId: fixture.configurationId, name });
  const { a2aKey, key } = await fixture.get(KeysService).create(admin, agent.id);
  return { wire: new Wire(`${url}/agents/${fixture.configurationId}`, key), keyId: a2aKey.id };
}

export interface WireTask {
  id: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  history?: { role: string; parts: object[] }[];
}
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests know the type of the response
export type WireResponse<T = any> = { status: number; headers: Headers; body: T };

let counter = 0;
export const newTaskId = (): string => `task-${++counter}`;

/** A raw client of the protocol that returns responses unchanged. */
export class Wire {
  constructor(
    readonly base: string,
    readonly key: string,
  ) {}

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests know the type of the response
  async call<T = any>(
    method: string,
    path: string,
    body?: string | object,
    headers: Record<string, string> = {},
  ): Promise<WireResponse<T>> {
    const response = await this.fetch(method, path, body, headers);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : undefined) as T };
  }

  fetch(
    method: string,
    path: string,
    body?: string | object,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(this.base + path, {
      method,
      signal,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: typeof body === 'object' ? JSON.stringify(body) : body,
    });
  }

  send(id: string, ...parts: (string | object)[]): Promise<WireResponse<WireTask>> {
    return this.call('POST', '/tasks/send', messageOf(id, parts));
  }

  async get(id: string): Promise<WireTask> {
    return (await this.call<WireTask>('GET', `/tasks/${id}`)).body;
  }

  cancel(id: string): Promise<WireResponse<WireTask>> {
    return this.call('POST', `/tasks/${id}/cancel`);
  }

  /** Polls until the task has one of these states. Fails after two minutes with the last response. */
  async until(id: string, ...states: string[]): Promise<WireTask> {
    const deadline = Date.now() + 120_000;
    for (;;) {
      const task = await this.get(id);
      if (states.includes(task.status?.state)) return task;
      if (Date.now() > deadline)
        throw new Error(`task ${id} is ${JSON.stringify(task.status)}, not ${states.join(' or ')}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  subscribe(id: string, ...parts: (string | object)[]): Promise<WireStream> {
    return this.stream('POST', '/tasks/sendSubscribe', messageOf(id, parts));
  }

  events(id: string, lastEventId?: number): Promise<WireStream> {
    return this.stream(
      'GET',
      `/tasks/${id}/events`,
      undefined,
      lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) },
    );
  }

  private async stream(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<WireStream> {
    const abort = new AbortController();
    const response = await this.fetch(method, path, body, headers, abort.signal);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return new WireStream(response, abort);
  }
}

export const messageOf = (id: string, parts: (string | object)[]) => ({
  id,
  message: { role: 'user', parts: parts.map((part) => (typeof part === 'string' ? { text: part } : { data: part })) },
});

export interface StreamUpdate {
  event: string;
  number: number;
  data: WireTask & { final: boolean };
}

export class WireStream {
  readonly updates: StreamUpdate[] = [];
  comments = 0;
  isClosed = false;
  private readonly reading: Promise<void>;

  constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {
    this.reading = this.read();
  }

  get states(): string[] {
    return this.updates.map(({ data }) => data.status.state);
  }

  async until(state: string): Promise<StreamUpdate> {
    const deadline = Date.now() + 120_000;
    while (Date.now() < deadline) {
      const found = this.updates.findLast(({ data }) => data.status.state === state);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`the stream told ${this.states.join(', ')}, not ${state}`);
  }

  /** Resolves when the server closes the stream. */
  async end(): Promise<this> {
    await this.reading;
    return this;
  }

  close(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    try {
      for await (const block of eventBlocks(this.response)) this.take(block);
    } catch (error) {
      if (!this.abort.signal.aborted) throw error;
    } finally {
      this.isClosed = true;
    }
  }

  private take(block: string): void {
    if (block.startsWith(':')) return void (this.comments += 1);
    const fields = Object.fromEntries(
      block.split('\n').map((line) => /^(\w+): (.*)$/.exec(line)!.slice(1)) as [string, string][],
    );
    this.updates.push({
      event: fields.event,
      number: Number(fields.id),
      data: JSON.parse(fields.data) as StreamUpdate['data'],
    });
  }
}

/** Decides on the approval page, after unfolding all arguments. */
export async function decideApproval(
  browser: Browser,
  approvalId: string,
  decision: 'approve' | 'deny',
  reason = '',
): Promise<Response> {
  const path = `/approvals/${approvalId}`;
  const page = await (await browser.fetch(`${path}?open=all`)).text();
  const form = formsOf(page).find(({ hidden }) => hidden.decision === decision);
  if (!form) throw new Error(`the page offers no way to ${decision}: ${page.slice(0, 2000)}`);
  return browser.post(form.action, { ...form.hidden, reason });
}
