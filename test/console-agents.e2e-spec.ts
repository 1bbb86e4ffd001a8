import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { GroupsService } from '../src/access/groups.service.js';
import { AgentsService } from '../src/configurations/agents.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { openConsole, inChromium } from './kit/console.js';
import { mutate } from './kit/workplace-fixture.js';
import { button, field, pick } from './kit/form.js';
import { GateFixture } from './kit/gate-fixture.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let page: Page;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  await fixture.get(GroupsService).create(fixture.organization.system, 'Support');
  page = await openConsole(server, fixture.organization.admin, { permissions: ['clipboard-read', 'clipboard-write'] });
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

const list = '/console/agents/capabilities/configurations';
const open = (tab: string, id = fixture.configurationId) => page.goto(`${list}/${id}/${tab}`);
const said = (text: string | RegExp) => page.getByText(text).first().waitFor();
const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
const tab = (name: string, selected?: boolean) => page.getByRole('tab', { name, exact: true, selected });

/** A new configuration with the workplace connection. */
async function another(name: string): Promise<string> {
  const input = { name, description: '', connectionIds: [fixture.connectionId], groupIds: [] };
  return (await fixture.get(ConfigurationsService).create(await fixture.principalOf(), input)).id;
}

inChromium('a configuration', () => {
  it('is created from Agents, Capabilities, Configurations, and shows its skills', async () => {
    await page.goto('/console');
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.waitForURL(`**${list}`);
    await tab('Configurations', true).waitFor();
    await page.getByRole('link', { name: 'Create configuration' }).click();
    await field(page, 'Name').fill('Field service');
    await field(page, 'Description').fill('Looks after what is out there.');
    await pick(page, 'Integrations', 'Workplace');
    await page.keyboard.press('Escape');
    await pick(page, 'Groups with access', 'Support');
    await page.keyboard.press('Escape');
    await button(page, 'Create configuration').click();
    await page.getByRole('heading', { level: 1, name: 'Field service' }).waitFor();
    await tab('Overview', true).waitFor();
    const skills = page.getByRole('region', { name: 'Skills' });
    await skills.getByText('workplace__create_ticket', { exact: true }).waitFor();
    await expect.poll(() => skills.getByText('Requires approval').count()).toBeGreaterThan(0);
    expect(await skills.getByText('workplace__delete').count()).toBe(0);

    await page.getByRole('link', { name: 'Capabilities', exact: true }).first().click();
    const row = page.getByRole('row', { name: /Field service/ });
    await row.getByText('Support').waitFor();
    await row.getByText('Looks after what is out there.').waitFor();
    await row.getByRole('link').click();
    await tab('Overview', true).waitFor();
  });

  it('requires a unique name and keeps the typed values if it is taken', async () => {
    await page.goto(`${list}/new`);
    await field(page, 'Name').fill('Desk');
    await field(page, 'Description').fill('A second one.');
    await button(page, 'Create configuration').click();
    await said(/The name "Desk" is already in use/);
    await expect.poll(() => field(page, 'Description').inputValue()).toBe('A second one.');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await button(page.getByRole('dialog', { name: 'Discard unsaved changes?' }), 'Discard changes').click();
    await tab('Configurations', true).waitFor();
  });

  it('rejects the second of two concurrent edits', async () => {
    const id = await another('Edited by two');
    const other = await openConsole(server, fixture.reviewer);
    await open('overview', id);
    await other.goto(`${list}/${id}/overview`);
    for (const one of [page, other]) await button(one, 'Edit details').click();
    await field(page.getByRole('dialog'), 'Description').fill('Mine.');
    await field(other.getByRole('dialog'), 'Description').fill('Theirs.');
    await button(page, 'Save configuration').click();
    await said('Mine.');
    await button(other, 'Save configuration').click();
    await other.getByRole('alert').waitFor();
    await expect.poll(() => field(other.getByRole('dialog'), 'Description').inputValue()).toBe('Theirs.');
    await other.getByText('Mine.').first().waitFor();
  });

  it('shows a deceptive name with its invisible characters marked', async () => {
    const id = await another('<img src=x> \u202edesk');
    await open('overview', id);
    const heading = page.getByRole('heading', { level: 1, name: /img src=x/ });
    await heading.waitFor();
    await expect.poll(() => heading.locator('mark').count()).toBe(1);
    expect(await page.locator('main img').count()).toBe(0);
  });
});

inChromium('an agent identity', () => {
  it('has a responsible member and can be paused', async () => {
    const id = await another('With agents');
    await open('overview', id);
    await button(page, 'Add identity').click();
    const dialog = page.getByRole('dialog');
    await field(dialog, 'Name').fill('Shift planner');
    await pick(dialog, 'Responsible member', /Rita Reviewer/);
    await button(dialog, 'Add identity').click();
    await said('Responsible: Rita Reviewer');
    const menu = button(page, 'Actions for Shift planner');
    await menu.click();
    await page.getByRole('menuitem', { name: 'Pause identity' }).click();
    const agents = page.getByRole('region', { name: 'Agent identities' });
    await agents.getByText('Paused', { exact: true }).waitFor();
    const [[agent]] = await fixture.get(AgentsService).listOf(await fixture.principalOf(), [id]);
    expect(agent).toMatchObject({ name: 'Shift planner', responsibleMemberId: fixture.reviewer.id });
    expect(agent.pausedAt).not.toBeNull();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Resume identity' }).click();
    await agents.getByText('Paused', { exact: true }).waitFor({ state: 'detached' });
  });
});

inChromium('its integrations', () => {
  it('are added, show their tools with effects, and are removed', async () => {
    const input = { name: 'Starts empty', description: '', connectionIds: [], groupIds: [] };
    const { id } = await fixture.get(ConfigurationsService).create(await fixture.principalOf(), input);
    await open('integrations', id);
    await said('No integrations yet');
    await button(page, 'Add integrations').click();
    await pick(page.getByRole('dialog'), 'Integrations', 'Workplace');
    await button(page.getByRole('dialog'), 'Add integrations').click();
    await page.getByRole('button', { name: /Workplace/ }).click();
    const tools = page.getByRole('listitem');
    await tools.filter({ hasText: 'workplace__list_tickets' }).getByText('Read-only').waitFor();
    await tools.filter({ hasText: 'workplace__create_ticket' }).getByText('Write').waitFor();
    await button(page, 'Remove integration').click();
    await button(page.getByRole('dialog'), 'Remove integration').click();
    await said('No integrations yet');
  });
});

inChromium('approval steps', () => {
  it('are created and edited, with approvers and expiry', async () => {
    await page.goto('/console/agents/capabilities');
    await tab('Approval steps').click();
    await button(page, 'Create step').click();
    const dialog = page.getByRole('dialog');
    await field(dialog, 'Name').fill('Two words');
    await button(dialog, 'Save step').click();
    await dialog.getByText('must start with a letter').waitFor();
    await field(dialog, 'Name').fill('finance');
    await pick(dialog, 'Approvers', 'Support');
    await field(dialog, 'Approvals needed').fill('2');
    await field(dialog, 'Order').fill('3');
    await pick(dialog, 'Expires after', '4 hours');
    await pick(dialog, 'Escalate after', '15 minutes');
    await button(dialog, 'Save step').click();
    const row = page.getByRole('row', { name: /finance/ });
    await row.getByText('4 hours').waitFor();
    await row.getByText('Review', { exact: true }).waitFor();
    await row.getByRole('cell', { name: '2', exact: true }).waitFor();
    await row.getByRole('cell', { name: '3', exact: true }).waitFor();
    await row.getByRole('cell', { name: 'No', exact: true }).waitFor();
    await row.getByText('After 15 minutes also administrators').waitFor();
    await button(row, 'Edit step finance').click();
    await dialog.getByLabel('Confirm: the responsible person approves').check();
    await button(dialog, 'Save step').click();
    await row.getByText('Confirm', { exact: true }).waitFor();
    await row.getByRole('cell', { name: '1', exact: true }).waitFor();
    await expect.poll(() => row.getByText('Support').count()).toBe(1);
    expect(await row.getByText('After 15 minutes').count()).toBe(0);
  });
});

inChromium('assistants', () => {
  it('are registered once and set up with copied snippets', async () => {
    await open('mcp');
    const { origin } = new URL(page.url());
    await expect.poll(() => field(page, 'MCP resource URL').inputValue()).toBe(`${origin}/v1/mcp`);
    await page.getByRole('tab', { name: 'Cursor' }).click();
    await button(page, 'Register Cursor').click();
    await said('Cursor is registered.');
    const row = page.getByRole('table', { name: 'Clients' }).getByRole('row', { name: /Cursor/ });
    await row.getByText('Active').waitFor();
    const id = (await row.getByRole('link').getAttribute('href'))!.split('/').at(-1)!;
    const line = page.getByRole('listitem').filter({ hasText: id });
    await line.getByRole('button', { name: 'Copy snippet' }).click();
    const pasted = await clipboard();
    expect(pasted).toContain(id);
    expect(pasted).toContain(`${origin}/v1/mcp`);
    await row.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: /Cursor/ }).waitFor();
    await expect.poll(() => field(page, 'Client ID').inputValue()).toBe(id);
  });

  it('that cannot reach this server show a warning', async () => {
    await open('mcp');
    await page.getByRole('tab', { name: 'Claude', exact: true }).click();
    await said('This assistant might not reach the server');
  });
});

inChromium('its activity', () => {
  it('lists calls with their policy decisions, and tasks as they arrive', async () => {
    await open('activity');
    await fixture.call('list_tickets', {});
    await fixture.call('create_ticket', { project: 'FLD', title: 'A gripper lets go' });
    const calls = page.getByRole('table', { name: 'Tool calls' });
    await calls
      .getByRole('row', { name: /list_tickets/ })
      .getByText('Succeeded')
      .waitFor();
    const asked = calls.getByRole('row', { name: /create_ticket/ });
    await asked.getByText('Awaiting approval').waitFor();
    await asked.getByText('writes need approval (revision 1)').waitFor();

    await page.getByText('Tasks', { exact: true }).last().click();
    await said('No tasks yet');
    await wireOf(fixture, server.url).send(newTaskId(), 'Which channels are there?');
    const row = page.getByRole('row', { name: /Which channels are there/ });
    await row.getByText('Completed').waitFor();
    expect(page.url()).toContain('show=tasks');
    await row.getByRole('link').click();
    await page.waitForURL('**/console/tasks/*');
  });
});

inChromium('a person without permission to manage configurations', () => {
  it('sees no actions that change them', async () => {
    const auditor = await fixture.organization.member({ roles: ['auditor'] });
    const theirs = await openConsole(server, auditor);
    await theirs.goto(`${list}/${fixture.configurationId}/overview`);
    await theirs.getByRole('heading', { level: 1, name: 'Desk' }).waitFor();
    await theirs.getByText('Helper').first().waitFor();
    expect(await theirs.getByRole('main').getByRole('button').count()).toBe(0);
  });

  it('cannot open a configuration of another organization', async () => {
    const moor = await anOrganization(server, { name: 'Moor' });
    const { it: theirs } = await mutate(await moor.as(), 'createConfiguration', 'CreateConfigurationInput', {
      name: 'Of Moor',
    });
    await open('overview', theirs.id as string);
    await page.getByText('Page not found', { exact: true }).first().waitFor();
    expect(await page.getByText('Of Moor').count()).toBe(0);
  });
});
