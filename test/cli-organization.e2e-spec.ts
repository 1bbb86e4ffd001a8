import { execFile, spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProposedChangesService } from '../src/access/administration/proposed-changes.service.js';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { PoliciesService } from '../src/policies/policies.service.js';
import { GateFixture, sessionPrincipal } from './kit/gate-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/* The commands that keep an organization in files, as processes of their own. */

let server: TestServer;
let workplace: Workplace;
let guarded: Workplace;
beforeAll(async () => {
  [server, workplace, guarded] = await Promise.all([
    testServer({ HOST: 'localhost' }),
    Workplace.start(),
    Workplace.start({ token: 'sesame-1234567' }),
    promisify(execFile)(process.execPath, ['run.js', 'cli/bundle.ts']),
  ]);
});
afterAll(async () => {
  await server.close();
  await Promise.all([workplace.stop(), guarded.stop()]);
});

interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}
type Run = (args: string[], env?: Record<string, string>) => Promise<Result>;

/** Runs commands with an admin token of the organization. */
async function commandsOf(organization: Organization): Promise<Run> {
  const admin = await sessionPrincipal(server, organization, organization.admin);
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { token } = await server.app.get(AdminTokensService).create(admin, { name: 'files', expiresAt });
  return (args, env = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, ['cli/dist/countersign.js', ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env.PATH, COUNTERSIGN_URL: server.url, COUNTERSIGN_TOKEN: token, ...env },
      });
      const result: Result = { code: null, stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (result.stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (result.stderr += text));
      child.once('error', reject);
      child.once('close', (code) => resolve({ ...result, code }));
    });
}

const newFolder = () => mkdtempSync(path.join(process.env.TEST_FOLDER!, 'files-'));

function replaceIn(file: string, from: string | RegExp, to: string): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(from);
  writeFileSync(file, text.replace(from, to));
}

describe('countersign', () => {
  it('says that it needs an admin token if none is set', async () => {
    const run = await commandsOf(await anOrganization(server));
    const folder = newFolder();
    const policy = 'kind: policy\nconfiguration: Desk\ntext: permit (principal, action, resource);\n';
    writeFileSync(path.join(folder, 'policy.yaml'), policy);
    for (const command of [['export'], ['plan', folder], ['apply', folder, '--yes'], ['policy', 'diff', folder]])
      expect(await run([...command, '--json'], { COUNTERSIGN_TOKEN: '', HOME: newFolder() })).toMatchObject({
        code: 77,
        stderr: expect.stringContaining('"code":"admin-token-required"'),
      });
  });

  it('exports an organization into files that have nothing to change', async () => {
    const at = await GateFixture.create(server, workplace);
    const run = await commandsOf(at.organization);
    const folder = newFolder();
    expect(await run(['export', '--dir', folder])).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual([
      'configurations',
      'configurations/desk.cedar',
      'configurations/desk.yaml',
      'connections',
      'connections/workplace.yaml',
      'organization.schema.json',
    ]);
    expect(await run(['plan', folder, '--detailed-exit-code'])).toEqual({
      code: 0,
      stdout: 'No changes: the organization is as the files say (3 objects).\n',
      stderr: '',
    });
    const again = newFolder();
    await run(['export', '--dir', again]);
    for (const file of ['configurations/desk.cedar', 'configurations/desk.yaml', 'connections/workplace.yaml'])
      expect(readFileSync(path.join(again, file))).toEqual(readFileSync(path.join(folder, file)));
  });

  it('exports into no file outside of the folder', async () => {
    const at = await GateFixture.create(server, workplace);
    const run = await commandsOf(at.organization);
    const elsewhere = newFolder();
    const [folder, other] = [newFolder(), newFolder()];
    symlinkSync(elsewhere, path.join(folder, 'connections'));
    mkdirSync(path.join(other, 'connections'));
    symlinkSync(path.join(elsewhere, 'hosts'), path.join(other, 'connections/workplace.yaml'));
    for (const dir of [folder, other])
      expect(await run(['export', '--dir', dir])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('cannot be written'),
      });
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('shows field by field what differs, and applies it', async () => {
    const at = await GateFixture.create(server, workplace);
    const run = await commandsOf(at.organization);
    const folder = newFolder();
    await run(['export', '--dir', folder]);
    rmSync(path.join(folder, 'connections'), { recursive: true });
    replaceIn(path.join(folder, 'configurations/desk.yaml'), 'name: Desk\n', 'name: Desk\ndescription: Tickets\n');
    writeFileSync(path.join(folder, 'budget.yaml'), 'kind: budget\nscope: organization\namountCents: "1000"\n');
    const shown = `~ configuration Desk
    ~ description  "" -> "Tickets"

+ budget organization/all_usage
    + scope        "organization"
    + of           null
    + counts       "all_usage"
    + amountCents  "1000"
    + thresholds   [50,80,100]

Plan: 1 to create, 1 to change, 0 to delete, 1 unchanged.

Not in the files, so they stay as they are:
  connection workplace
`;
    expect(await run(['plan', folder])).toEqual({ code: 0, stdout: shown, stderr: '' });
    expect(await run(['plan', folder, '--detailed-exit-code'])).toMatchObject({ code: 3 });
    expect(await run(['apply', folder])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await run(['apply', folder, '--yes'])).toEqual({ code: 0, stdout: `${shown}Applied.\n`, stderr: '' });
    const { stdout } = await run(['plan', folder, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ changes: [], unchanged: 3 });
  });

  it('proposes policies, and shows how they differ line by line', async () => {
    const at = await GateFixture.create(server, workplace);
    const run = await commandsOf(at.organization);
    const folder = newFolder();
    await run(['export', '--dir', folder]);
    const added = 'forbid (principal, action == Action::"workplace__create_ticket", resource);';
    appendFileSync(path.join(folder, 'configurations/desk.cedar'), `\n${added}\n`);
    const diff = await run(['policy', 'diff', folder, '--detailed-exit-code']);
    expect(diff.code).toBe(3);
    expect(diff.stdout).toContain(`~ policy Desk\n    ~ text\n`);
    expect(diff.stdout).toContain(`\n        + ${added}\n`);
    expect(diff.stdout).not.toContain('\n        - ');
    const proposed = await run(['policy', 'apply', folder, '--yes']);
    expect(proposed).toMatchObject({ code: 75, stderr: expect.stringContaining('/proposed-changes/') });
    const id = /proposed-changes\/([0-9a-f-]+)/.exec(proposed.stderr)![1];
    await at.get(ProposedChangesService).confirm(await at.principalOf(), id);
    const { current } = await at.get(PoliciesService).get(await at.principalOf(), at.configurationId);
    expect(current!.text).toContain(added);
    expect(await run(['policy', 'diff', folder, '--detailed-exit-code'])).toMatchObject({ code: 0 });
  });

  // the second one is a property of every object
  it.each(['workplace', 'constructor'])(
    'takes credentials of %s from the environment, and only those that are needed',
    async (name) => {
      const organization = await anOrganization(server);
      const run = await commandsOf(organization);
      const folder = newFolder();
      writeFileSync(
        path.join(folder, 'a.yaml'),
        `kind: connection\nname: ${name}\nconnector: mcp\nsettings: { url: "${guarded.url}" }\nsecrets:\n  token: { fromEnvironment: SECRET_WORKPLACE }\n`,
      );
      expect(await run(['apply', folder, '--yes'])).toMatchObject({
        code: 2,
        stderr: 'Error: These environment variables are not set: SECRET_WORKPLACE.\n',
      });
      expect(await run(['apply', folder, '--yes'], { SECRET_WORKPLACE: ' ' })).toMatchObject({
        code: 2,
        stderr: 'Error: These environment variables are not set: SECRET_WORKPLACE.\n',
      });
      const proposed = await run(['apply', folder, '--yes'], { SECRET_WORKPLACE: 'sesame-1234567' });
      expect(proposed.code).toBe(75);
      expect(proposed.stdout + proposed.stderr).not.toContain('sesame');
      const id = /proposed-changes\/([0-9a-f-]+)/.exec(proposed.stderr)![1];
      const admin = await sessionPrincipal(server, organization, organization.admin);
      await server.app.get(ProposedChangesService).confirm(admin, id);
      expect(await run(['apply', folder, '--yes'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('No changes'),
      });
      const { stdout } = await run(['export']);
      expect(stdout).toContain(`token:\n    fromEnvironment: SECRET_${name.toUpperCase()}_TOKEN`);
      expect(stdout).not.toContain('sesame');
      const connections = await (await organization.as())('{ connections { nodes { status credentials } } }');
      expect(connections.data.connections.nodes).toEqual([{ status: 'connected', credentials: ['token'] }]);
    },
  );

  it.each<[string, string, string]>([
    ['an unknown field', 'kind: group\nname: A\ncolor: red\n', 'a.yaml:3:1 color: is not a known field'],
    [
      'a reference to nothing',
      'kind: configuration\nname: A\ngroups:\n  - B\n  - C\n',
      'a.yaml:5:5 groups.1: there is no group "C"',
    ],
    [
      'two objects of one name',
      'kind: group\nname: A\n---\nkind: group\nname: A\n',
      'a.yaml:4:1 the group "A" is already in',
    ],
    [
      'an invalid setting',
      'kind: connection\nname: a\nconnector: mcp\nsettings:\n  url: nothing\n',
      'a.yaml:5:3 settings.url: must be a full URL',
    ],
    ['hostile names', 'kind: "gr\\u202Eoup\\e[31m"\nname: A\n', 'a.yaml:1:1 kind: must be one of'],
  ])('refuses %s with its place', async (_, text, message) => {
    const run = await commandsOf(await anOrganization(server));
    const folder = newFolder();
    writeFileSync(path.join(folder, 'a.yaml'), text);
    const { code, stdout, stderr } = await run(['plan', folder]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/[\u0000-\u0009\u001b\u202e]/);
    const json = await run(['plan', folder, '--json']);
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: {
        code: 'documents-invalid',
        errors: expect.arrayContaining([expect.objectContaining({ file: 'a.yaml' })]),
      },
    });
  });

  it('says that a folder does not exist, and that it has no documents', async () => {
    const run = await commandsOf(await anOrganization(server));
    expect(await run(['plan', '/nowhere'])).toMatchObject({ code: 2, stderr: 'Error: /nowhere is not a folder.\n' });
    expect(await run(['plan', newFolder()])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no documents'),
    });
  });

  it('refuses an unknown token', async () => {
    const run = await commandsOf(await anOrganization(server));
    expect(await run(['export'], { COUNTERSIGN_TOKEN: 'cs_adm_unknown' })).toMatchObject({ code: 77, stdout: '' });
  });
});
