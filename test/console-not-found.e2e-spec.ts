import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { newId } from '../src/platform/crypto/ids.js';
import { openConsole, inChromium } from './kit/console.js';
import { consoleRoutes } from './kit/console-routes.js';
import { anOrganization } from './kit/organization.js';
import { expectPageError } from './kit/page-errors.js';
import { type TestServer, testServer } from './kit/server.js';

/** Not of records, or not open to administrators: other tests check these pages. */
const others = ['/integrations/new/:kind', '/spend/people/:id'];
const recordRoutes = (await consoleRoutes()).filter((route) => route.includes(':') && !others.includes(route));

let server: TestServer;
let page: Page;
beforeAll(async () => {
  server = await testServer();
  page = await openConsole(server, (await anOrganization(server)).admin);
});
afterAll(() => server.close());

inChromium('a page of a record that does not exist', () => {
  it.each(recordRoutes)('%s says so, whether the id is unknown or malformed', async (route) => {
    for (const id of [newId(), 'wrong']) {
      await page.goto(`/console${route.replaceAll(/:\w+/g, id)}`);
      await page.getByText('Page not found', { exact: true }).first().waitFor();
      await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1);
      expect(await page.getByText(/UUID|not a valid id/).count()).toBe(0);
      await page.getByRole('main').getByRole('link', { name: 'Go to Home' }).waitFor();
    }
  });

  it('leads home', async () => {
    await page.goto('/console/tasks/wrong');
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await page.getByRole('heading', { level: 1, name: 'Welcome back' }).waitFor();
  });

  it('leads home on pages of the server', async () => {
    expectPageError(page, /nothing-here.*404/);
    const response = await page.goto('/nothing-here');
    expect(response?.status()).toBe(404);
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await page.getByRole('heading', { level: 1, name: 'Welcome back' }).waitFor();
  });
});
