import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { openConsole, inChromium } from './kit/console.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let organization: Organization;
beforeAll(async () => {
  server = await testServer();
  organization = await anOrganization(server);
});
afterAll(() => server.close());

const main = (page: Page) => page.getByRole('main');
const exactTime = /[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d:\d\d [AP]M/;

inChromium('times', () => {
  it('are no tab stops in a list, and show the exact time on hover', async () => {
    const page = await openConsole(server, organization.admin);
    await page.goto('/console/audit');
    const time = main(page).locator('time').first();
    await time.hover();
    await page.getByRole('tooltip', { name: exactTime }).waitFor();
    expect(await main(page).locator('time[tabindex]').count()).toBe(0);
  });

  it('are exact on the page of one object', async () => {
    const page = await openConsole(server, organization.admin);
    await page.goto('/console/organization/settings');
    await main(page).locator('dd time').filter({ hasText: exactTime }).waitFor();
  });

  it('are exact everywhere after the choice in the account menu, which the browser stores', async () => {
    const page = await openConsole(server, organization.admin);
    await page.goto('/console/audit');
    const exact = main(page).locator('time').filter({ hasText: exactTime });
    await main(page).locator('time').first().waitFor();
    expect(await exact.count()).toBe(0);
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Show exact times' }).click();
    await exact.first().waitFor();
    await page.reload();
    await exact.first().waitFor();
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Show relative times' }).click();
    await exact.first().waitFor({ state: 'detached' });
  });
});
