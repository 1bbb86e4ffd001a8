import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { AgentsService } from '../src/configurations/agents.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { aUser } from './kit/api.js';
import { ClickCounter } from './kit/clicks.js';
import { openConsole, inChromium } from './kit/console.js';
import { button, confirmByName, field, pick } from './kit/form.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

const clipboards = { permissions: ['clipboard-read', 'clipboard-write'] };

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let page: Page;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  page = await openConsole(server, fixture.organization.admin, clipboards);
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

const address = () => `${server.url}/agents/${fixture.configurationId}`;
const a2aTab = (id = fixture.configurationId) => `/console/agents/capabilities/configurations/${id}/a2a`;
const clipboard = (of = page) => of.evaluate<string>('navigator.clipboard.readText()');
const cardStatus = async (key: string) =>
  (await new Wire(address(), key).fetch('GET', '/.well-known/agent.json')).status;
const keys = () => page.getByRole('list', { name: 'Keys of Helper' });
const keyLine = (key: string) =>
  keys()
    .getByRole('listitem')
    .filter({ hasText: hintOf(key) });
const hintOf = (key: string) => key.slice(0, 11);

async function generated(agent = 'Helper'): Promise<string> {
  await button(page, `Generate key for ${agent}`).click();
  await button(page.getByRole('dialog'), 'Generate key').click();
  return shownKey();
}

/** Copies the key that the page shows, and hides it. */
async function shownKey(of = page): Promise<string> {
  await button(of, 'Hide API key').waitFor();
  const key = await field(of, 'API key').inputValue();
  await button(of, 'Copy API key').click();
  await button(of, 'Copied').waitFor();
  expect(await clipboard(of)).toBe(key);
  await button(of, 'Hide API key').click();
  await expect.poll(() => field(of, 'API key').inputValue()).toBe(`${hintOf(key)}••••••••••••`);
  return key;
}

async function chooseOf(key: string, entry: string): Promise<void> {
  await keyLine(key).getByRole('button').click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

inChromium('the A2A tab', () => {
  it('shows the endpoint URL and the keys', async () => {
    await page.goto('/console');
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByRole('tab', { name: 'Configurations', selected: true }).waitFor();
    await page.getByRole('row', { name: /Desk/ }).getByRole('link').click();
    await page.getByRole('tab', { name: 'A2A' }).click();
    await expect.poll(() => field(page, 'Endpoint URL').inputValue()).toBe(address());
    await button(page, 'Copy Endpoint URL').click();
    expect(await clipboard()).toBe(address());
    await button(page, 'Copy Agent card URL').click();
    expect(await clipboard()).toBe(`${address()}/.well-known/agent.json`);
    await keyLine(fixture.key).getByText('Active', { exact: true }).waitFor();
  });

  it('generates the first key in one press, with an identity named after the configuration', async () => {
    const { id } = await fixture.get(ConfigurationsService).create(await fixture.principalOf(), {
      name: 'First desk',
      description: '',
      connectionIds: [],
      groupIds: [],
    });
    const clicks = await ClickCounter.start(page);
    await page.goto(a2aTab(id));
    await button(page, 'Generate key').click();
    await button(page, 'Hide API key').waitFor();
    clicks.expectAtMost(1);
    const key = await shownKey();
    const wire = new Wire(`${server.url}/agents/${id}`, key);
    const taskId = newTaskId();
    await wire.send(taskId, 'Which channels are there?');
    await wire.until(taskId, 'completed');
    const [[identity]] = await fixture.get(AgentsService).listOf(await fixture.principalOf(), [id]);
    expect(identity).toMatchObject({ name: 'First desk', responsibleMemberId: fixture.organization.admin.id });
    await page.getByRole('list', { name: 'Keys of First desk' }).getByText('Active', { exact: true }).waitFor();
  });

  it('generates an active key and does not keep it on the page', async () => {
    await page.goto(a2aTab());
    const key = await generated();
    expect(await cardStatus(key)).toBe(200);
    await keyLine(key).getByText('Active', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(key);
    await page.reload();
    await keyLine(key).waitFor();
    expect(await page.content()).not.toContain(key);
  });

  it('shows a key again after reauthentication', async () => {
    const password = 'four plain words here';
    const late = await fixture.organization.member({ name: 'Late Comer', roles: ['admin'], password });
    const theirs = await openConsole(server, late, { isFresh: false, ...clipboards });
    await theirs.goto(a2aTab());
    const line = theirs.getByRole('listitem').filter({ hasText: hintOf(fixture.key) });
    await line.getByRole('button').click();
    await theirs.getByRole('menuitem', { name: 'Show key' }).click();
    const asked = theirs.getByRole('dialog', { name: "Confirm it's you" });
    await field(asked, 'Password').fill('something else');
    await button(asked, 'Confirm').click();
    await asked.getByRole('alert').waitFor();
    await asked.locator('[autocomplete=current-password][aria-invalid=true]:focus').waitFor();
    await field(asked, 'Password').fill(password);
    await button(asked, 'Confirm').click();
    expect(await shownKey(theirs)).toBe(fixture.key);
  });

  it('pauses, rotates, and revokes keys with effect on the next request', async () => {
    await page.goto(a2aTab());
    const first = await generated();
    await chooseOf(first, 'Pause key');
    await keyLine(first).getByText('Paused').waitFor();
    expect(await cardStatus(first)).toBe(403);
    await chooseOf(first, 'Resume key');
    await keyLine(first).getByText('Active', { exact: true }).waitFor();
    expect(await cardStatus(first)).toBe(200);

    await chooseOf(first, 'Rotate key');
    await pick(page, 'Old key stays active for', '1 hour');
    await button(page.getByRole('dialog'), 'Rotate key').click();
    const second = await shownKey();
    await keyLine(first).getByText('Rotated, still active').waitFor();
    expect(await Promise.all([first, second].map(cardStatus))).toEqual([200, 200]);

    await chooseOf(second, 'Revoke key');
    await confirmByName(page, hintOf(second), 'Revoke key');
    await keyLine(second).waitFor({ state: 'detached' });
    expect(await cardStatus(second)).toBe(401);
    await page.getByRole('button', { name: /^Show inactive keys \(\d+\)$/ }).click();
    await keyLine(second).getByText('Revoked').waitFor();
  });

  it('previews the agent card as served to the key', async () => {
    await page.goto(a2aTab());
    const shown = page.getByRole('region', { name: 'Agent card JSON' });
    const card = (await wireOf(fixture, server.url).call('GET', '/.well-known/agent.json')).body as {
      name: string;
    };
    await shown.getByText(card.name).waitFor();
    expect(JSON.parse(await shown.innerText())).toEqual(card);
  });
});

/** Runs a program and returns its output; it must succeed. */
async function outputOf(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, { env: { ...process.env, COUNTERSIGN_KEY: fixture.key } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${said}`);
  return said;
}

inChromium('the snippets', () => {
  it.each([
    ['curl', 'try.sh', ['bash']],
    ['Python', 'try.py', ['python3']],
    ['TypeScript', 'try.ts', [process.execPath, '--experimental-strip-types', '--no-warnings']],
  ])('for %s run unchanged: card, task, stream', async (language, file, [command, ...options]) => {
    await page.goto(a2aTab());
    await page.getByRole('tab', { name: language, exact: true }).click();
    await button(page, `Copy ${language} sample`).click();
    const script = path.join(server.folder, file);
    writeFileSync(script, (await clipboard()).replace('cs_a2a_…', fixture.key));
    const said = await outputOf(command, [...options, script]);
    expect(said).toContain('workplace__list_tickets');
    expect(said).toContain('submitted');
    expect(said).toMatch(/completed|failed/);
  });
});

inChromium('the test section', () => {
  it('links to the pending approval and continues after the decision', async () => {
    const theirs = await openConsole(server, await aUser(fixture, 'Una Waits', ['admin']));
    await theirs.goto(a2aTab());
    await field(theirs, 'Task').fill('workplace__create_ticket: {"project":"FLD","title":"A gripper lets go"}');
    await button(theirs, 'Send task').click();
    const task = theirs.getByRole('region', { name: 'Test task' });
    await task.getByRole('status').getByText('Input required').waitFor();
    await task.getByRole('link', { name: 'View approval' }).waitFor();
    await page.goto('/console/approvals');
    await button(page, 'Approve').click();
    await task.getByRole('status').getByText('Completed').waitFor();
  });

  it('is not available to people outside the groups', async () => {
    await page.goto(a2aTab());
    await page.getByText('None of your groups can use this configuration').waitFor();
    expect(await button(page, 'Send task').count()).toBe(0);
    expect((await wireOf(fixture, server.url).send(newTaskId(), 'Which channels are there?')).status).toBe(200);
  });
});
