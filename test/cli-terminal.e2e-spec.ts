import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { CommandLine } from './kit/command-line.js';
import { sessionPrincipal } from './kit/gate-fixture.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { aTerminal } from './kit/terminal.js';

/* A person at a terminal: progress, questions, Ctrl-C; and tasks, which the sandbox plays. */

const ctrlC = '\u0003';
let server: TestServer;
let fixture: SandboxFixture;
let user: Member;
let cli: CommandLine;

beforeAll(async () => {
  [server, cli] = await Promise.all([testServer(), CommandLine.build()]);
  fixture = await SandboxFixture.create(server);
  const { organization, admin, configurationId, connectionId } = fixture;
  const { id } = await server.app.get(GroupsService).create(organization.system, 'Desk');
  user = await organization.member({ name: 'Ulla User', groupIds: [id] });
  const configurations = server.app.get(ConfigurationsService);
  await configurations.update(admin, { configurationId, groupIds: [id] });
  const second = { name: 'Another', description: '', connectionIds: [connectionId], groupIds: [id] };
  await configurations.create(admin, second);
  await fixture.publish('@id("acts") @approval("review") permit (principal, action, resource);');
  const { access_token: token } = await aTerminal(server.url, await organization.browser(user), 'api:write');
  cli = cli.with({ env: { COUNTERSIGN_URL: server.url, COUNTERSIGN_TOKEN: token } });
});
afterAll(() => server.close());

const approve = async (id: string) =>
  server.app
    .get(ApprovalsService)
    .decide(await sessionPrincipal(server, fixture.organization, fixture.reviewer), id, 'approve');
const inSandbox = ['--configuration', 'Sandbox'];
const approvalLink = /\/approvals\/([0-9a-f-]{36})/;

describe('in a terminal', () => {
  it('shows progress with the link while a call waits, and its result afterwards', async () => {
    const command = cli.startInTerminal(['call', 'sandbox__act', '-a', 'note=one', ...inSandbox]);
    const [, id] = await command.waitFor(approvalLink);
    await approve(id);
    const { code, stdout } = await command.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/\r\u001b\[K/); // the line of the progress is gone
  });

  it('says after Ctrl-C that the call goes on, and how to see its outcome', async () => {
    const command = cli.startInTerminal(['call', 'sandbox__act', '-a', 'note=two', ...inSandbox]);
    const [, approvalId] = await command.waitFor(approvalLink);
    command.write(ctrlC);
    const { code, stdout } = await command.ended;
    expect(code).toBe(130);
    const [, callId] = /countersign call --resume ([0-9a-f-]{36})/.exec(stdout)!;
    await approve(approvalId);
    expect(await cli.json(['call', '--resume', callId])).toMatchObject({ state: 'succeeded' });
  });

  it('asks which configuration to use, and ends quietly with Ctrl-C', async () => {
    const command = cli.startInTerminal(['tools']);
    await command.waitFor(/◆[^\n]*Which configuration\?/);
    command.write('\r');
    expect(await command.ended).toMatchObject({ code: 0 });

    const canceled = cli.startInTerminal(['tools']);
    await canceled.waitFor(/◆[^\n]*Which configuration\?/);
    canceled.write(ctrlC);
    const { code, stdout } = await canceled.ended;
    expect([code, stdout]).toEqual([130, expect.stringContaining('Canceled.')]);
    expect(stdout).not.toMatch(/^\s+at /m);
  });

  it('asks nothing in a script, and says what to name', async () => {
    expect(await cli.run(['tools'])).toMatchObject({ code: 2, stderr: expect.stringContaining('Another, Sandbox') });
    expect(await cli.run(['tools'], { env: { COUNTERSIGN_CONFIGURATION: 'sandbox' } })).toMatchObject({ code: 0 });
  });

  it('ends while it waits for the code of the sign-in', async () => {
    const command = cli.startInTerminal(['login', server.url, '--no-open']);
    await command.waitFor(/Waiting for the code/);
    command.write(ctrlC);
    expect(await command.ended).toMatchObject({ code: 130, stdout: expect.stringMatching(/\u001b\[\?25h$/) }); // the cursor is back
  });

  it('uses colours, and nowhere else', async () => {
    const colour = /\u001b\[\d+m/;
    const shown = async (args: string[], env: Record<string, string> = {}) =>
      (await cli.startInTerminal(args, env).ended).stdout;
    expect(await shown(['configurations'])).toMatch(colour);
    expect(await shown(['configurations'], { NO_COLOR: '1' })).not.toMatch(colour);
    expect(await shown(['configurations'], { TERM: 'dumb' })).not.toMatch(colour);
    expect(await shown(['configurations', '--json'])).not.toMatch(colour);
    expect((await cli.run(['configurations'])).stdout).not.toMatch(colour);
  });
});

describe('a task', () => {
  it('shows its result', async () => {
    const { code, stdout } = await cli.run(['task', 'send', 'complete', 'All', 'done', ...inSandbox]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('All done')]);
  });

  it('reads its text from stdin', async () => {
    expect(await cli.run(['task', 'send', ...inSandbox], { input: 'complete From a pipe\n' })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('From a pipe'),
    });
  });

  it('that fails or is canceled exits with 5, and says why', async () => {
    const failed = await cli.run(['task', 'send', 'fail', 'On', 'purpose', ...inSandbox]);
    expect(failed).toMatchObject({ code: 5, stderr: expect.stringContaining('On purpose') });

    const sent = await cli.json(['task', 'send', 'wait', '--no-wait', '--id', 'canceled-1', ...inSandbox]);
    expect(sent).toMatchObject({ id: 'canceled-1' });
    const watched = cli.start(['task', 'watch', 'canceled-1']);
    expect(await cli.run(['task', 'cancel', 'canceled-1'])).toMatchObject({ code: 0 });
    expect(await watched.ended).toMatchObject({ code: 5, stderr: expect.stringContaining('canceled') });
    const { tasks } = await cli.json(['task', 'list', '--state', 'canceled']);
    expect(tasks.map(({ id }: { id: string }) => id)).toEqual(['canceled-1']);
  });

  it('shows the link of an approval, and continues after the decision', async () => {
    const command = cli.start(['task', 'send', 'approve', 'something', ...inSandbox]);
    const [, id] = await command.waitFor(approvalLink);
    await approve(id);
    expect(await command.ended).toMatchObject({ code: 0 });
  });

  it('asks the person in a terminal', async () => {
    const command = cli.startInTerminal(['task', 'send', 'ask', 'Which', 'line?', ...inSandbox]);
    await command.waitFor(/◆[^\n]*Which line\?/);
    command.write('Line 3\r');
    const { code, stdout } = await command.ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Line 3/)]);
  });

  it('says how to answer later, if the person cancels the question', async () => {
    const command = cli.startInTerminal(['task', 'send', 'ask', 'Which', 'line?', '--id', 'asked-2', ...inSandbox]);
    await command.waitFor(/◆[^\n]*Which line\?/);
    command.write(ctrlC);
    expect(await command.ended).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('countersign task send --id asked-2'),
    });
    expect(await cli.run(['task', 'send', '--id', 'asked-2', 'Line 3'])).toMatchObject({ code: 0 });
  });

  it('exits with 75 in a script, which continues it with its id', async () => {
    const asked = await cli.run(['task', 'send', 'ask', 'Which', 'line?', '--id', 'asked-1', '--json', ...inSandbox]);
    expect([asked.code, asked.stdout]).toEqual([75, '']);
    expect(JSON.parse(asked.stderr)).toMatchObject({
      error: { code: 'pending', taskId: 'asked-1', state: 'input-required' },
    });
    expect(await cli.run(['task', 'send', '--id', 'asked-1', 'Line 3'])).toMatchObject({ code: 0 });
  });

  it('goes on after Ctrl-C', async () => {
    const command = cli.startInTerminal(['task', 'send', 'wait', '--id', 'left-1', ...inSandbox]);
    await command.waitFor(/The agent works|Submitted/);
    command.write(ctrlC);
    expect(await command.ended).toMatchObject({
      code: 130,
      stdout: expect.stringContaining('countersign task watch left-1'),
    });
    expect(await cli.run(['task', 'cancel', 'left-1'])).toMatchObject({ code: 0 });
  });

  it('writes its artifacts into files', async () => {
    const out = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'artifacts-'));
    const { files } = await cli.json(['task', 'send', 'multi', '2', '--output', out, ...inSandbox]);
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files as string[]) expect(path.dirname(file)).toBe(out);
    expect(readFileSync(files[0] as string, 'utf8')).not.toBe('');
  });

  it('of somebody else does not exist', async () => {
    const { organization } = fixture;
    const { access_token: token } = await aTerminal(server.url, await organization.browser(), 'api:write');
    expect(await cli.run(['task', 'watch', 'asked-1'], { env: { COUNTERSIGN_TOKEN: token } })).toMatchObject({
      code: 1,
    });
  });
});

describe('approvals', () => {
  it('that wait for the person are listed and opened, but not decided', async () => {
    const { organization, reviewer } = fixture;
    const { access_token: token } = await aTerminal(server.url, await organization.browser(reviewer), 'api:write');
    const asReviewer = { env: { COUNTERSIGN_TOKEN: token } };
    const args = ['call', 'sandbox__act', '-a', 'note=three', '--no-wait', '--json', ...inSandbox];
    const { url, callId } = JSON.parse((await cli.run(args)).stderr).error as { url: string; callId: string };
    const { approvals } = await cli.json(['approvals'], asReviewer);
    expect(approvals).toContainEqual(expect.objectContaining({ callId, url, tool: 'sandbox__act' }));
    expect(JSON.stringify(approvals)).not.toContain('three');
    expect((await cli.run(['approvals'])).stdout).toBe('No approvals wait for you.\n');

    const opened = path.join(cli.home, 'opened');
    const browser = path.join(cli.home, 'browser');
    writeFileSync(browser, `#!/bin/sh\necho "$1" > ${opened}\n`);
    chmodSync(browser, 0o755);
    const env = { ...asReviewer.env, BROWSER: browser };
    expect(await cli.run(['approvals', '--open'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Opened /),
    });
    await expect.poll(() => readFileSync(opened, 'utf8')).toContain('/approvals/');
    expect(await cli.run(['call', '--resume', callId, '--no-wait'])).toMatchObject({ code: 75 });

    for (const method of ['POST', 'PUT'])
      for (const end of ['', '/decide', '/approve']) {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const address = `${server.url}${new URL(url).pathname.replace('/approvals', '/cli/approvals')}${end}`;
        const { status } = await fetch(address, { method, headers, body: '{"decision":"approve"}' });
        expect(status).toBe(404);
      }
  });
});
