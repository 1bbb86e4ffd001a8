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
/** Another process of the same cluster, as far as anybody can tell. */
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

interface Told {
  id: string;
  data: Json;
}
/** A stream with the ids of its events. */
class Listener {
  readonly told: Told[] = [];
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

  /** All that it was told, once it is over. */
  async end(): Promise<Told[]> {
    await this.ended;
    return this.told;
  }

  async until(holds: (data: Json) => boolean): Promise<void> {
    while (!this.told.some(({ data }) => holds(data))) await rest();
  }

  leave(): void {
    this.abort.abort();
  }

  private async listen(): Promise<void> {
    try {
      for await (const block of eventBlocks(this.response)) {
        if (block.startsWith(':')) this.comments += 1;
        const [id, data] = ['id', 'data'].map((name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]);
        if (data) this.told.push({ id: id!, data: JSON.parse(data) });
      }
    } catch (error) {
      if (!this.abort.signal.aborted) throw error;
    }
  }
}
const rest = () => new Promise((resolve) => setTimeout(resolve, 10));

type Request = [method: string, path: string, body?: object];
const rpc = (method: string, params: object): Request => ['POST', '', { jsonrpc: '2.0', id: 1, method, params }];
interface Door {
  stream(params: object): Request;
  subscribe(id: string): Request;
  /** What an event says, in the words of 1.0. */
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
const doors: Record<string, Door> = {
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

/** Two pieces of one artifact, and at the end another one that nobody has seen before. */
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
const kindsOf = (told: Json[]) =>
  told.map(({ task, statusUpdate, artifactUpdate }) =>
    artifactUpdate ? artifactUpdate.artifact.artifactId : stateOf(task ?? statusUpdate),
  );
const stateOf = ({ status }: Json) => status.state.replace('TASK_STATE_', '').toUpperCase();

describe.each(Object.keys(doors))('a stream over %s', (name) => {
  const door = doors[name];
  const says = (told: Told[]) => told.map(({ data }) => door.says(data));
  const stream = (params: object, headers?: Record<string, string>) => Listener.to(wire, door.stream(params), headers);
  const subscribe = (id: string, seen?: string, at = wire) =>
    Listener.to(at, door.subscribe(id), seen === undefined ? {} : { 'last-event-id': seen });
  const refused = async (id: string, seen: string): Promise<Json> => {
    const [method, path, body] = door.subscribe(id);
    const text = await (await wire.fetch(method, path, body, { 'last-event-id': seen })).text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text); // of 0.3 in a stream
  };

  it('tells the id of each event, and from any of them on the rest, and that only', async () => {
    const all = await (await stream(playOf(...story, ending))).end();
    expect(kindsOf(says(all))).toEqual(['SUBMITTED', 'WORKING', 'WORKING', 'a', 'a', 'WORKING', 'b', 'COMPLETED']);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    const { id } = door.says(all[0].data).task;
    for (const [nth, { id: seen }] of all.slice(0, -1).entries())
      expect(await (await subscribe(id, seen)).end()).toEqual(all.slice(nth + 1));
    for (const seen of [all.at(-1)!.id, '999']) await expect(refused(id, seen)).resolves.toMatchObject(ended(name));
  });

  it('goes on where its reader was while the task is under way, on any process', async () => {
    const first = await stream(playOf({ wait: 100 }, ...story, { ask: 'And then?' }));
    const { task } = door.says((await first.end())[0].data);
    const told = first.told;
    const there = a2aWireTo(fixture, beside.config.baseUrl);
    const back = await Promise.all([subscribe(task.id, told[0].id), subscribe(task.id, told[0].id, there)]);
    const last = await subscribe(task.id, told.at(-1)!.id, there);
    const ahead = await subscribe(task.id, '999');
    await wire.call(...rpc('SendMessage', sendParams('fail so', { taskId: task.id })));
    const [here, elsewhere] = await Promise.all(back.map((listener) => listener.end()));
    expect(elsewhere).toEqual(here);
    // the last one that the sender heard was the last one for it, and is not for who follows the task to its end
    expect(here.slice(0, told.length - 2)).toEqual(told.slice(1, -1));
    expect(here[told.length - 2].id).toBe(told.at(-1)!.id);
    const rest = here.slice(told.length - 1);
    expect(kindsOf(says(rest))).toEqual(['SUBMITTED', 'WORKING', 'FAILED'].slice(-rest.length));
    expect(await last.end()).toEqual(rest);
    expect(await ahead.end()).toEqual(rest);
  });

  it('shows a late subscriber the task as it is, and of its pieces none again', async () => {
    const first = await stream(playOf({ wait: 50 }, ...story, { ask: 'And then?' }, ending));
    const { task } = door.says((await first.end())[0].data);
    const late = await subscribe(task.id);
    await late.until(() => true);
    await wire.call(...rpc('SendMessage', sendParams('Go on, please', { taskId: task.id })));
    const told = says(await late.end());
    expect(told[0].task.artifacts).toMatchObject([{ artifactId: 'a' }]);
    expect(kindsOf(told)[0]).toMatch(/INPUT.REQUIRED/);
    expect(kindsOf(told).slice(-2)).toEqual(['b', 'COMPLETED']);
    expect(kindsOf(told)).not.toContain('a');
  });

  it.each(['x', '-1', '1.2.3', '1e3', '1.', '9999999999'])('takes no "%s" for an id', async (seen) => {
    await expect(refused('never', seen)).resolves.toMatchObject(invalid(name));
  });

  it('of a new message begins with its task, whatever was heard before', async () => {
    const told = says(await (await stream(sendParams('echo Hello'), { 'last-event-id': '2' })).end());
    expect(told[0]).toHaveProperty('task');
    expect(kindsOf(told).at(-1)).toBe('COMPLETED');
  });
});

describe('all who listen', () => {
  it('hear the same in the same order, through every door of every process', async () => {
    const there = a2aWireTo(fixture, beside.config.baseUrl);
    const grpcThere = await GrpcBinding.to(fixture, beside.config.baseUrl);
    const begun = await grpc.send({
      ...playOf({ wait: 300 }, ...story, { ask: 'And then?' }),
      configuration: { returnImmediately: true },
    });
    const { id } = begun.result.task;
    const listeners = await Promise.all(
      Object.values(doors).flatMap((door) => [wire, there].map((at) => Listener.to(at, door.subscribe(id)))),
    );
    const overGrpc = [grpc.follow(id), grpcThere.follow(id)];
    for (const listener of overGrpc)
      await listener.until(({ statusUpdate }) => /INPUT/.test(statusUpdate?.status.state));
    await wire.call(...rpc('SendMessage', sendParams('complete', { taskId: id })));
    const heard = await Promise.all(listeners.map((listener) => listener.end()));
    for (let nth = 0; nth < heard.length; nth += 2) {
      const [here, elsewhere] = [heard[nth], heard[nth + 1]].map(afterAt(3));
      expect(here.length).toBeGreaterThan(5);
      expect(elsewhere).toEqual(here);
    }
    const ids = heard.map((told) => afterAt(3)(told).map((event) => event.id));
    for (const one of ids) expect(one).toEqual(ids[0]);
    const [ofHere, ofThere] = await Promise.all(
      overGrpc.map(async ({ events, ended }) => {
        expect(await ended).toBeUndefined();
        return events.slice(1);
      }),
    );
    const both = Math.min(ofHere.length, ofThere.length);
    expect(ofThere.slice(-both)).toEqual(ofHere.slice(-both));
    const newest = kindsOf(heard[0].map(({ data }) => doors['JSON-RPC 1.0'].says(data)));
    expect(kindsOf(ofHere).slice(-5)).toEqual(newest.slice(-5));
    grpcThere.close();
  });

  it('are shown that it is alive', async () => {
    const listeners = await Promise.all(
      Object.values(doors).map((door) => Listener.to(wire, door.stream(sendParams('wait 60')))),
    );
    for (const listener of listeners) await until(() => listener.comments > 0);
    for (const { told } of listeners) expect(told.length).toBeGreaterThan(0);
    listeners.forEach((listener) => listener.leave());
  });

  it('and vanish leave nothing behind, and their task goes on', async () => {
    const { id } = (await grpc.send(returning('wait 60'))).result.task;
    const listeners = await Promise.all(Object.values(doors).map((door) => Listener.to(wire, door.subscribe(id))));
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

  it('wait for an answer and vanish leave nothing behind either, however early', async () => {
    for (const patience of [0, 1, 3, 10, 30, 100]) {
      for (const [method, path, body] of [
        rpc('SendMessage', sendParams('wait 60')),
        ['POST', '/a2a/message:send', sendParams('wait 60')] as Request,
      ]) {
        const abort = new AbortController();
        const asked = wire.fetch(method, path, body, {}, abort.signal);
        setTimeout(() => abort.abort(), patience);
        await expect(asked).rejects.toThrow('aborted');
      }
      const abort = new AbortController();
      setTimeout(() => abort.abort(), patience);
      await expect(grpc.send(sendParams('wait 60'), abort.signal)).resolves.toMatchObject({
        refusal: { code: grpcStatus.CANCELLED },
      });
    }
    await until(() => followers() === 0);
    const { tasks } = (await grpc.list({ status: 'TASK_STATE_WORKING' })).result;
    for (const { id } of tasks) await grpc.cancel(id);
  });
});

describe('a reader over gRPC that reads nothing', () => {
  it('is let go with a word, and keeps its place until it has heard that', async () => {
    const { id } = (await grpc.send(returning(`stream 150 0ms ${'x'.repeat(3000)}`))).result.task;
    const slow = grpc.follow(id);
    slow.call.pause();
    await until(async () => stateOf((await grpc.get(id)).result) === 'COMPLETED');
    await until(() => followers() === 0);
    await expect(openStreams()).resolves.toBe(1);
    slow.call.resume();
    await expect(slow.ended).resolves.toEqual({
      code: grpcStatus.RESOURCE_EXHAUSTED,
      message: expect.stringContaining('left unread'),
    });
    expect(slow.events.length).toBeLessThan(100);
    await until(async () => (await openStreams()) === 0);
  });
});

const returning = (text: string) => sendParams(text, { configuration: { returnImmediately: true } });
const openStreams = async () => (await server.app.get(MetricsService).streams.get()).values[0].value;
const followers = () => server.app.get(TaskFeedService)['followers'].size;
/** What came after the update of a number. */
const afterAt =
  (number: number) =>
  (told: Told[]): Told[] =>
    told.filter(({ id }) => Number.parseFloat(id) > number);

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
