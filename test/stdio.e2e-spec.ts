import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { NotSent, OutcomeUnknown } from '../src/connections/connections.error.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import type { Conversation } from '../src/connections/conversation.port.js';
import { StdioCommandsService } from '../src/mcp-client/stdio/stdio-commands.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { sessionPrincipal } from './kit/gate-fixture.js';
import { anOrganization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { callStdioTool, pidOf, startStdioCall, stdioClient, waitForProcessExit } from './kit/stdio-client.js';
import { stdioCommand } from './kit/stdio-command.js';

const stdio = stdioCommand();
const ours = [stdio.command('good'), stdio.command('expired', {}, '--broken')];
const settings = { STDIO_COMMANDS: JSON.stringify(ours) };
/** Serves requests but starts no command: its stdio sessions go to a worker, through rows and wakeups. */
let web: TestServer;
let database: pg.Client;
let worker: ServerProcess;
const workers: ServerProcess[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  web = await testServer({ STDIO_COMMANDS: JSON.stringify([...ours, stdio.command('unknown')]), ROLE: 'web' });
  database = new pg.Client(web.databaseUrl);
  await database.connect();
  worker = await aWorker();
});
afterEach(async () => {
  for (const stopped of workers) stopped.signal('SIGCONT');
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await database.query('update stdio_children set start_after = null');
});
afterAll(async () => {
  await Promise.all(workers.map((running) => running.kill('SIGTERM')));
  await database.end();
  await web.close();
  stdio.remove();
});

async function aWorker(): Promise<ServerProcess> {
  const started = await serverProcess(web.databaseUrl, { ...settings, ROLE: 'worker' });
  workers.push(started);
  return started;
}
async function connect(name: string, capabilities?: ClientCapabilities, timeoutMs?: number): Promise<Client> {
  const command = web.config.stdioCommands.find((known) => known.name === name)!;
  const client = await stdioClient(web.app.get(StdioCommandsService), command, capabilities, timeoutMs);
  clients.push(client);
  return client;
}
const tableIsEmpty = async (table: string) => (await database.query(`select 1 from ${table}`)).rowCount === 0;

describe('a command that another process runs', () => {
  it('has one child for all its users', async () => {
    const [one, other] = [await connect('good'), await connect('good')];
    expect(one.getServerVersion()).toMatchObject({ name: 'stdio' });
    await expect(pidOf(one)).resolves.toBe(await pidOf(other));
    const words = Array.from({ length: 20 }, (_, n) => `word ${n}`);
    const received = await Promise.all(
      words.map((said, n) => (n % 2 ? one : other).callTool({ name: 'echo', arguments: { said } })),
    );
    expect(received.map(({ content }) => content)).toEqual(words.map((text) => [{ type: 'text', text }]));
  });

  it('sends progress and asks questions during a call', async () => {
    const client = await connect('good', { elicitation: {} });
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' as const }));
    await expect(callStdioTool(client, 'ask')).resolves.toMatchObject({
      outcome: { content: [{ text: '{"action":"decline"}' }] },
    });
    const received: number[] = [];
    await client.callTool({ name: 'steps' }, { onprogress: ({ progress }) => void received.push(progress) });
    expect(received).toEqual([0, 1, 2]);
  });

  it('leaves the outcome unknown after an answer that is nested too deeply', async () => {
    const { outcome, isSent } = await callStdioTool(await connect('good'), 'deep');
    expect(outcome).toBeInstanceOf(OutcomeUnknown);
    expect(isSent).toBe(true);
    await expect(pidOf(await connect('good'))).resolves.toEqual(expect.any(Number));
  });

  it('stores messages only sealed and only until they are taken', async () => {
    const client = await connect('good');
    while (!(await tableIsEmpty('stdio_messages'))) await rest(5);
    worker.signal('SIGSTOP');
    const echo = callStdioTool(client, 'echo', { said: 'a secret of the caller' });
    while (await tableIsEmpty('stdio_messages')) await rest(5);
    const { rows } = await database.query<{ message: Buffer }>('select message from stdio_messages');
    expect(rows).toHaveLength(1);
    expect(rows[0].message.toString('latin1')).not.toMatch(/secret|echo/);
    worker.signal('SIGCONT');
    await expect(echo).resolves.toMatchObject({ outcome: { content: [{ type: 'text' }] }, isSent: true });
    expect(await tableIsEmpty('stdio_messages')).toBe(true);
  });

  it('reports why it does not start and when it restarts', async () => {
    const reason = /"expired" did not start as an MCP server: “the license has expired”/;
    await expect(connect('expired')).rejects.toThrow(reason);
    const again = connect('expired');
    await expect(again).rejects.toThrow(/exited once .*restarts in \d seconds/);
    await expect(again).rejects.toBeInstanceOf(NotSent);
  });

  it('ends its calls at once when it exits', async () => {
    const client = await connect('good');
    const { outcome, isSent } = await callStdioTool(client, 'die');
    expect(outcome).toBeInstanceOf(OutcomeUnknown);
    expect((outcome as Error).message).toMatch('it exited with code 3');
    expect(isSent).toBe(true);
    await expect(connect('good')).rejects.toThrow(/restarts in/);
  });

  it('fails to open if no process runs it', async () => {
    const connecting = connect('unknown', {}, 1000);
    await expect(connecting).rejects.toBeInstanceOf(NotSent);
    await expect(connecting).rejects.toThrow('No worker process started the command "unknown" in time.');
  });
});

describe('a connection to a command', () => {
  it('works from a process that runs no commands, and its tools can ask their callers', async () => {
    const lark = await anOrganization(web);
    const input = { kind: 'mcp', name: 'Good', slug: 'good', settings: { command: 'good', timeoutSeconds: 10 } };
    const connections = web.app.get(ConnectionsService);
    const connection = await connections.create(await sessionPrincipal(web, lark, lark.admin), input);
    expect(connection.status).toBe('connected');
    const bundle = { configurationId: newId(), connectionIds: [connection.id] };
    const tools = web.app.get(ToolsService);
    const tool = (await tools.find(lark.system, bundle, 'good__ask'))!;
    const received: string[] = [];
    const conversation: Conversation = {
      capabilities: { elicitation: { form: {} } },
      ask: async (requests) => {
        received.push(...Object.values(requests).map(({ params }) => String(params?.message)));
        return Object.fromEntries(Object.keys(requests).map((key) => [key, { action: 'decline' }]));
      },
      progress: () => undefined,
      log: () => undefined,
    };
    const { signal } = new AbortController();
    const who = { principal: lark.system, readerGroups: [], idempotencyKey: newId(), signal, conversation };
    await expect(tools.execute({ ...bundle, ...who }, tool, {})).resolves.toMatchObject({
      content: [{ text: '{"action":"decline"}' }],
    });
    expect(received).toEqual(['Well?']);
  });
});

describe('a call that its caller cancels', () => {
  it('is never sent if no process had taken it', async () => {
    const client = await connect('good');
    worker.signal('SIGSTOP');
    const given = await callStdioTool(client, 'die', {}, { timeout: 300 });
    expect(given).toMatchObject({ outcome: { code: 'REQUEST_TIMEOUT' }, isSent: false });
    worker.signal('SIGCONT');
    await expect(pidOf(client)).resolves.toEqual(expect.any(Number));
  });

  it('may have been executed if a process had taken it', async () => {
    const { ended, cancel } = await startStdioCall(await connect('good'), 'hang');
    cancel();
    await expect(ended).resolves.toMatchObject({ isSent: true });
  });
});

describe('a shutdown of the owner', () => {
  it('lets calls in progress complete and releases the child to another process at once', async () => {
    const client = await connect('good');
    const first = await pidOf(client);
    const under = await startStdioCall(client, 'slow', { ms: 2000 });
    const stopped = worker.kill('SIGTERM');
    await expect(under.ended).resolves.toMatchObject({ outcome: { content: [{ text: 'done' }] } });
    await stopped;
    await waitForProcessExit(first);
    worker = await aWorker();
    await expect(pidOf(await connect('good'))).resolves.not.toBe(first);
  });
});

describe('kill -9 of the owner', () => {
  it('leaves only taken calls with an unknown outcome, kills the child, and another process starts a new one', async () => {
    const client = await connect('good');
    const first = await pidOf(client);
    // these would keep running on their own; one of them has left the group
    const { structuredContent } = await client.callTool({ name: 'fork' });
    const { pids } = structuredContent as { pids: number[] };
    await rest(2500); // descendants are searched every second
    const taken = await startStdioCall(client, 'hang');
    await worker.kill('SIGKILL');
    const untaken = callStdioTool(client, 'echo', { said: 'late' });
    await waitForProcessExit(first, ...pids);
    worker = await aWorker();
    const again = await connect('good', {}, 240_000);
    await expect(pidOf(again)).resolves.not.toBe(first);
    const [one, other] = await Promise.all([taken.ended, untaken]);
    expect(one.outcome).toBeInstanceOf(OutcomeUnknown);
    expect(one.isSent).toBe(true);
    expect(other.outcome).toBeInstanceOf(NotSent);
    expect(other.isSent).toBe(false);
  });
});

describe('an owner that stalled for longer than its lease', () => {
  it('gives up its child and executes nothing more', async () => {
    const stalled = worker;
    const client = await connect('good');
    const first = await pidOf(client);
    stalled.signal('SIGSTOP');
    const other = await aWorker();
    const again = await connect('good', {}, 240_000);
    await expect(pidOf(again)).resolves.not.toBe(first);
    stalled.signal('SIGCONT');
    await waitForProcessExit(first);
    await expect(pidOf(again)).resolves.toEqual(expect.any(Number));
    expect([stalled, other].map((running) => running.isAlive())).toEqual([true, true]);
  });
});
