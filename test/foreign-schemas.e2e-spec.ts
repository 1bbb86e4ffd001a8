import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuMsBeyondWaiting } from './kit/cpu-time.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, type Wire, wireOf } from './kit/wire.js';

/* Hostile schemas and patterns of an upstream, which try to crash a validator or its process. */

const step = { properties: { a: { $ref: '#' } }, required: ['b'] };
const doubling = { type: 'object', anyOf: [step, { ...step, maxProperties: 9 }] };
const deep = (levels: number) => Array.from({ length: levels }).reduce<object>((inner) => ({ a: inner }), {});
const backtracking = '^(?:a+)+$';

let server: TestServer;
let upstream: McpUpstream;
let fixture: GateFixture;
let wire: Wire;
beforeAll(async () => {
  [server, upstream] = await Promise.all([testServer(), McpUpstream.start()]);
  upstream.serveStateless({
    tools: [
      upstreamTool('list_tickets'),
      upstreamTool('get_ticket'),
      upstreamTool('list_channels', { outputSchema: doubling }),
      upstreamTool('take_any', { inputSchema: doubling }),
      upstreamTool('take_list', {
        inputSchema: {
          type: 'object',
          properties: { list: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'null' }] } } },
        },
      }),
      upstreamTool('post_message', {
        description: 'Posts a message to a channel.',
        inputSchema: {
          type: 'object',
          properties: { channel: { type: 'string', pattern: backtracking }, text: { type: 'string' } },
          required: ['channel', 'text'],
        },
      }),
    ],
    call: (name) =>
      name === 'list_channels' ? { ...toolTextResult('two'), structuredContent: deep(40) } : toolTextResult(name),
  });
  fixture = await GateFixture.create(server, upstream);
  await fixture.publish('permit (principal, action, resource);');
  wire = wireOf(fixture, server.url);
});
afterAll(async () => {
  await server.close();
  upstream.stop();
});

/** Without a time limit, so that a busy machine does not fail the test. */
async function waitUntilEnded(id: string) {
  for (;;) {
    const task = await wire.get(id);
    if (['completed', 'failed', 'input-required'].includes(task.status.state)) return task;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A task of another caller, which the server must still complete. */
async function expectOthersServed(): Promise<void> {
  const id = newTaskId();
  await wire.send(id, 'workplace__list_tickets: {}');
  expect((await waitUntilEnded(id)).status.state).toBe('completed');
}

describe('a result with very many parts', () => {
  it.each([
    ['1', 200_000],
    ['{}', 100_000],
    ['{}', 3_000_000],
  ])('takes little CPU time, and the server keeps serving others: parts of %s, %d', async (part, count) => {
    upstream.fault = ({ id, method, params }, response) => {
      if (method !== 'tools/call' || params?.name !== 'get_ticket') return false;
      const content = `[${`${part},`.repeat(count)}${part}]`;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","content":${content}}}`,
      );
      return true;
    };
    const id = newTaskId();
    const ms = await cpuMsBeyondWaiting(async () => {
      await wire.send(id, `workplace__get_ticket: ${JSON.stringify({ part })}`);
      await waitUntilEnded(id);
    });
    upstream.fault = undefined;
    expect(ms).toBeLessThan(1000);
    if (count > 1_000_000)
      expect(JSON.stringify((await waitUntilEnded(id)).status)).toContain('more than 250000 keys and values');
    await expectOthersServed();
  });
});

describe('the output schema of a tool', () => {
  it('is not applied if it is too expensive: the structured content is omitted, and the read is not repeated', async () => {
    const before = upstream.calls.length;
    const id = newTaskId();
    await wire.send(id, 'workplace__list_channels: {}');
    const { status, artifacts } = await waitUntilEnded(id);
    expect(status.state).toBe('completed');
    expect(JSON.stringify(artifacts)).toContain('takes too much time or memory');
    expect(upstream.calls.slice(before).map(({ name }) => name)).toEqual(['list_channels']);
    await expectOthersServed();
  });
});

describe('arguments', () => {
  it('are rejected and not sent if their validation is too expensive', async () => {
    const outcome = await fixture.call('take_any', deep(30));
    expect(outcome).toMatchObject({ state: 'denied', code: 'invalid-arguments' });
    expect(outcome).toMatchObject({ faults: [{ pointer: '', detail: expect.stringMatching('too much') }] });
    expect(upstream.calls.map(({ name }) => name)).not.toContain('take_any');
    await expectOthersServed();
  });

  it('of 240 KB with errors everywhere are rejected with a limited number of errors', async () => {
    const outcome = await fixture.call('take_list', { list: Array.from({ length: 60_000 }, () => 'x') });
    expect(outcome).toMatchObject({ state: 'denied', code: 'invalid-arguments' });
    expect((outcome as { faults: object[] }).faults).toHaveLength(20);
    await expectOthersServed();
  });

  it('of a tool that the policies hide are not validated', async () => {
    await fixture.publish('permit (principal, action == Action::"workplace__list_tickets", resource);');
    await expect(fixture.call('take_any', deep(30))).resolves.toMatchObject({
      state: 'denied',
      code: 'tool-not-found',
    });
    await fixture.publish('permit (principal, action, resource);');
  });
});

describe('a pattern with catastrophic backtracking', () => {
  it('does not block the built-in model', async () => {
    const id = newTaskId();
    await wire.send(id, `post a message in #${'a'.repeat(60)}b: "hello"`);
    await waitUntilEnded(id);
    await expectOthersServed();
  });
});
