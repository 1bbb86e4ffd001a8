import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { openConsole, inChromium } from './kit/console.js';
import { pick } from './kit/form.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId } from './kit/wire.js';

let server: TestServer;
let fixture: SandboxFixture;
let page: Page;
beforeAll(async () => {
  server = await testServer();
  fixture = await SandboxFixture.create(server);
  page = await openConsole(server, fixture.organization.admin);
});
afterAll(() => server.close());

const untilShown = (text: string | RegExp) => page.getByText(text).first().waitFor();
const button = (name: string) => page.getByRole('button', { name, exact: true });

inChromium('the sandbox in the console', () => {
  it('connects without a credential and can be selected as the model of a configuration', async () => {
    await page.goto('/console/integrations/new/sandbox');
    expect(await page.locator('input[type=password]').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Display name', exact: true }).fill('Playground');
    await button('Save and test connection').click();
    await page.getByRole('heading', { level: 1, name: /Playground Connected/ }).waitFor();

    await page.goto('/console/agents/capabilities/configurations/new');
    await page.getByLabel('Name').first().fill('Test bench');
    await pick(page, 'Language model', 'Playground');
    await button('Create configuration').click();
    await page.getByRole('heading', { level: 1, name: /Test bench/ }).waitFor();
  });

  it('offers files as downloads and shows what a task waits for', async () => {
    const wire = fixture.wire();
    const id = newTaskId();
    await wire.send(id, 'file');
    await wire.until(id, 'completed');
    const waiting = newTaskId();
    await wire.send(waiting, 'auth');
    await wire.until(waiting, 'input-required');

    await page.goto('/console/tasks');
    await page.getByRole('link', { name: 'file', exact: true }).click();
    const file = page.getByRole('link', { name: 'sandbox.txt' });
    await expect(file.getAttribute('download')).resolves.toBe('sandbox.txt');
    await expect(file.getAttribute('href')).resolves.toMatch(/^data:application\/octet-stream;base64,/);

    await page.goto('/console/tasks');
    await page.getByRole('link', { name: 'auth', exact: true }).click();
    await untilShown('Waiting for credentials from the caller');
  });
});
