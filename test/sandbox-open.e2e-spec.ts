import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../src/platform/crypto/ids.js';
import { type A2aClient, HttpA2aClient, type Json, JsonRpcA2aClient } from './kit/a2a-clients.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { decideApproval } from './kit/wire.js';

let server: TestServer;
let fixture: SandboxFixture;
let doors: Record<string, A2aClient>;
beforeAll(async () => {
  server = await testServer();
  fixture = await SandboxFixture.create(server);
  doors = {
    'JSON-RPC': new JsonRpcA2aClient(fixture, server.url),
    'HTTP+JSON': new HttpA2aClient(fixture, server.url),
  };
});
afterAll(() => server.close());

/** As the kits make them: the same for all messages of a run that ask for the same. */
const kitId = (life: string) => `tck-${life}-5e551011`;
const stateOf = ({ task, statusUpdate }: Json) => (task ?? statusUpdate)?.status.state.replace('TASK_STATE_', '');
const told = (events: Json[]) =>
  events.map((event) => (event.artifactUpdate ? 'artifact' : event.message ? 'message' : stateOf(event)));

describe.each(['JSON-RPC', 'HTTP+JSON'])('over %s, version 1.0, a test kit', (name) => {
  const door = () => doors[name];
  const task = async (life: string, over: object = {}): Promise<Json> => {
    const { result, error } = await door().send({ messageId: kitId(life), ...over });
    expect(error).toBeUndefined();
    return result.task;
  };
  const parts = async (life: string) => (await task(life)).artifacts.flatMap((artifact: Json) => artifact.parts);

  it('has a task completed, with a context', async () => {
    await expect(task('complete-task')).resolves.toMatchObject({
      id: expect.any(String),
      contextId: expect.any(String),
      status: { state: 'TASK_STATE_COMPLETED', timestamp: expect.stringMatching(/^\d{4}-.*T.*\.\d{3}Z$/) },
    });
  });

  it('gets artifacts of every kind of part', async () => {
    expect(await parts('artifact-text')).toMatchObject([{ text: 'Generated text content' }]);
    expect(await parts('artifact-file')).toEqual([
      { raw: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/), mediaType: 'text/plain', filename: 'output.txt' },
    ]);
    expect(await parts('artifact-file-url')).toEqual([
      { url: 'https://example.com/output.txt', mediaType: 'text/plain', filename: 'output.txt' },
    ]);
    expect(await parts('artifact-data')).toMatchObject([{ data: { key: 'value', count: 42 } }]);
  });

  it('is answered with a bare message', async () => {
    const { result } = await door().send({ messageId: kitId('message-response') });
    expect(result).toEqual({
      message: expect.objectContaining({
        role: 'ROLE_AGENT',
        messageId: expect.any(String),
        parts: [expect.objectContaining({ text: 'Direct message response' })],
      }),
    });
    const streamed = await (await door().stream({ messageId: kitId('message-response') })).end();
    expect(told(streamed).at(-1)).toBe('message');
  });

  it('is rejected', async () => {
    await expect(task('reject-task')).resolves.toMatchObject({ status: { state: 'TASK_STATE_REJECTED' } });
  });

  it('talks over several messages, with the same message id, and finds them in the history', async () => {
    const { id, contextId, status } = await task('input-required', { text: 'Prerequisite' });
    expect(status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    for (const text of ['First', 'Second'])
      await expect(task('input-required', { taskId: id, text })).resolves.toMatchObject({
        status: { state: 'TASK_STATE_INPUT_REQUIRED' },
      });
    const last = await task('complete-task', { taskId: id, text: 'Third' });
    expect(last).toMatchObject({ id, contextId, status: { state: 'TASK_STATE_COMPLETED' } });

    const { result } = await door().get(id);
    const said = result.history.filter(({ role }: Json) => role === 'ROLE_USER');
    expect(said.map((message: Json) => message.parts[0].text)).toEqual(['Prerequisite', 'First', 'Second', 'Third']);
    expect(said.map((message: Json) => message.messageId)).toEqual([
      ...Array<string>(3).fill(kitId('input-required')),
      kitId('complete-task'),
    ]);
    expect((await door().get(id, 1)).result.history).toHaveLength(1);
    expect((await door().get(id, 0)).result).not.toHaveProperty('history');
  });

  it('may not go on with a task that has ended, nor with one that is not there', async () => {
    const { id } = await task('complete-task');
    const rpc = name === 'JSON-RPC';
    await expect(door().send({ taskId: id })).resolves.toEqual({ error: rpc ? -32004 : 400 });
    await expect(door().send({ taskId: 'tck-nobody' })).resolves.toEqual({ error: rpc ? -32001 : 404 });
    await expect(door().cancel(id)).resolves.toEqual({ error: rpc ? -32002 : 400 });
    expect((await (await door().subscribe(id)).end())[0]).toMatchObject(
      rpc ? { error: -32004 } : { error: { code: 400 } },
    );
  });

  it('cancels what works', async () => {
    const working = await task('cancel', { configuration: { returnImmediately: true } });
    await expect(door().cancel(working.id)).resolves.toMatchObject({
      result: { status: { state: 'TASK_STATE_CANCELED' } },
    });
  });

  it.each(['stream-001', 'stream-003', 'stream-ordering-001', 'stream-artifact-text', 'stream-artifact-file'])(
    'hears %s in order, to its end',
    async (life) => {
      const events = await (await door().stream({ messageId: kitId(life) })).end();
      expect(events[0]).toHaveProperty('task');
      const after = told(events.slice(1));
      expect(after.slice(-3)).toEqual(['WORKING', 'artifact', 'COMPLETED']);
    },
  );

  it('hears an artifact in pieces, and finds it whole', async () => {
    const events = await (await door().stream({ messageId: kitId('stream-artifact-chunked') })).end();
    const pieces = events.flatMap((event) => event.artifactUpdate ?? []);
    expect(pieces).toMatchObject([
      { artifact: { parts: [{ text: 'chunk-1 ' }] } },
      { artifact: { parts: [{ text: 'chunk-2' }] }, append: true, lastChunk: true },
    ]);
    expect(pieces[0].append ?? false).toBe(false);
    expect(pieces[0].artifact.artifactId).toBe(pieces[1].artifact.artifactId);
    const { result } = await door().get(events[0].task.id);
    expect(result.artifacts).toMatchObject([{ parts: [{ text: 'chunk-1 ' }, { text: 'chunk-2' }] }]);
  });

  it('subscribes to what works, several times over, and hears the same', async () => {
    const first = await door().stream({ text: 'stream 12 60ms of it' });
    const { task: begun } = await first.until((event) => event.task);
    await first.until((event) => event.artifactUpdate);
    const others = await Promise.all([door().subscribe(begun.id), door().subscribe(begun.id)]);
    const [all, ...heard] = await Promise.all([first, ...others].map((events) => events.end()));
    for (const events of heard) {
      expect(events[0]).toMatchObject({ task: { id: begun.id, status: { state: 'TASK_STATE_WORKING' } } });
      const rest = events.slice(1);
      expect(rest).toEqual(all.slice(-rest.length));
      expect(told(rest).at(-1)).toBe('COMPLETED');
      const shownBefore = events[0].task.artifacts?.[0].parts.length ?? 0;
      expect(shownBefore + rest.filter((event) => event.artifactUpdate).length).toBe(12);
    }
  });

  it('is asked for credentials, and goes on with them', async () => {
    const waiting = await task('auth-required', { configuration: { returnImmediately: true }, text: 'auth' });
    const stream = await door().subscribe(waiting.id);
    await stream.until((event) => stateOf(event) === 'AUTH_REQUIRED');
    await door().send({ taskId: waiting.id, text: 'let me in' });
    await untilEnded(door(), waiting.id);
    await expect(door().get(waiting.id)).resolves.toMatchObject({
      result: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  it('waits for a person, and goes on by itself', async () => {
    const reviewer = await fixture.organization.browser(fixture.reviewer);
    const waiting = await task('nothing', { messageId: undefined, text: 'approve please' });
    expect(waiting.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED' });
    const { status } = await fixture.wire().get(waiting.id);
    await decideApproval(reviewer, status.metadata!.approvalId!, 'approve');
    await untilEnded(door(), waiting.id);
    await expect(door().get(waiting.id)).resolves.toMatchObject({
      result: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ name: 'receipt' }] },
    });
  });

  it('gets every part back as it was sent', async () => {
    const sent = [
      { text: 'Look at this, please' },
      { data: { n: 1.5, list: [null, true] } },
      { raw: 'AAECAw==', mediaType: 'application/octet-stream', filename: 'x.bin' },
      { url: 'https://example.com/x.png', mediaType: 'image/png' },
    ];
    const { result } = await door().send({ parts: sent });
    expect(result.task.artifacts[0].parts).toMatchObject(sent);
  });

  it('lists its tasks with artifacts where it asks for them', async () => {
    const { contextId } = await task('artifact-text');
    const without = (await door().list({ contextId })).result;
    expect(without).toMatchObject({ tasks: [{ contextId }], nextPageToken: '', pageSize: 50, totalSize: 1 });
    expect(without.tasks[0]).not.toHaveProperty('artifacts');
    const { result } = await door().list({ contextId, includeArtifacts: true });
    expect(result.tasks[0].artifacts).toHaveLength(1);
  });

  it('says no to what nobody can read', async () => {
    const refused = { error: name === 'JSON-RPC' ? -32602 : 400 };
    await expect(door().send({ parts: [] })).resolves.toEqual(refused);
    await expect(door().list({ pageSize: 0 })).resolves.toEqual(refused);
    await expect(door().list({ pageSize: 101 })).resolves.toEqual(refused);
  });
});

describe('over JSON-RPC, version 0.3, a test kit', () => {
  it('finds an ordinary task at work, then waiting for more, and may cancel it', async () => {
    const asking = await SandboxFixture.create(server, { otherwise: 'ask' });
    const door = new JsonRpcA2aClient(asking, server.url, '0.3');
    const message = (text: string, ids: object = {}) => ({
      message: { kind: 'message', role: 'user', messageId: `test-${text}`, parts: [{ kind: 'text', text }], ...ids },
      configuration: { blocking: false },
    });
    const { result: task } = await door.call('message/send', message('Hello from TCK!'));
    expect(task).toMatchObject({ kind: 'task', contextId: expect.any(String) });
    expect(['submitted', 'working']).toContain(task.status.state);
    await until03(door, task.id, 'input-required');
    await door.call('message/send', message('Follow-up', { taskId: task.id }));
    await until03(door, task.id, 'input-required');
    await expect(door.call('tasks/cancel', { id: task.id })).resolves.toMatchObject({
      result: { kind: 'task', status: { state: 'canceled' } },
    });
  });

  it('streams updates of its own version, with the last one marked', async () => {
    const door = new JsonRpcA2aClient(fixture, server.url, '0.3');
    const stream = await door.events('message/stream', {
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

  it('finds in the words of a refusal what is refused', async () => {
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

async function untilEnded(door: A2aClient, id: string): Promise<void> {
  for (;;) {
    const { result } = await door.get(id);
    if (/COMPLETED|FAILED|CANCELED|REJECTED/.test(result.status.state)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function until03(door: JsonRpcA2aClient, id: string, state: string): Promise<void> {
  for (;;) {
    const { result } = await door.call('tasks/get', { id });
    if (result.status.state === state) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
