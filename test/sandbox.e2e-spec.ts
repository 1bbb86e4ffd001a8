import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ArtifactChunk } from '../src/agent/agent-model.port.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { decideApproval, newTaskId, type StreamUpdate, type Wire, type WireTask } from './kit/wire.js';

let server: TestServer;
let fixture: SandboxFixture;
let wire: Wire;
beforeAll(async () => {
  server = await testServer();
  fixture = await SandboxFixture.create(server);
  wire = fixture.wire();
});
afterAll(() => server.close());

/** Runs a task until it ends or waits. */
async function run(...parts: (string | object)[]): Promise<WireTask> {
  const id = newTaskId();
  await wire.send(id, ...parts);
  return wire.until(id, 'completed', 'failed', 'rejected', 'input-required');
}
const partsOf = ({ artifacts }: WireTask) => artifacts?.flatMap(({ parts }) => parts);
const chunkOf = ({ data }: StreamUpdate) => (data as { chunk?: ArtifactChunk }).chunk;

describe('a message to the sandbox', () => {
  it.each<[string, object]>([
    ['complete All good.', { status: { state: 'completed' }, artifacts: [{ parts: [{ text: 'All good.' }] }] }],
    ['fail No luck', { status: { state: 'failed', error: { code: 'sandbox', detail: 'No luck' } } }],
    ['reject Not mine', { status: { state: 'rejected', error: { code: 'sandbox', detail: 'Not mine' } } }],
    [
      'message Just this',
      {
        status: {
          state: 'completed',
          metadata: { answersWith: 'message' },
          message: { parts: [{ text: 'Just this' }] },
        },
        artifacts: [{ parts: [{ text: 'Just this' }] }],
      },
    ],
    ['multi 3', { artifacts: [{ artifactId: '1' }, { artifactId: '2' }, { artifactId: '3' }] }],
    ['data', { artifacts: [{ parts: [{ data: { key: 'value', count: 42, list: [1, 2, 3], nothing: null } }] }] }],
    [
      'file',
      { artifacts: [{ parts: [{ raw: expect.any(String), mediaType: 'text/plain', filename: 'sandbox.txt' }] }] },
    ],
    [
      'url',
      { artifacts: [{ parts: [{ url: expect.any(String), mediaType: 'text/plain', filename: 'sandbox.txt' }] }] },
    ],
    ['big 2', { artifacts: [{ parts: [{ text: 'x'.repeat(2048) }] }] }],
    ['tck-complete-task-1', { artifacts: [{ parts: [{ text: 'Hello from TCK' }] }] }],
    ['tck-artifact-file-url-1', { artifacts: [{ parts: [{ url: 'https://example.com/output.txt' }] }] }],
    ['tck-artifact-file-1', { artifacts: [{ parts: [{ raw: 'b3V0cHV0', filename: 'output.txt' }] }] }],
    ['tck-task-failure', { status: { state: 'failed' } }],
  ])('runs the scenario "%s"', async (words, task) => {
    await expect(run(words)).resolves.toMatchObject(task);
  });

  it('without a scenario is returned unchanged', async () => {
    const parts = ['Stream this, please', { deep: [1, { er: null }] }];
    expect(partsOf(await run(...parts))).toEqual([{ text: parts[0] }, { data: parts[1] }]);
    expect(partsOf(await run('echo good morning', { n: 1 }))).toEqual([{ text: 'good morning' }, { data: { n: 1 } }]);
    expect(partsOf(await run({ n: 1 }))).toEqual([{ data: { n: 1 } }]);
  });

  it('"ask" waits for an answer and continues with it', async () => {
    const id = newTaskId();
    const stream = await wire.subscribe(id, 'ask Which colour?');
    expect((await stream.until('input-required')).data.status).toMatchObject({
      message: { parts: [{ text: 'Which colour?' }] },
      metadata: { reason: 'information' },
    });
    await wire.send(id, 'blue');
    await stream.end();
    expect(stream.states).toEqual(['submitted', 'working', 'input-required', 'submitted', 'working', 'completed']);
    expect(partsOf(stream.updates.at(-1)!.data)).toEqual([{ text: 'blue' }]);
  });

  it('starts a new scenario if it is a reply that requests one', async () => {
    const id = newTaskId();
    await wire.send(id, 'ask');
    await wire.until(id, 'input-required');
    await wire.send(id, 'ask And then?');
    await wire.until(id, 'submitted', 'working', 'input-required');
    const again = await wire.until(id, 'input-required');
    expect(again.status.message).toEqual({ role: 'agent', parts: [{ text: 'And then?' }] });
    await wire.send(id, 'fail');
    await expect(wire.until(id, 'failed')).resolves.toMatchObject({ status: { error: { code: 'sandbox' } } });
  });

  it('"converse" asks until the reply is "done"', async () => {
    const id = newTaskId();
    const stream = await wire.subscribe(id, 'converse');
    for (const words of ['one', 'two', 'done']) {
      await wire.until(id, 'input-required');
      await wire.send(id, words);
    }
    await stream.end();
    expect(stream.states.filter((state) => state === 'input-required')).toHaveLength(3);
    expect(stream.states.at(-1)).toBe('completed');
  });

  it('"auth" waits for credentials', async () => {
    const id = newTaskId();
    await wire.send(id, 'auth');
    await expect(wire.until(id, 'input-required')).resolves.toMatchObject({
      status: { metadata: { reason: 'credentials' } },
    });
    await wire.send(id, 'secret');
    const task = await wire.until(id, 'completed');
    expect(JSON.stringify(task)).not.toContain('secret');
  });

  it('"slow" works for a while and reports its progress', async () => {
    const stream = await (await wire.subscribe(newTaskId(), 'slow 600ms 3')).end();
    const texts = stream.updates.map(({ data }) => data.status.message?.parts[0].text);
    expect(texts).toEqual([undefined, undefined, 'Step 1 of 3.', 'Step 2 of 3.', 'Step 3 of 3.', undefined]);
  });

  it('"wait" can be canceled', async () => {
    const id = newTaskId();
    const stream = await wire.subscribe(id, 'wait');
    await stream.until('working');
    await expect(wire.cancel(id)).resolves.toMatchObject({ status: 200, body: { status: { state: 'canceled' } } });
    await stream.end();
    expect(stream.states).toEqual(['submitted', 'working', 'canceled']);
  });
});

describe('an approval', () => {
  it('is requested by the gate and given by a person', async () => {
    const reviewer = await fixture.organization.browser(fixture.reviewer);
    const id = newTaskId();
    const stream = await wire.subscribe(id, 'approve please');
    const { metadata } = (await stream.until('input-required')).data.status;
    expect(metadata).toMatchObject({ reason: 'approval', tool: 'sandbox__act' });
    await decideApproval(reviewer, metadata!.approvalId!, 'approve');
    await stream.end();
    expect(partsOf(stream.updates.at(-1)!.data)).toEqual([
      {
        data: {
          kind: 'receipt',
          calls: [
            expect.objectContaining({ tool: 'sandbox__act', arguments: { note: 'please' }, outcome: 'succeeded' }),
          ],
        },
      },
    ]);
  });

  it('that is denied fails the task', async () => {
    const reviewer = await fixture.organization.browser(fixture.reviewer);
    const id = newTaskId();
    await wire.send(id, 'approve sandbox__act {"note":"no"}');
    const { status } = await wire.until(id, 'input-required');
    await decideApproval(reviewer, status.metadata!.approvalId!, 'deny', 'not now');
    await expect(wire.until(id, 'failed')).resolves.toMatchObject({ status: { error: { code: 'approval-denied' } } });
  });

  it('of a tool that no policy allows fails the task', async () => {
    await expect(run('approve nobody__nothing')).resolves.toMatchObject({
      status: { state: 'failed', error: { code: 'policy-denied' } },
    });
  });
});

describe('chunks of an artifact', () => {
  it('arrive one by one, in order, and the artifact is complete at the end', async () => {
    const stream = await (await wire.subscribe(newTaskId(), 'stream 4 20ms word')).end();
    const chunks = stream.updates.map(chunkOf).filter((chunk) => chunk !== undefined);
    const pieces = [1, 2, 3, 4].map((nth) => [{ text: `[${nth}/4] word\n` }]);
    expect(chunks).toEqual(
      pieces.map((parts, nth) => ({ artifactId: '1', name: 'answer', parts, append: nth > 0, lastChunk: nth === 3 })),
    );
    expect(stream.updates.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(stream.states).toEqual(['submitted', ...Array<string>(5).fill('working'), 'completed']);
    expect(stream.updates.at(-1)!.data.artifacts).toEqual([{ artifactId: '1', name: 'answer', parts: pieces.flat() }]);
  });

  it('are sent again from any event number', async () => {
    const id = newTaskId();
    const first = await (await wire.subscribe(id, 'stream 5 0ms')).end();
    const again = await (await wire.events(id, 4)).end();
    expect(again.updates).toEqual(first.updates.slice(4));
  });

  it('do not become artifacts before the task completes', async () => {
    const id = newTaskId();
    const stream = await wire.subscribe(id, { play: [{ chunk: { parts: 'half' } }, { ask: 'More?' }, { fail: 'no' }] });
    await stream.until('input-required');
    expect(await wire.get(id)).not.toHaveProperty('artifacts');
    await wire.send(id, 'yes');
    await stream.end();
    expect(await wire.get(id)).not.toHaveProperty('artifacts');
  });
});

describe('a script', () => {
  it('runs step by step', async () => {
    const id = newTaskId();
    const stream = await wire.subscribe(id, {
      play: [
        { say: 'Looking' },
        { chunk: { artifactId: 'a', name: 'story', parts: 'Once ' } },
        { wait: 20 },
        { chunk: { artifactId: 'b', parts: [{ data: { z: 1, a: [2.5, null] } }] } },
        { chunk: { artifactId: 'a', parts: [{ text: 'upon' }], append: true, lastChunk: true } },
        { ask: 'Go on?' },
        { credentials: 'Who are you?' },
        { complete: [{ artifactId: 'c', name: 'file', parts: [{ raw: 'AAECAw==', filename: 'x.bin' }] }] },
      ],
    });
    await stream.until('input-required');
    await wire.send(id, 'yes');
    await eventually(async () => (await wire.get(id)).status.metadata?.reason === 'credentials');
    await wire.send(id, 'me');
    await stream.end();
    expect(stream.updates.at(-1)!.data.artifacts).toEqual([
      { artifactId: 'a', name: 'story', parts: [{ text: 'Once ' }, { text: 'upon' }] },
      { artifactId: 'b', name: 'b', parts: [{ data: { z: 1, a: [2.5, null] } }] },
      { artifactId: 'c', name: 'file', parts: [{ raw: 'AAECAw==', filename: 'x.bin' }] },
    ]);
  });

  it('calls tools through the gate and ends at the first failed call', async () => {
    const call = { call: 'nobody__nothing', arguments: { a: 1 } };
    await expect(run({ play: [call, { complete: 'All good' }] })).resolves.toMatchObject({
      status: { state: 'failed', error: { code: 'policy-denied' } },
    });
    await expect(run({ play: [{ call: 'sandbox__act' }, { complete: 'Done' }] })).resolves.toMatchObject({
      status: { state: 'input-required', metadata: { reason: 'approval', tool: 'sandbox__act' } },
    });
  });
});

describe('a request beyond the limits', () => {
  it.each<[string | object, RegExp]>([
    ['slow 3601', /at most 3600/],
    ['slow soon', /is not a duration/],
    ['stream 501', /at most 500/],
    ['stream 500 10s', /at most 3600/],
    [`stream 500 ${'x'.repeat(2000)}`, /at most 512/],
    ['multi 51', /at most 50/],
    ['multi 0', /is not a number of artifacts/],
    ['big 513', /at most 512/],
    [{ play: [] }, /is not valid/],
    [{ play: [{ wait: 4_000_000 }] }, /at most 3600/],
    [{ play: [{ chunk: { parts: [{ raw: 'not base64!' }] } }] }, /is not valid/],
    [{ play: [{ dance: true }] }, /is not valid/],
    [{ play: Array.from({ length: 501 }, () => ({ say: 'x' })) }, /at most 500/],
  ])('fails with the reason: %j', async (part, detail) => {
    const { status } = await run(part);
    expect(status).toMatchObject({
      state: 'failed',
      error: { code: 'sandbox', detail: expect.stringMatching(detail) },
    });
  });
});

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 25));
}
