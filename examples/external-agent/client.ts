/*
 * A complete client for an external agent: plain HTTP requests with fetch and no dependencies.
 * Copy this file into any project that runs on Node 20 or newer, Deno, Bun or a browser.
 */

export interface Card {
  name: string;
  description: string;
  url: string;
  skills: { id: string; name: string; description?: string }[];
  capabilities: { streaming: boolean; pushNotifications: boolean };
}
export type Part = { text: string } | { data: unknown } | { url: string; mediaType?: string };
export interface Artifact {
  artifactId: string;
  name: string;
  description?: string;
  parts: Part[];
}
export interface Status {
  state: 'submitted' | 'working' | 'input-required' | 'completed' | 'failed' | 'canceled' | 'rejected';
  timestamp: string;
  message?: { role: 'agent'; parts: { text: string }[] };
  metadata?: {
    reason: 'approval' | 'information';
    approvalId?: string;
    tool?: string;
    expiresAt?: string;
    missing?: string[];
  };
  error?: { code: string; detail: string; callId?: string };
}
export interface Task {
  id: string;
  status: Status;
  artifacts?: Artifact[];
}
export interface Update extends Task {
  final: boolean;
  /** For Last-Event-ID, if the stream breaks here. */
  number: string;
}

/** An error response; `problem` is its RFC 9457 body, with a JSON pointer for each fault of invalid input. */
export class Refused extends Error {
  readonly status: number;
  readonly problem: { code: string; detail: string; errors?: { pointer: string; detail: string }[] };

  constructor(status: number, problem: Refused['problem']) {
    super(`${status} ${problem.code}: ${problem.detail}`);
    this.name = 'Refused';
    this.status = status;
    this.problem = problem;
  }
}

const ended = new Set<Status['state']>(['completed', 'failed', 'canceled', 'rejected']);
export const hasEnded = (task: Task): boolean => ended.has(task.status.state);

export class RemoteAgent {
  readonly #base: string;
  readonly #key: string;

  /** `base` is `{a2a_url}/agents/{config_id}`, `key` the configuration's `cs_a2a_…`. */
  constructor(base: string, key: string) {
    this.#base = base.replace(/\/+$/, '');
    this.#key = key;
  }

  card(): Promise<Card> {
    return this.#json('GET', '/.well-known/agent.json');
  }

  /** Returns once the task is stored. Sending the same id with the same parts again is safe and creates no second task. */
  send(id: string, parts: Part[]): Promise<Task> {
    return this.#json('POST', '/tasks/send', { id, message: { role: 'user', parts } });
  }

  get(id: string): Promise<Task> {
    return this.#json('GET', `/tasks/${encodeURIComponent(id)}`);
  }

  cancel(id: string): Promise<Task> {
    return this.#json('POST', `/tasks/${encodeURIComponent(id)}/cancel`);
  }

  list(
    query: { state?: Status['state']; limit?: string; cursor?: string } = {},
  ): Promise<{ tasks: Task[]; nextCursor: string | null }> {
    return this.#json('GET', `/tasks?${new URLSearchParams(query)}`);
  }

  /** Polls until the task ends or, with `untilInput`, until it waits for input. */
  async poll(id: string, { everyMs = 500, untilInput = false } = {}): Promise<Task> {
    for (;;) {
      const task = await this.get(id);
      if (hasEnded(task) || (untilInput && task.status.state === 'input-required')) return task;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  /** All updates from the first to the final one; reconnects when the connection breaks. */
  async *sendSubscribe(id: string, parts: Part[]): AsyncGenerator<Update> {
    const body = { id, message: { role: 'user', parts } };
    yield* this.#updates(await this.#request('POST', '/tasks/sendSubscribe', body), id, '');
  }

  /** The updates after the one with this number; from the beginning without it. */
  async *events(id: string, lastEventId = ''): AsyncGenerator<Update> {
    yield* this.#updates(await this.#resume(id, lastEventId), id, lastEventId);
  }

  async *#updates(first: Response, id: string, from: string): AsyncGenerator<Update> {
    let response = first;
    let last = from;
    for (;;) {
      try {
        for await (const event of serverSentEvents(response)) {
          if (event.name !== 'task_update') continue;
          last = event.id;
          const update = { ...(JSON.parse(event.data) as Task & { final: boolean }), number: event.id };
          yield update;
          if (update.final) return;
        }
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // fetch throws it when a connection breaks
      }
      response = await this.#resume(id, last);
    }
  }

  async #resume(id: string, lastEventId: string): Promise<Response> {
    for (let pauseMs = 200; ; pauseMs = Math.min(5000, pauseMs * 2)) {
      try {
        return await this.#request('GET', `/tasks/${encodeURIComponent(id)}/events`, undefined, {
          'Last-Event-ID': lastEventId,
        });
      } catch (error) {
        const isPassing = error instanceof TypeError || (error instanceof Refused && error.status >= 500);
        if (!isPassing) throw error;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  async #json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.#request(method, path, body);
    return (await response.json()) as T;
  }

  async #request(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#key}`, ...more };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const response = await fetch(this.#base + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (response.ok) return response;
    throw new Refused(response.status, (await response.json()) as Refused['problem']);
  }
}

/** Parses the lines of an event stream (HTML standard, section 9.2.6), without comments. */
async function* serverSentEvents(response: Response): AsyncGenerator<{ name: string; id: string; data: string }> {
  let rest = '';
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        const event = { name: 'message', id: '', data: '' };
        for (const line of block.split('\n')) {
          const [, field, text] = /^(\w+): ?(.*)$/.exec(line) ?? [];
          if (field === 'event') event.name = text;
          if (field === 'id') event.id = text;
          if (field === 'data') event.data += text;
        }
        if (event.data) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // the connection may already be closed
  }
}
