import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import { setTimeout as rest } from 'node:timers/promises';
import { NotSent, OutcomeUnknown } from '../src/connections/connections.error.js';
import { upstreamCalls } from '../src/connections/mcp/upstream-call.js';
import { StdioMultiplexer } from '../src/connections/mcp/stdio/stdio-multiplexer.js';
import { callStdioTool, pidOf, stdioClient, waitForProcessExit } from './kit/stdio-client.js';
import { stdioCommand } from './kit/stdio-command.js';

const stdio = stdioCommand();
const boards: StdioMultiplexer[] = [];
const checks: NodeJS.Timeout[] = [];

afterEach(async () => {
  checks.splice(0).forEach((check) => clearInterval(check));
  await Promise.all(boards.splice(0).map((board) => board.kill('the test is over')));
});
afterAll(() => stdio.remove());

async function aBoard(limits: { memoryMb?: number; silenceSeconds?: number } = {}) {
  const board = await StdioMultiplexer.start(stdio.command('test', limits));
  boards.push(board);
  checks.push(setInterval(() => board.check(), 100));
  const commands = {
    open: (_command: unknown, ear: Parameters<StdioMultiplexer['open']>[0]) => Promise.resolve(board.open(ear)),
  };
  const client = (capabilities?: ClientCapabilities): Promise<Client> =>
    stdioClient(commands, stdio.command('test'), capabilities);
  return { board, client };
}
const words = (outcome: unknown) => (outcome as { content: { text: string }[] }).content[0].text;

describe('a child', () => {
  it('that eats memory is ended, and what it was asked is uncertain', async () => {
    const { board, client } = await aBoard({ memoryMb: 200 });
    const { outcome, isSent } = await callStdioTool(await client(), 'eat');
    expect(outcome).toBeInstanceOf(OutcomeUnknown);
    expect((outcome as Error).message).toMatch(/more than 200 MB of memory/);
    expect(isSent).toBe(true);
    await expect(board.exit).resolves.toMatch('memory');
  });

  it('that floods its output or its errors hinders nobody else', async () => {
    const [quiet, loud] = [await aBoard(), await aBoard()];
    const [caller, flooded] = [await quiet.client(), await loud.client()];
    await callStdioTool(flooded, 'floodErrors');
    void callStdioTool(flooded, 'floodOutput');
    await rest(500);
    for (let n = 0; n < 20; n++) await expect(pidOf(caller)).resolves.toEqual(expect.any(Number));
  });

  it('that says one thing without an end is ended', async () => {
    const { client } = await aBoard();
    const { outcome } = await callStdioTool(await client(), 'endless');
    expect(outcome).toBeInstanceOf(OutcomeUnknown);
    expect((outcome as Error).message).toMatch(/a message is longer than/);
  });

  it('that answers deeper than anybody reads is not believed, and serves on', async () => {
    const { client } = await aBoard();
    const caller = await client();
    expect((await callStdioTool(caller, 'deep')).outcome).toMatchObject({ code: 'INVALID_RESULT' });
    await expect(pidOf(caller)).resolves.toEqual(expect.any(Number));
  });

  it('may answer at length', async () => {
    const { client } = await aBoard();
    const { outcome } = await callStdioTool(await client(), 'large', { bytes: 9_000_000 });
    expect(words(outcome)).toHaveLength(9_000_000);
  });

  it('that does not answer one call serves the others; that answers nothing at all is ended', async () => {
    const { board, client } = await aBoard({ silenceSeconds: 1 });
    const caller = await client();
    await expect(callStdioTool(caller, 'hang', {}, { timeout: 300 })).resolves.toMatchObject({ isSent: true });
    await rest(1500);
    await expect(pidOf(caller)).resolves.toEqual(expect.any(Number));
    await callStdioTool(caller, 'block', {}, { timeout: 300 });
    await expect(board.exit).resolves.toMatch(/it hung/);
  });

  it('that ends at once says why', async () => {
    const start = StdioMultiplexer.start(stdio.command('test', {}, '--broken'));
    await expect(start).rejects.toThrow('The command "test" did not start as an MCP server: “the license has expired”');
    await expect(start).rejects.toBeInstanceOf(NotSent);
  });

  it('takes along what it started, in its group or not', async () => {
    const { board, client } = await aBoard();
    const caller = await client();
    const { pids } = (await caller.callTool({ name: 'fork' })).structuredContent as { pids: number[] };
    const pid = await pidOf(caller);
    await board.end('enough');
    await waitForProcessExit(pid, ...pids);
  });

  it('is heard of changes no more often than anybody could read', async () => {
    const { client } = await aBoard();
    const caller = await client();
    let heard = 0;
    caller.setNotificationHandler('notifications/tools/list_changed', () => void heard++);
    await callStdioTool(caller, 'floodNotes', { count: 5000 });
    expect(heard).toBeGreaterThan(0);
    expect(heard).toBeLessThanOrEqual(200); // it may have begun in one second and ended in the next
  });
});

describe('a line', () => {
  const form = { elicitation: { form: {} } };
  const answering = (client: Client, answer: string) =>
    client.setRequestHandler('elicitation/create', () => {
      return { action: 'accept' as const, content: { answer, isOfTheCall: upstreamCalls.getStore() !== undefined } };
    });

  it('carries progress to who asked for it', async () => {
    const { client } = await aBoard();
    const [one, other] = [await client(), await client()];
    const heard: number[][] = [[], []];
    await Promise.all(
      [one, other].map((caller, n) =>
        caller.callTool({ name: 'steps' }, { onprogress: ({ progress }) => void heard[n].push(progress) }),
      ),
    );
    expect(heard).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  it('is asked in the middle of its call, as if from there', async () => {
    const { client } = await aBoard();
    const caller = await client(form);
    answering(caller, 'yes');
    const { outcome } = await callStdioTool(caller, 'ask');
    expect(JSON.parse(words(outcome))).toEqual({ action: 'accept', content: { answer: 'yes', isOfTheCall: true } });
  });

  it.each<[string, ClientCapabilities, object]>([
    ['of a client that takes no questions', {}, {}],
    ['of a client that opens no pages', form, { mode: 'url' }],
  ])('%s is not asked', async (_name, capabilities, args) => {
    const { client } = await aBoard();
    const { outcome } = await callStdioTool(await client(capabilities), 'ask', { ...args });
    expect(words(outcome)).toMatch('refused: Nobody can be asked');
  });

  it('is not asked where the question could be about somebody else’s call', async () => {
    const { client } = await aBoard();
    const [one, other] = [await client(form), await client(form)];
    answering(one, 'one');
    answering(other, 'other');
    void callStdioTool(one, 'hang', {}, { timeout: 1000 });
    expect(words((await callStdioTool(other, 'ask')).outcome)).toMatch('refused');
    await rest(1000); // given up by its caller, but not by the child
    expect(words((await callStdioTool(other, 'ask')).outcome)).toMatch('refused');
  });

  it('takes its question along when its call is given up', async () => {
    const { client } = await aBoard();
    const [silent, caller] = [await client(form), await client(form)];
    silent.setRequestHandler('elicitation/create', () => new Promise(() => undefined));
    answering(caller, 'yes');
    for (let n = 0; n < 25; n++) await callStdioTool(silent, 'ask', {}, { timeout: 30 });
    expect(words((await callStdioTool(caller, 'ask')).outcome)).toMatch('yes');
  });

  it('hears of the resources that it subscribed to, and of no others', async () => {
    const { client } = await aBoard();
    const [one, other] = [await client(), await client()];
    const heard: string[] = [];
    one.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(`one ${params.uri}`));
    other.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void heard.push(`other ${params.uri}`),
    );
    await one.subscribeResource({ uri: 'test://a' });
    await other.subscribeResource({ uri: 'test://b' });
    while (heard.length < 2) await rest(10);
    await rest(200); // others would be told by now
    expect(heard).toEqual(['one test://a', 'other test://b']);
  });

  it('that is closed frees the others from its calls', async () => {
    const { client } = await aBoard();
    const [one, other] = [await client(), await client(form)];
    answering(other, 'other');
    const steps = callStdioTool(one, 'large', { bytes: 10 });
    await one.close();
    await steps;
    await rest(100);
    expect(words((await callStdioTool(other, 'ask')).outcome)).toMatch('accept');
  });
});
