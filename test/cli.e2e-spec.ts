import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { aUser } from './kit/api.js';
import { approveTerminal, CommandLine } from './kit/command-line.js';
import { GateFixture } from './kit/gate-fixture.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let user: Member;
let cli: CommandLine;

beforeAll(async () => {
  [server, workplace, cli] = await Promise.all([testServer(), Workplace.start(), CommandLine.build()]);
  fixture = await GateFixture.create(server, workplace);
  user = await aUser(fixture, 'Ulla User');
  await fixture.publish(`
    @id("reads") permit (principal, action in Action::"read", resource);
    @id("writes") @approval("review") permit (principal, action in Action::"write", resource);`);
  expect((await cli.login(server.url, await fixture.organization.browser(user))).code).toBe(0);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const decide = async (id: string, decision: 'approve' | 'deny' = 'approve') =>
  fixture.get(ApprovalsService).decide(await fixture.principalOf(fixture.reviewer), id, decision, 'Not now.');
let count = 0;
const title = () => `Conveyor ${++count} stands still`;
const arrivals = async (of: string) =>
  (await workplace.arrivals()).filter(({ arguments: args }) => (args as { title?: string }).title === of);

describe('signing in', () => {
  it('shows the address and the code, but no link with the code, and stores the token for its owner only', async () => {
    const own = cli.with();
    const command = own.start(['login', server.url, '--no-open']);
    const [, code] = await command.waitFor(/code ([B-Z]{4}-[B-Z]{4})/);
    expect(command.output).toContain(`Open ${server.url}/device\n`);
    expect(command.output).not.toContain(`=${code}`);
    await approveTerminal(await fixture.organization.browser(user), code);
    expect(await command.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('as Ulla User') });
    const file = path.join(own.home, '.config/countersign/logins.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    expect(readFileSync(file, 'utf8')).toContain('cs_cli_');
    expect(await own.json(['whoami'])).toMatchObject({
      server: server.url,
      member: { name: 'Ulla User' },
      scopes: ['api:read', 'api:write'],
      device: { program: expect.stringMatching(/^countersign\/\d/) },
    });
    expect(await own.run(['logout'])).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).not.toContain('cs_');
    expect(await own.run(['whoami'])).toMatchObject({ code: 77, stdout: '' });
  });
});

describe('tools', () => {
  it('lists what the policies could allow, with search words', async () => {
    const { tools } = await cli.json(['tools', 'ticket', 'create']);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['workplace__create_ticket']);
    expect((await cli.run(['tools'])).stdout).toMatch(/workplace__create_ticket +write needs approval/);
    expect((await cli.run(['tools', 'workplace__create_ticket'])).stdout).toMatch(/title +string +required/);
  });

  it('calls a tool that reads at once', async () => {
    const { code, stdout } = await cli.run(['call', 'workplace__get_ticket', '-a', 'id=LAN-2291']);
    expect(code).toBe(0);
    expect(stdout).toContain('LAN-2291');
  });

  it('waits for the approval, and shows where it is given', async () => {
    const subject = title();
    const command = cli.start(['call', 'workplace__create_ticket', '-a', `title=${subject}`]);
    const [, id] = await command.waitFor(/create_ticket waits for approval:\s+http.*\/approvals\/([0-9a-f-]{36})/);
    expect(await arrivals(subject)).toHaveLength(0);
    await decide(id);
    const { code, stdout } = await command.ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/T-|ticket/i)]);
    expect(await arrivals(subject)).toHaveLength(1);
  });

  it('exits with 75 and the id instead of waiting, and resumes later', async () => {
    const args = ['call', 'workplace__create_ticket', '-a', `title=${title()}`];
    const { code, stdout, stderr } = await cli.run([...args, '--no-wait', '--json']);
    expect([code, stdout]).toEqual([75, '']);
    const { callId, url } = JSON.parse(stderr).error;
    expect(await cli.run(['call', '--resume', callId, '--no-wait'])).toMatchObject({ code: 75 });
    await decide(/approvals\/(.*)$/.exec(url)![1]);
    expect(await cli.json(['call', '--resume', callId])).toMatchObject({ id: callId, state: 'succeeded' });
  });

  it('exits with 4 when a person denies, and says why', async () => {
    const command = cli.start(['call', 'workplace__create_ticket', '-a', `title=${title()}`]);
    const [, id] = await command.waitFor(/\/approvals\/([0-9a-f-]{36})/);
    await decide(id, 'deny');
    expect(await command.ended).toMatchObject({ code: 4, stderr: expect.stringContaining('Not now.') });
  });
});

describe('a search', () => {
  const shown = `[1] Export trouble
    The zebra export is broken since Monday, see PROJ-123.
    chat · line 1 · https://chat.example/export/1
[2] PROJ-123: Worker restarts
    The worker runs out of memory.
    tracker · Platform · line 1 · https://tracker.example/browse/PROJ-123
    named in [1]
`;
  beforeAll(async () => {
    const knowledge = new KnowledgeFixture(server, fixture.organization, await fixture.organization.as());
    const { chatId, trackerId } = await knowledge.pushLinkedDocuments();
    await fixture.get(ConfigurationsService).update(await fixture.principalOf(), {
      configurationId: fixture.configurationId,
      connectionIds: [fixture.connectionId, chatId, trackerId],
    });
  });

  it('also shows the ticket that a result names', async () => {
    expect(await cli.run(['search', 'zebra'])).toMatchObject({ code: 0, stdout: shown });
    expect(await cli.json(['search', 'zebra'])).toMatchObject({
      configuration: fixture.configurationId,
      passages: [{ n: 1, title: 'Export trouble' }],
      linked: [{ n: 2, namedIn: 1, title: 'PROJ-123: Worker restarts', source: 'tracker' }],
    });
    expect(await cli.json(['search', 'zebra', '--source', 'chat'])).toMatchObject({ linked: [] });
  });

  it('that needs an approval shows the same once it is given', async () => {
    await fixture.publish('@id("all") @approval("review") permit (principal, action, resource);');
    const command = cli.start(['search', 'zebra']);
    const [, id] = await command.waitFor(/\/approvals\/([0-9a-f-]{36})/);
    await decide(id);
    expect(await command.ended).toMatchObject({ code: 0, stdout: shown });
  });
});

describe('the command line itself', () => {
  it('prints its help without a server', async () => {
    const { code, stdout } = await cli.with().run(['--help']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: countersign')]);
    expect(existsSync(path.join(cli.home, '.config'))).toBe(true);
  });
});
