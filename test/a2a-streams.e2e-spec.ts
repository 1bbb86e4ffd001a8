import { status as grpcStatus } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MetricsService } from '../src/platform/telemetry/metrics.service.js';
import { type RunningServer, startServer } from '../src/server.js';
import { TaskFeedService } from '../src/tasks/task-feed.service.js';
import { eventBlocks } from './kit/event-stream.js';
import { GrpcBinding, sendParams, a2aWireTo } from './kit/a2a-bindings.js';
import type { Json } from './kit/a2a-clients.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';
import type { Wire } from './kit/wire.js';

const settings = { GRPC_PORT: '0', STREAM_KEEP_ALIVE_SECONDS: '1', LIMIT_STREAM_UNREAD_BYTES: '20000' };
let server: TestServer;
/** Acts as another process of the same cluster. */
let beside: RunningServer;
let fixture: SandboxFixture;
let wire: Wire;
let grpc: GrpcBinding;
beforeAll(async () => {
  server = await testServer(settings);
  beside = await startServer(testConfig(server.databaseUrl, server.folder, { ...settings, ROLE: 'web' }));
  fixture = await SandboxFixture.create(server);
  wire = fixture.wire();
  grpc = await GrpcBinding.to(fixture, server.url);
});
afterAll(async () => {
  grpc.close();
  await beside.close();
  await server.close();
});

interface ReceivedEvent {
  id: string;
  data: Json;
}
/** A stream with the ids of its events. */
class Listener {
  readonly events: ReceivedEvent[] = [];
  comments = 0;
  readonly ended: Promise<void>;

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {
    this.ended = this.listen();
  }

  static async to(at: Wire, [method, path, body]: Request, headers: Record<string, string> = {}): Promise<Listener> {
    const abort = new AbortController();
    return new Listener(await at.fetch(method, path, body, headers, abort.signal), abort);
  }

  /** All events, after the stream has ended. */
  async end(): Promise<ReceivedEvent[]> {
    await this.ended;
    return this.events;
  }

  async until(holds: (data: Json) => boolean): Promise<void> {
    while (!this.events.some(({ data }) => holds(data))) await rest();
  }

  leave(): void {
    this.abort.abort();
  }

  private async listen(): Promise<void> {
    try {
      for await (const block of eventBlocks(this.response)) {
        if (block.startsWith(':')) this.comments += 1;
        const [id, data] = ['id', 'data'].map((name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]);
        if (data) this.events.push({ id: id!, data: JSON.parse(data) });
      }
    } catch (error) {
      if (!this.abort.signal.aborted) throw error;
    }
  }
}
const rest = () => new Promise((resolve) => setTimeout(resolve, 10));

type Request = [method: string, path: string, body?: object];
const rpc = (method: string, params: object): Request => ['POST', '', { jsonrpc: '2.0', id: 1, method, params }];
interface Binding {
  stream(params: object): Request;
  subscribe(id: string): Request;
  /** The content of an event in the form of 1.0. */
  says(data: Json): Json;
}
const same = (data: Json): Json => data;
const sent03 = ({ message }: Json) => ({
  ...message,
  role: 'user',
  parts: message.parts.map((part: Json) => ({ kind: 'text' in part ? 'text' : 'data', ...part })),
});
const words03: Record<string, string> = {
  task: 'task',
  'status-update': 'statusUpdate',
  'artifact-update': 'artifactUpdate',
};
const bindings: Record<string, Binding> = {
  'JSON-RPC 1.0': {
    stream: (params) => rpc('SendStreamingMessage', params),
    subscribe: (id) => rpc('SubscribeToTask', { id }),
    says: ({ result, error }) => result ?? { error },
  },
  'HTTP+JSON 1.0': {
    stream: (params) => ['POST', '/a2a/message:stream', params],
    subscribe: (id) => ['POST', `/a2a/tasks/${id}:subscribe`],
    says: same,
  },
  'JSON-RPC 0.3': {
    stream: (params) => rpc('message/stream', { message: sent03(params) }),
    subscribe: (id) => rpc('tasks/resubscribe', { id }),
    says: ({ result, error }) => (result ? { [words03[result.kind]]: result } : { error }),
  },
  'HTTP+JSON 0.3': {
    stream: ({ message: { parts, ...message } }: Json) => {
      const content = parts.map((part: Json) => ('data' in part ? { data: { data: part.data } } : part));
      return ['POST', '/v1/message:stream', { message: { ...message, content } }];
    },
    subscribe: (id) => ['GET', `/v1/tasks/${id}:subscribe`],
    says: same,
  },
};

/** Two chunks of one artifact, and a second artifact at the end. */
const story = [
  { say: 'Once', after: 20 },
  { chunk: { artifactId: 'a', name: 'story', parts: 'upon ' }, after: 20 },
  { chunk: { artifactId: 'a', parts: 'a time', append: true, lastChunk: true }, after: 20 },
  { say: 'The end', after: 20 },
];
const ending = {
  complete: [
    { artifactId: 'a', name: 'story', parts: 'upon a time' },
    { artifactId: 'b', name: 'moral', parts: 'Be kind' },
  ],
};
const playOf = (...play: object[]) => sendParams('', { parts: [{ data: { play } }] });
const kindsOf = (events: Json[]) =>
  events.map(({ task, statusUpdate, artifactUpdate }) =>
    artifactUpdate ? artifactUpdate.artifact.artifactId : stateOf(task ?? statusUpdate),
  );
const stateOf = ({ status }: Json) => status.state.replace('TASK_STATE_', '').toUpperCase();

describe.each(Object.keys(bindings))('a stream over %s', (name) => {
  const binding = bindings[name];
  const says = (events: ReceivedEvent[]) => events.map(({ data }) => binding.says(data));
  const stream = (params: object, headers?: Record<string, string>) =>
    Listener.to(wire, binding.stream(params), headers);
  const subscribe = (id: string, seen?: string, at = wire) =>
    Listener.to(at, binding.subscribe(id), seen === undefined ? {} : { 'last-event-id': seen });
  const refused = async (id: string, seen: string): Promise<Json> => {
    const [method, path, body] = binding.subscribe(id);
    const text = await (await wire.fetch(method, path, body, { 'last-event-id': seen })).text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text); // 0.3 sends the error as a stream
  };

  it('has an id for each event and resumes after any of them', async () => {
    const all = await (await stream(playOf(...story, ending))).end();
    expect(kindsOf(says(all))).toEqual(['SUBMITTED', 'WORKING', 'WORKING', 'a', 'a', 'WORKING', 'b', 'COMPLETED']);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const { id } = binding.says(all[0].data).task;
    for (const [nth, { id: seen }] of all.slice(0, -1).entries())
      expect(await (await subscribe(id, seen)).end()).toEqual(all.slice(nth + 1));
    for (const seen of [all.at(-1)!.id, '999']) await expect(refused(id, seen)).resolves.toMatchObject(ended(name));
  });

  it('resumes at the reader’s position in a running task, on any process', async () => {
    const first = await stream(playOf({ wait: 100 }, ...story, { ask: 'And then?' }));
    const { task } = binding.says((await first.end())[0].data);
    const events = first.events;
    const there = a2aWireTo(fixture, beside.config.baseUrl);
    const back = await Promise.all([subscribe(task.id, events[0].id), subscribe(task.id, events[0].id, there)]);
    const last = await subscribe(task.id, events.at(-1)!.id, there);
    const ahead = await subscribe(task.id, '999');
    await wire.call(...rpc('SendMessage', sendParams('fail so', { taskId: task.id })));
    const [here, elsewhere] = await Promise.all(back.map((listener) => listener.end()));
    expect(elsewhere).toEqual(here);
    // The sender's last event was final for the sender, but not for readers that follow the task to its end.
    expect(here.slice(0, events.length - 2)).toEqual(events.slice(1, -1));
    expect(here[events.length - 2].id).toBe(events.at(-1)!.id);
    const rest = here.slice(events.length - 1);
    expect(kindsOf(says(rest))).toEqual(['SUBMITTED', 'WORKING', 'FAILED'].slice(-rest.length));
    expect(await last.end()).toEqual(rest);
    expect(await ahead.end()).toEqual(rest);
  });

  it('sends a late subscriber the current task and no earlier chunks', async () => {
    const first = await stream(playOf({ wait: 50 }, ...story, { ask: 'And then?' }, ending));
    const { task } = binding.says((await first.end())[0].data);
    const late = await subscribe(task.id);
    await late.until(() => true);
    await wire.call(...rpc('SendMessage', sendParams('Go on, please', { taskId: task.id })));
    const events = says(await late.end());
    expect(events[0].task.artifacts).toMatchObject([{ artifactId: 'a' }]);
    expect(kindsOf(events)[0]).toMatch(/INPUT.REQUIRED/);
    expect(kindsOf(events).slice(-2)).toEqual(['b', 'COMPLETED']);
    expect(kindsOf(events)).not.toContain('a');
  });

  it.each(['x', '-1', '1.2.3', '1e3', '1.', '9999999999'])('rejects "%s" as an event id', async (seen) => {
    await expect(refused('never', seen)).resolves.toMatchObject(invalid(name));
  });

  it('of a new message begins with its task and ignores Last-Event-ID', async () => {
    const events = says(await (await stream(sendParams('echo Hello'), { 'last-event-id': '2' })).end());
    expect(events[0]).toHaveProperty('task');
    expect(kindsOf(events).at(-1)).toBe('COMPLETED');
  });
});

describe('listeners of a task', () => {
  it('receive the same events in the same order in every binding on every process', async () => {
    const there = a2aWireTo(fixture, beside.config.baseUrl);
    const grpcThere = await GrpcBinding.to(fixture, beside.config.baseUrl);
    const begun = await grpc.send({
      ...playOf({ wait: 300 }, ...story, { ask: 'And then?' }),
      configuration: { returnImmediately: true },
    });
    const { id } = begun.result.task;
    const listeners = await Promise.all(
      Object.values(bindings).flatMap((binding) => [wire, there].map((at) => Listener.to(at, binding.subscribe(id)))),
    );
    const overGrpc = [grpc.follow(id), grpcThere.follow(id)];
    for (const listener of overGrpc)
      await listener.until(({ statusUpdate }) => /INPUT/.test(statusUpdate?.status.state));
    await wire.call(...rpc('SendMessage', sendParams('complete', { taskId: id })));
    const received = await Promise.all(listeners.map((listener) => listener.end()));
    for (let nth = 0; nth < received.length; nth += 2) {
      const [here, elsewhere] = [received[nth], received[nth + 1]].map(afterAt(3));
      expect(here.length).toBeGreaterThan(5);
      expect(elsewhere).toEqual(here);
    }
    const ids = received.map((events) => afterAt(3)(events).map((event) => event.id));
    for (const one of ids) expect(one).toEqual(ids[0]);
    const [ofHere, ofThere] = await Promise.all(
      overGrpc.map(async ({ events, ended }) => {
        expect(await ended).toBeUndefined();
        return events.slice(1);
      }),
    );
    const both = Math.min(ofHere.length, ofThere.length);
    expect(ofThere.slice(-both)).toEqual(ofHere.slice(-both));
    const newest = kindsOf(received[0].map(({ data }) => bindings['JSON-RPC 1.0'].says(data)));
    expect(kindsOf(ofHere).slice(-5)).toEqual(newest.slice(-5));
    grpcThere.close();
  });

  it('receive keep-alive comments', async () => {
    const listeners = await Promise.all(
      Object.values(bindings).map((binding) => Listener.to(wire, binding.stream(sendParams('wait 60')))),
    );
    for (const listener of listeners) await until(() => listener.comments > 0);
    for (const { events } of listeners) expect(events.length).toBeGreaterThan(0);
    listeners.forEach((listener) => listener.leave());
  });

  it('that disconnect release all resources, and the task continues', async () => {
    const { id } = (await grpc.send(returning('wait 60'))).result.task;
    const listeners = await Promise.all(
      Object.values(bindings).map((binding) => Listener.to(wire, binding.subscribe(id))),
    );
    const overGrpc = grpc.follow(id);
    await overGrpc.until(({ task }) => task);
    await until(async () => (await openStreams()) >= 5);
    listeners.forEach((listener) => listener.leave());
    overGrpc.call.cancel();
    await until(async () => (await openStreams()) === 0);
    await until(() => followers() === 0);
    await until(async () => stateOf((await grpc.get(id)).result) === 'WORKING');
    await grpc.cancel(id);
  });

  it('that disconnect during a blocking send release all resources at any time', async () => {
    for (const timeoutMs of [0, 1, 3, 10, 30, 100]) {
      for (const [method, path, body] of [
        rpc('SendMessage', sendParams('wait 60')),
        ['POST', '/a2a/message:send', sendParams('wait 60')] as Request,
      ]) {
        const abort = new AbortController();
        const response = wire.fetch(method, path, body, {}, abort.signal);
        setTimeout(() => abort.abort(), timeoutMs);
        await expect(response).rejects.toThrow('aborted');
      }
      const abort = new AbortController();
      setTimeout(() => abort.abort(), timeoutMs);
      await expect(grpc.send(sendParams('wait 60'), abort.signal)).resolves.toMatchObject({
        refusal: { code: grpcStatus.CANCELLED },
      });
    }
    await until(() => followers() === 0);
    const { tasks } = (await grpc.list({ status: 'TASK_STATE_WORKING' })).result;
    for (const { id } of tasks) await grpc.cancel(id);
  });
});

describe('a gRPC client that reads nothing', () => {
  it('is disconnected with an error and occupies its slot until it has read the error', async () => {
    const { id } = (await grpc.send(returning(`stream 150 0ms ${'x'.repeat(3000)}`))).result.task;
    const slow = grpc.follow(id);
    slow.call.pause();
    await until(async () => stateOf((await grpc.get(id)).result) === 'COMPLETED');
    await until(() => followers() === 0);
    await expect(openStreams()).resolves.toBe(1);
    slow.call.resume();
    await expect(slow.ended).resolves.toEqual({
      code: grpcStatus.RESOURCE_EXHAUSTED,
      message: expect.stringContaining('reads too slowly'),
    });
    expect(slow.events.length).toBeLessThan(100);
    await until(async () => (await openStreams()) === 0);
  });
});

const returning = (text: string) => sendParams(text, { configuration: { returnImmediately: true } });
const openStreams = async () => (await server.app.get(MetricsService).streams.get()).values[0].value;
const followers = () => server.app.get(TaskFeedService)['followers'].size;
/** Events after the update with this number. */
const afterAt =
  (number: number) =>
  (events: ReceivedEvent[]): ReceivedEvent[] =>
    events.filter(({ id }) => Number.parseFloat(id) > number);

const codes = { ended: [-32004, 'UNSUPPORTED_OPERATION'], invalid: [-32602, 'INVALID_PARAMS'] } as const;
const refusal = (name: string, [code, reason]: readonly [number, string]) => {
  if (name.startsWith('JSON-RPC')) return { error: { code } };
  return name.endsWith('0.3') ? { code } : { error: { code: 400, details: [{ reason }] } };
};
const ended = (name: string) => refusal(name, codes.ended);
const invalid = (name: string) => {
  const expected = refusal(name, codes.invalid);
  return name === 'HTTP+JSON 1.0' ? { error: { code: 400, status: 'INVALID_ARGUMENT' } } : expected;
};

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await rest();
}
