import { afterAll, beforeAll, expect, it } from 'vitest';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { SetUpService } from '../src/access/set-up.service.js';
import { ClickCounter } from './kit/clicks.js';
import { openConsole, openConsoleWithToken, inChromium } from './kit/console.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { mutate } from './kit/workplace-fixture.js';

const run = promisify(execFile);
const question = 'How many working days does the security check of new software take? It\'s for "line 3".';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ FOLDER_ROOTS: '' });
});
afterAll(() => server.close());

class Newcomer {
  constructor(readonly page: Page) {}

  press(name: string | RegExp): Promise<void> {
    return this.page.getByRole('button', { name }).click();
  }

  follow(name: string | RegExp): Promise<void> {
    return this.page.getByRole('link', { name }).click();
  }

  type(label: string, text: string): Promise<void> {
    const field = this.page.getByRole('textbox', { name: label, exact: true });
    return field.or(this.page.getByLabel(label, { exact: true })).fill(text);
  }
}

const steps = (page: Page) => page.getByRole('navigation', { name: 'Steps' });
const isAt = (page: Page, step: string) => page.waitForURL(`/console/welcome/${step}`);

inChromium('the first run', () => {
  it('leads from the setup link to an answer from the sample documents in 10 clicks', async () => {
    const link = await server.app.get(SetUpService).issueFirstLink();
    const permissions = ['clipboard-read', 'clipboard-write'];
    const ada = new Newcomer(await openConsoleWithToken(server.url, '', { permissions }));
    const { page } = ada;
    const clicks = await ClickCounter.start(page);

    await page.goto(link!);
    await ada.type('Organization', "Lark & Moor's");
    await ada.type('Your name', 'Ada Okafor');
    await ada.type('Your email', 'ada@lark.example');
    await ada.type('Password', 'four plain words here');
    await ada.press('Set up');

    await isAt(page, 'people');
    await ada.follow('Continue alone');
    await isAt(page, 'integration');
    await ada.press(/Sample documents/);
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.getByText('5 documents read').waitFor();
    await ada.follow('Next');

    await isAt(page, 'model');
    await ada.follow('Continue with built-in agent');
    await isAt(page, 'configuration');
    await page.getByText('Write calls wait until you confirm them').waitFor();
    await ada.press('Create configuration');
    await ada.follow('Next');

    await isAt(page, 'task');
    await ada.press('Create API key');
    await ada.press('Copy Command');
    await run('/bin/sh', ['-c', await page.evaluate<string>('navigator.clipboard.readText()')]);
    await page.getByText('Your first task arrived').waitFor();
    await page.getByText('Completed', { exact: true }).waitFor();
    await page.getByText('28 days of paid vacation').first().waitFor();
    await ada.follow('Finish');
    await page.getByText('Setup complete').waitFor();
    await steps(page)
      .getByRole('link', { name: /^Second approver.*Skipped/ })
      .waitFor();
    clicks.expectAtMost(10);
  });
});

inChromium('a configuration of one person', () => {
  it('is suggested to require a review once a second administrator has joined', async () => {
    const org = await anOrganization(server);
    const { it: desk } = await mutate(await org.as(), 'createConfiguration', 'CreateConfigurationInput', {
      name: 'Desk',
    });
    const ada = new Newcomer(await openConsole(server, org.admin));
    const { page } = ada;
    await page.goto('/console');
    await page.getByText('Finish setting up your organization').waitFor();
    expect(await page.getByText('Require a second person').count()).toBe(0);
    await org.member({ name: 'Grace', roles: ['admin'] });
    await ada.follow('Require a second person for write calls');
    await page.waitForURL(`**/configurations/${desk.id}/policy`);
    await ada.press('Require review');
    await page.locator('button:enabled', { hasText: 'Publish…' }).click();
    await ada.press('Publish policy');
    await page.getByText('Revision 2 is live. Published by').waitFor();
    expect(await page.getByText('Require a second person?').count()).toBe(0);
    await ada.follow('Home');
    await page.getByRole('heading', { level: 1, name: /^Welcome back/ }).waitFor();
    await expect.poll(() => page.getByText('Require a second person for write calls').count()).toBe(0);
  });
});

inChromium('the steps of the first run', () => {
  it('can be left and continued later', async () => {
    const org = await anOrganization(server);
    const ada = new Newcomer(await openConsole(server, org.admin));
    const { page } = ada;
    await page.goto('/console/welcome');
    await isAt(page, 'people');
    await ada.press('Invite person');
    await ada.type('Email address', 'grace@lark.example');
    await ada.press('Create invite link');
    await expect.poll(() => page.getByLabel('Link', { exact: true }).inputValue()).toContain('/invitation?link=');

    // left before "Done": the invitation exists, so the following step is open
    await page.goto('/console/welcome');
    await isAt(page, 'integration');
    await ada.follow(/Second approver/);
    await page.getByText('grace@lark.example is invited').waitFor();
    await page.getByText('Approvals have to wait until the invited administrator has joined').waitFor();

    await page.goto('/console/welcome/task');
    await ada.follow('Create a configuration');
    await isAt(page, 'configuration');
    await page.getByText('Write calls need the approval of another person').waitFor();
    await ada.press('Create configuration');
    await page.getByRole('link', { name: 'Next' }).waitFor();
    await page.goto('/console/welcome');
    await isAt(page, 'task');
    await ada.press('Create API key');
    await page.getByLabel('Command', { exact: true }).waitFor();

    // the browser does not store the key, but it can be shown again
    await page.reload();
    await ada.press('Show command');
    await ada.type('Question', question);
    const command = await page.getByLabel('Command', { exact: true }).innerText();
    const { stdout } = await run('/bin/sh', ['-c', command]);
    expect(JSON.parse(stdout)).toMatchObject({ id: expect.stringMatching(/^first-\d+$/), status: expect.anything() });
    await page.getByText('Your first task arrived').waitFor();
    const { data } = await (await org.as())('{ tasks(first: 1) { nodes { question } } }');
    expect(data.tasks.nodes).toEqual([{ question }]);
  });

  it('show why an integration does not work', async () => {
    const org = await anOrganization(server);
    const ada = new Newcomer(await openConsole(server, org.admin));
    const { page } = ada;
    await page.goto('/console/welcome/integration');
    await ada.press(/MCP server/);
    await ada.type('Display name', 'Nobody there');
    await ada.type('Address', 'http://127.0.0.1:9/mcp');
    await ada.press('Save and test connection');
    await page.getByText('Failed', { exact: true }).waitFor();
    await page.getByText('Unreviewed tools require approval').waitFor();
    expect(await steps(page).getByRole('link', { name: 'Done: First integration' }).count()).toBe(0);
    await page.goto('/console/welcome');
    await isAt(page, 'integration');
    await ada.follow('Skip for now');
    await isAt(page, 'model');
  });

  it('are not available to members', async () => {
    const org = await anOrganization(server);
    const page = await openConsole(server, await org.member());
    await page.goto('/console/welcome');
    await page.getByText('Only administrators can set up the organization').waitFor();
    expect(await steps(page).count()).toBe(0);
  });
});
