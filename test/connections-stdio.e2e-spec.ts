import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { NotSent, OutcomeUnknown } from '../src/connections/connections.error.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { sessionPrincipal } from './kit/gate-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { stdioCommand } from './kit/stdio-command.js';

const stdio = stdioCommand();
let server: TestServer;
let lark: Organization;

beforeAll(async () => {
  process.env.SECRET_OF_THE_OPERATOR = 'not for children';
  const commands = [
    stdio.command('good'),
    stdio.command('broken', {}, '--broken'),
    { name: 'missing', command: path.join(stdio.folder, 'nothing') },
    { name: 'mute', command: '/bin/sleep', args: ['1000'] },
  ];
  server = await testServer({ STDIO_COMMANDS: JSON.stringify(commands) });
  lark = await anOrganization(server);
});
afterAll(async () => {
  await server.close();
  stdio.remove();
});

const connect = async (command: string, settings = {}) => {
  const slug = `s${newId().slice(-12)}`;
  const input = { kind: 'mcp', name: command, slug, settings: { command, timeoutSeconds: 10, ...settings } };
  return server.app.get(ConnectionsService).create(await sessionPrincipal(server, lark, lark.admin), input);
};
async function call({ id, slug }: { id: string; slug: string }, name: string) {
  const tools = server.app.get(ToolsService);
  const bundle = { configurationId: newId(), connectionIds: [id] };
  const tool = (await tools.find(lark.system, bundle, `${slug}__${name}`))!;
  const context = {
    ...bundle,
    principal: lark.system,
    readerGroups: [],
    idempotencyKey: newId(),
    signal: new AbortController().signal,
  };
  return tools.execute(context, tool, {});
}

describe('a command of the operator’s list', () => {
  it('works as a connection, without our environment and as user nobody if we run as root', async () => {
    const connection = await connect('good');
    expect(connection).toMatchObject({ status: 'connected' });
    const { structured } = await call(connection, 'environment');
    const uid = process.getuid?.() === 0 ? 65534 : process.getuid?.();
    expect(structured).toMatchObject({ env: [], cwd: '/', uid });
  });

  it('is restarted with a growing delay after it exits', async () => {
    const connection = await connect('good');
    const pid = async () => ((await call(connection, 'environment')).structured as { pid: number }).pid;
    const first = await pid();
    await expect(pid()).resolves.toBe(first);
    await expect(call(connection, 'die')).rejects.toBeInstanceOf(OutcomeUnknown);
    const early = await pid().catch((error: unknown) => error);
    expect(early).toBeInstanceOf(NotSent);
    expect((early as Error).message).toMatch(/restarts in \d seconds/);
    await sleep(1100);
    await expect(pid()).resolves.not.toBe(first);
  });

  it('leaves the outcome unknown if it never answers', async () => {
    const connection = await connect('good', { timeoutSeconds: 1 });
    await expect(call(connection, 'hang')).rejects.toBeInstanceOf(OutcomeUnknown);
    await expect(call(connection, 'environment')).resolves.toMatchObject({ isError: false });
  });

  it.each<[string, RegExp]>([
    ['broken', /"broken" did not start.*the license has expired/],
    ['missing', /"missing" did not start.*ENOENT/],
    ['mute', /"mute" did not start.*in time/],
  ])('reports why it is %s', async (command, reason) => {
    await expect(connect(command, command === 'mute' ? { timeoutSeconds: 1 } : {})).resolves.toMatchObject({
      status: 'failed',
      statusReason: expect.stringMatching(reason),
    });
  });

  it('cannot be a command that a tenant enters', async () => {
    await expect(connect('/bin/sh')).rejects.toMatchObject({
      code: 'invalid-request',
      errors: [{ pointer: '/settings/command' }],
    });
  });

  it('is not available with a second organization', async () => {
    const connection = await connect('good');
    await anOrganization(server);
    await expect(call(connection, 'environment')).rejects.toThrow(/more than one organization/);
    await expect(connect('good')).resolves.toMatchObject({
      status: 'failed',
      statusReason: expect.stringMatching('more than one organization'),
    });
  });
});
