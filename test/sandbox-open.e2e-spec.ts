import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../src/platform/crypto/ids.js';
import { type A2aClient, HttpA2aClient, type Json, JsonRpcA2aClient } from './kit/a2a-clients.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { decideApproval } from './kit/wire.js';

let server: TestServer;
let fixture: SandboxFixture;
let clients: Record<string, A2aClient>;
beforeAll(async () => {
  server = await testServer();
  fixture = await SandboxFixture.create(server);
  clients = {
    'JSON-RPC': new JsonRpcA2aClient(fixture, server.url),
    'HTTP+JSON': new HttpA2aClient(fixture, server.url),
  };
});
afterAll(() => server.close());

/** Message ids in the form of the kits: all messages of a run for the same scenario share one id. */
const kitId = (scenario: string) => `tck-${scenario}-5e551011`;
const stateOf = ({ task, statusUpdate }: Json) => (task ?? statusUpdate)?.status.state.replace('TASK_STATE_', '');
const summaryOf = (events: Json[]) =>
  events.map((event) => (event.artifactUpdate ? 'artifact' : event.message ? 'message' : stateOf(event)));

describe.each(['JSON-RPC', 'HTTP+JSON'])('a test kit for version 1.0 over %s', (name) => {
  const client = () => clients[name];
  const task = async (scenario: string, over: object = {}): Promise<Json> => {
    const { result, error } = await client().send({ messageId: kitId(scenario), ...over });
    expect(error).toBeUndefined();
    return result.task;
  };
  const parts = async (scenario: string) =>
    (await task(scenario)).artifacts.flatMap((artifact: Json) => artifact.parts);

  it('completes a task, which has a context', async () => {
    await expect(task('complete-task')).resolves.toMatchObject({
      id: expect.any(String),
      contextId: expect.any(String),
      status: { state: 'TASK_STATE_COMPLETED', timestamp: expect.stringMatching(/^\d{4}-.*T.*\.\d{3}Z$/) },
    });
  });

  it('receives artifacts with every kind of part', async () => {
    expect(await parts('artifact-text')).toMatchObject([{ text: 'Generated text content' }]);
    expect(await parts('artifact-file')).toEqual([
      { raw: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/), mediaType: 'text/plain', filename: 'output.txt' },
    ]);
    expect(await parts('artifact-file-url')).toEqual([
      { url: 'https://example.com/output.txt', mediaType: 'text/plain', filename: 'output.txt' },
    ]);
    expect(await parts('artifact-data')).toMatchObject([{ data: { key: 'value', count: 42 } }]);
  });

  it('receives an answer that is only a message', async () => {
    const { result } = await client().send({ messageId: kitId('message-response') });
    expect(result).toEqual({
      message: expect.objectContaining({
        role: 'ROLE_AGENT',
        messageId: expect.any(String),
        parts: [expect.objectContaining({ text: 'Direct message response' })],
      }),
    });
    const streamed = await (await client().stream({ messageId: kitId('message-response') })).end();
    expect(summaryOf(streamed).at(-1)).toBe('message');
  });

  it('receives a rejected task', async () => {
    await expect(task('reject-task')).resolves.toMatchObject({ status: { state: 'TASK_STATE_REJECTED' } });
  });

  it('sends several messages with the same message id and finds all of them in the history', async () => {
    const { id, contextId, status } = await task('input-required', { text: 'Prerequisite' });
    expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    for (const text of ['First', 'Second'])
      await expect(task('input-required', { taskId: id, text })).resolves.toMatchObject({
        status: { state: 'TASK_STATE_INPUT_REQUIRED' },
      });
    const last = await task('complete-task', { taskId: id, text: 'Third' });
    expect(last).toMatchObject({ id, contextId, status: { state: 'TASK_STATE_COMPLETED' } });

    const { result } = await client().get(id);
    const said = result.history.filter(({ role }: Json) => role === 'ROLE_USER');
    expect(said.map((message: Json) => message.parts[0].text)).toEqual(['Prerequisite', 'First', 'Second', 'Third']);
    expect(said.map((message: Json) => message.messageId)).toEqual([
      ...Array<string>(3).fill(kitId('input-required')),
      kitId('complete-task'),
    ]);
    expect((await client().get(id, 1)).result.history).toHaveLength(1);
    expect((await client().get(id, 0)).result).not.toHaveProperty('history');
  });

  it('cannot continue an ended task or an unknown task', async () => {
    const { id } = await task('complete-task');
    const rpc = name === 'JSON-RPC';
    await expect(client().send({ taskId: id })).resolves.toEqual({ error: rpc ? -32004 : 400 });
    await expect(client().send({ taskId: 'tck-nobody' })).resolves.toEqual({ error: rpc ? -32001 : 404 });
    await expect(client().cancel(id)).resolves.toEqual({ error: rpc ? -32002 : 400 });
    expect((await (await client().subscribe(id)).end())[0]).toMatchObject(
      rpc ? { error: -32004 } : { error: { code: 400 } },
    );
  });

  it('cancels a working task', async () => {
    const working = await task('cancel', { configuration: { returnImmediately: true } });
    await expect(client().cancel(working.id)).resolves.toMatchObject({
      result: { status: { state: 'TASK_STATE_CANCELED' } },
    });
  });

  it.each(['stream-001', 'stream-003', 'stream-ordering-001', 'stream-artifact-text', 'stream-artifact-file'])(
    'receives the events of %s in order until the end',
    async (scenario) => {
      const events = await (await client().stream({ messageId: kitId(scenario) })).end();
      expect(events[0]).toHaveProperty('task');
      const after = summaryOf(events.slice(1));
      expect(after.slice(-3)).toEqual(['WORKING', 'artifact', 'COMPLETED']);
    },
  );

  it('receives an artifact in chunks and reads it in full later', async () => {
    const events = await (await client().stream({ messageId: kitId('stream-artifact-chunked') })).end();
    const pieces = events.flatMap((event) => event.artifactUpdate ?? []);
    expect(pieces).toMatchObject([
      { artifact: { parts: [{ text: 'chunk-1 ' }] } },
      { artifact: { parts: [{ text: 'chunk-2' }] }, append: true, lastChunk: true },
    ]);
    expect(pieces[0].append ?? false).toBe(false);
    expect(pieces[0].artifact.artifactId).toBe(pieces[1].artifact.artifactId);
    const { result } = await client().get(events[0].task.id);
    expect(result.artifacts).toMatchObject([{ parts: [{ text: 'chunk-1 ' }, { text: 'chunk-2' }] }]);
  });

  it('subscribes to a working task several times and receives the same events each time', async () => {
    const first = await client().stream({ text: 'stream 12 60ms of it' });
    const { task: begun } = await first.until((event) => event.task);
    await first.until((event) => event.artifactUpdate);
    const others = await Promise.all([client().subscribe(begun.id), client().subscribe(begun.id)]);
    const [all, ...subscribed] = await Promise.all([first, ...others].map((events) => events.end()));
    for (const events of subscribed) {
      expect(events[0]).toMatchObject({ task: { id: begun.id, status: { state: 'TASK_STATE_WORKING' } } });
      const rest = events.slice(1);
      expect(rest).toEqual(all.slice(-rest.length));
      expect(summaryOf(rest).at(-1)).toBe('COMPLETED');
      const shownBefore = events[0].task.artifacts?.[0].parts.length ?? 0;
      expect(shownBefore + rest.filter((event) => event.artifactUpdate).length).toBe(12);
    }
  });

  it('sends the requested credentials and the task continues', async () => {
    const waiting = await task('auth-required', { configuration: { returnImmediately: true }, text: 'auth' });
    const stream = await client().subscribe(waiting.id);
    await stream.until((event) => stateOf(event) === 'AUTH_REQUIRED');
    await client().send({ taskId: waiting.id, text: 'let me in' });
    await untilEnded(client(), waiting.id);
    await expect(client().get(waiting.id)).resolves.toMatchObject({
      result: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  it('sees a task continue after its approval without another message', async () => {
    const reviewer = await fixture.organization.browser(fixture.reviewer);
    const waiting = await task('nothing', { messageId: undefined, text: 'approve please' });
    expect(waiting.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED' });
    const { status } = await fixture.wire().get(waiting.id);
    await decideApproval(reviewer, status.metadata!.approvalId!, 'approve');
    await untilEnded(client(), waiting.id);
    await expect(client().get(waiting.id)).resolves.toMatchObject({
      result: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ name: 'receipt' }] },
    });
  });

  it('receives every part unchanged', async () => {
    const sent = [
      { text: 'Look at this, please' },
      { data: { n: 1.5, list: [null, true] } },
      { raw: 'AAECAw==', mediaType: 'application/octet-stream', filename: 'x.bin' },
      { url: 'https://example.com/x.png', mediaType: 'image/png' },
    ];
    const { result } = await client().send({ parts: sent });
    expect(result.task.artifacts[0].parts).toMatchObject(sent);
  });

  it('lists tasks with artifacts only on request', async () => {
    const { contextId } = await task('artifact-text');
    const without = (await client().list({ contextId })).result;
    expect(without).toMatchObject({ tasks: [{ contextId }], nextPageToken: '', pageSize: 50, totalSize: 1 });
    expect(without.tasks[0]).not.toHaveProperty('artifacts');
    const { result } = await client().list({ contextId, includeArtifacts: true });
    expect(result.tasks[0].artifacts).toHaveLength(1);
  });

  it('receives an error for invalid parameters', async () => {
    const refused = { error: name === 'JSON-RPC' ? -32602 : 400 };
    await expect(client().send({ parts: [] })).resolves.toEqual(refused);
    await expect(client().list({ pageSize: 0 })).resolves.toEqual(refused);
    await expect(client().list({ pageSize: 101 })).resolves.toEqual(refused);
  });
});

describe('a test kit for version 0.3 over JSON-RPC', () => {
  it('sees a task work and then ask for input, and cancels it', async () => {
    const asking = await SandboxFixture.create(server, { otherwise: 'ask' });
    const client = new JsonRpcA2aClient(asking, server.url, '0.3');
    const message = (text: string, ids: object = {}) => ({
      message: { kind: 'message', role: 'user', messageId: `test-${text}`, parts: [{ kind: 'text', text }], ...ids },
      configuration: { blocking: false },
    });
    const { result: task } = await client.call('message/send', message('Hello from TCK!'));
    expect(task).toMatchObject({ kind: 'task', contextId: expect.any(String) });
    expect(['submitted', 'working']).toContain(task.status.state);
    await until03(client, task.id, 'input-required');
    await client.call('message/send', message('Follow-up', { taskId: task.id }));
    await until03(client, task.id, 'input-required');
    await expect(client.call('tasks/cancel', { id: task.id })).resolves.toMatchObject({
      result: { kind: 'task', status: { state: 'canceled' } },
    });
  });

  it('streams 0.3 updates and the last one is marked as final', async () => {
    const client = new JsonRpcA2aClient(fixture, server.url, '0.3');
    const stream = await client.events('message/stream', {
      message: { kind: 'message', role: 'user', messageId: 'm1', parts: [{ kind: 'text', text: 'stream 3 10ms x' }] },
    });
    const events = await stream.end();
    expect(events[0]).toMatchObject({ kind: 'task' });
    const pieces = events.filter(({ kind }) => kind === 'artifact-update');
    expect(pieces.map(({ append = false, lastChunk = false }) => [append, lastChunk])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(events.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
  });

  it('recognizes the reason for an error in its message', async () => {
    const refusal = async (method: string, params: object) => {
      const response = await fetch(`${server.url}/agents/${fixture.configurationId}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${fixture.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return response.text();
    };
    for (const id of [newId(), 'nobody’s'])
      for (const method of ['tasks/get', 'tasks/cancel', 'tasks/resubscribe'])
        expect(await refusal(method, { id })).toContain('not found');
    expect(await refusal('tasks/pushNotificationConfig/list', { id: newId() })).toContain('not supported');
  });
});

async function untilEnded(client: A2aClient, id: string): Promise<void> {
  for (;;) {
    const { result } = await client.get(id);
    if (/COMPLETED|FAILED|CANCELED|REJECTED/.test(result.status.state)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function until03(client: JsonRpcA2aClient, id: string, state: string): Promise<void> {
  for (;;) {
    const { result } = await client.call('tasks/get', { id });
    if (result.status.state === state) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
