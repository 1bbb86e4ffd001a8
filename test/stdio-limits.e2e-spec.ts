import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import { setTimeout as rest } from 'node:timers/promises';
import { NotSent, OutcomeUnknown } from '../src/connections/connections.error.js';
import { upstreamCalls } from '../src/mcp-client/upstream-call.js';
import { StdioMultiplexer } from '../src/mcp-client/stdio/stdio-multiplexer.js';
import { callStdioTool, pidOf, startStdioCall, stdioClient, waitForProcessExit } from './kit/stdio-client.js';
import { stdioCommand } from './kit/stdio-command.js';

const stdio = stdioCommand();
const multiplexers: StdioMultiplexer[] = [];
const checks: NodeJS.Timeout[] = [];

afterEach(async () => {
  checks.splice(0).forEach((check) => clearInterval(check));
  await Promise.all(multiplexers.splice(0).map((multiplexer) => multiplexer.kill('the test is over')));
});
afterAll(() => stdio.remove());

async function startMultiplexer(limits: { memoryMb?: number; silenceSeconds?: number } = {}) {
  const multiplexer = await StdioMultiplexer.start(stdio.command('test', limits));
  multiplexers.push(multiplexer);
  checks.push(setInterval(() => multiplexer.check(), 100));
  const commands = {
    open: (_command: unknown, listener: Parameters<StdioMultiplexer['open']>[0]) =>
      Promise.resolve(multiplexer.open(listener)),
  };
  const client = (capabilities?: ClientCapabilities): Promise<Client> =>
    stdioClient(commands, stdio.command('test'), capabilities);
  return { multiplexer, client };
}
const words = (outcome: unknown) => (outcome as { content: { text: string }[] }).content[0].text;

describe('a stdio child', () => {
  it('is killed when it exceeds its memory limit, and its call has an unknown outcome', async () => {
    const { multiplexer, client } = await startMultiplexer({ memoryMb: 200 });
    const { outcome, isSent } = await callStdioTool(await client(), 'eat');
    expect(outcome).toBeInstanceOf(OutcomeUnknown);
    expect((outcome as Error).message).toMatch(/more than 200 MB of memory/);
    expect(isSent).toBe(true);
    await expect(multiplexer.exit).resolves.toMatch('memory');
  });

  it('does not slow down others when it floods its output or errors', async () => {
    const [quiet, loud] = [await startMultiplexer(), await startMultiplexer()];
    const [caller, flooded] = [await quiet.client(), await loud.client()];
    await callStdioTool(flooded, 'floodErrors');
    void callStdioTool(flooded, 'floodOutput');
    await rest(500);
    for (let n = 0; n < 20; n++) await expect(pidOf(caller)).resolves.toEqual(expect.any(Number));
  });

  it('is killed when a message has no end', async () => {
    const { client } = await startMultiplexer();
    const { outcome } = await callStdioTool(await client(), 'endless');
    expect(outcome).toBeInstanceOf(OutcomeUnknown);
    expect((outcome as Error).message).toMatch(/a message is longer than/);
  });

  it('continues to serve after an answer that is nested too deeply is rejected', async () => {
    const { client } = await startMultiplexer();
    const caller = await client();
    expect((await callStdioTool(caller, 'deep')).outcome).toMatchObject({ code: 'INVALID_RESULT' });
    await expect(pidOf(caller)).resolves.toEqual(expect.any(Number));
  });

  it('may send a long answer', async () => {
    const { client } = await startMultiplexer();
    const { outcome } = await callStdioTool(await client(), 'large', { bytes: 9_000_000 });
    expect(words(outcome)).toHaveLength(9_000_000);
  });

  it('serves other calls when one hangs, and is killed when it answers nothing at all', async () => {
    const { multiplexer, client } = await startMultiplexer({ silenceSeconds: 4 });
    const caller = await client();
    const { ended, cancel } = await startStdioCall(caller, 'hang');
    await rest(5000); // longer than its silence may be
    cancel();
    await expect(ended).resolves.toMatchObject({ isSent: true });
    await expect(pidOf(caller)).resolves.toEqual(expect.any(Number));
    await callStdioTool(caller, 'block', {}, { timeout: 300 });
    await expect(multiplexer.exit).resolves.toMatch(/it hung/);
  });

  it('is reported with its last error line when it exits at start', async () => {
    const start = StdioMultiplexer.start(stdio.command('test', {}, '--broken'));
    await expect(start).rejects.toThrow('The command "test" did not start as an MCP server: “the license has expired”');
    await expect(start).rejects.toBeInstanceOf(NotSent);
  });

  it('takes its descendants with it, inside its group or not', async () => {
    const { multiplexer, client } = await startMultiplexer();
    const caller = await client();
    const { pids } = (await caller.callTool({ name: 'fork' })).structuredContent as { pids: number[] };
    const pid = await pidOf(caller);
    await multiplexer.end('enough');
    await waitForProcessExit(pid, ...pids);
  });

  it('reaches callers with a limited rate of change notifications', async () => {
    const { client } = await startMultiplexer();
    const caller = await client();
    let received = 0;
    caller.setNotificationHandler('notifications/tools/list_changed', () => void received++);
    const floodedAt = performance.now();
    await callStdioTool(caller, 'floodNotes', { count: 5000 });
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThanOrEqual(100 * (2 + Math.floor((performance.now() - floodedAt) / 1000))); // per second begun
  });
});

describe('a stdio session', () => {
  const form = { elicitation: { form: {} } };
  const answering = (client: Client, answer: string) =>
    client.setRequestHandler('elicitation/create', () => {
      return { action: 'accept' as const, content: { answer, isOfTheCall: upstreamCalls.getStore() !== undefined } };
    });

  it('delivers progress to the caller that requested it', async () => {
    const { client } = await startMultiplexer();
    const [one, other] = [await client(), await client()];
    const received: number[][] = [[], []];
    await Promise.all(
      [one, other].map((caller, n) =>
        caller.callTool({ name: 'steps' }, { onprogress: ({ progress }) => void received[n].push(progress) }),
      ),
    );
    expect(received).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ]);
  });

  it('gets questions of its call in the context of the call', async () => {
    const { client } = await startMultiplexer();
    const caller = await client(form);
    answering(caller, 'yes');
    const { outcome } = await callStdioTool(caller, 'ask');
    expect(JSON.parse(words(outcome))).toEqual({ action: 'accept', content: { answer: 'yes', isOfTheCall: true } });
  });

  it.each<[string, ClientCapabilities, object]>([
    ['without elicitation', {}, {}],
    ['without URL elicitation', form, { mode: 'url' }],
  ])('gets no question %s', async (_name, capabilities, args) => {
    const { client } = await startMultiplexer();
    const { outcome } = await callStdioTool(await client(capabilities), 'ask', { ...args });
    expect(words(outcome)).toMatch('refused: No caller can be asked');
  });

  it('gets no question that could belong to another session’s call', async () => {
    const { client } = await startMultiplexer();
    const [one, other] = [await client(form), await client(form)];
    answering(one, 'one');
    answering(other, 'other');
    void callStdioTool(one, 'hang', {}, { timeout: 1000 });
    expect(words((await callStdioTool(other, 'ask')).outcome)).toMatch('refused');
    await rest(1000); // canceled by its caller, but not by the child
    expect(words((await callStdioTool(other, 'ask')).outcome)).toMatch('refused');
  });

  it('withdraws its question when its call is canceled', async () => {
    const { client } = await startMultiplexer();
    const [silent, caller] = [await client(form), await client(form)];
    silent.setRequestHandler('elicitation/create', () => new Promise(() => undefined));
    answering(caller, 'yes');
    for (let n = 0; n < 25; n++) await callStdioTool(silent, 'ask', {}, { timeout: 30 });
    expect(words((await callStdioTool(caller, 'ask')).outcome)).toMatch('yes');
  });

  it('gets updates only of resources that it subscribed to', async () => {
    const { client } = await startMultiplexer();
    const [one, other] = [await client(), await client()];
    const received: string[] = [];
    one.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void received.push(`one ${params.uri}`),
    );
    other.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void received.push(`other ${params.uri}`),
    );
    await one.subscribeResource({ uri: 'test://a' });
    await other.subscribeResource({ uri: 'test://b' });
    while (received.length < 2) await rest(10);
    await rest(200); // updates of other resources would have arrived by now
    expect(received).toEqual(['one test://a', 'other test://b']);
  });

  it('no longer blocks questions of others after it is closed', async () => {
    const { client } = await startMultiplexer();
    const [one, other] = [await client(), await client(form)];
    answering(other, 'other');
    const steps = callStdioTool(one, 'large', { bytes: 10 });
    await one.close();
    await steps;
    await rest(100);
    expect(words((await callStdioTool(other, 'ask')).outcome)).toMatch('accept');
  });
});
