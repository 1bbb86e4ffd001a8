import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { SetUpService } from '../src/access/set-up.service.js';
import { accessibilityFaults } from './kit/axe.js';
import { button, chooseMore, field } from './kit/form.js';
import { openConsole, openConsoleWithToken, inChromium } from './kit/console.js';
import { addressesOf, consoleRoutes } from './kit/console-routes.js';
import { type PopulatedOrganization, populateOrganization } from './kit/populated-organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { excludedPages, plainPages } from './kit/plain-pages.js';
import { routesOf } from './kit/routes.js';
import { OidcProvider } from './kit/oidc-provider.js';
import { Workplace } from './kit/workplace.js';

const routes = await consoleRoutes();

let server: TestServer;
let workplace: Workplace;
let upstream: OidcProvider;
let furnished: PopulatedOrganization;
let page: Page;

inChromium('accessibility in light and dark mode, on desktop and phone', () => {
  beforeAll(async () => {
    [server, workplace, upstream] = await Promise.all([testServer(), Workplace.start(), OidcProvider.start()]);
  });
  afterAll(async () => {
    await Promise.all([workplace.stop(), upstream.close()]);
    await server.close();
  });

  it('has no faults on the set-up page of the first organization', async () => {
    const stranger = await openConsoleWithToken(server.url, '', { bypassCSP: true });
    await stranger.goto((await server.app.get(SetUpService).issueFirstLink())!);
    expect(await accessibilityFaults(stranger)).toEqual([]);
  });

  describe('has no faults on the console page', () => {
    beforeAll(async () => {
      furnished = await populateOrganization(server, workplace, upstream.issuer);
      page = await openConsole(server, furnished.fixture.organization.admin, {
        bypassCSP: true,
        isDevelopmentBuild: true,
      });
      await page.addInitScript({ content: watchRest });
    });

    it.each([...routes, '/nowhere'])('%s', async (route) => {
      const faults: string[] = [];
      for (const address of addressesOf(route, furnished)) {
        await page.goto(`/console${address}`);
        await page.evaluate('untilAtRest()');
        expect(await page.getByRole('heading', { level: 1, name: broken }).count()).toBe(0);
        faults.push(...(await accessibilityFaults(page)));
      }
      expect(faults).toEqual([]);
    });

    const openGroup = async () => {
      await page.goto(`/console/organization/groups/${furnished.ids.group}`);
      await page.getByRole('button', { name: 'More about this group' }).waitFor();
    };

    it('with an open menu', async () => {
      await openGroup();
      await page.getByRole('button', { name: /^Account menu/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      // a menu of Mantine is outside of the landmarks, and begins with an element that takes the focus
      const known = /: (region|aria-required-children): /;
      expect((await accessibilityFaults(page)).filter((fault) => !known.test(fault))).toEqual([]);
    });

    it('with a refused form', async () => {
      await openGroup();
      await chooseMore(page, 'group', 'Rename group');
      const dialog = page.getByRole('dialog');
      await field(dialog, 'Name').fill(' ');
      await button(dialog, 'Save name').click();
      await dialog.locator('[aria-invalid=true]').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    it('with a red button in a dialog', async () => {
      await openGroup();
      await chooseMore(page, 'group', 'Remove group');
      const dialog = page.getByRole('dialog');
      const name = await page.getByRole('heading', { level: 1 }).innerText();
      await field(dialog, `Type "${name}" to confirm`).fill(name);
      await dialog.locator('button[type=submit]:enabled').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    it('with a notification', async () => {
      await openGroup();
      await page.evaluate(keepNotifications);
      await chooseMore(page, 'group', 'Rename group');
      await button(page.getByRole('dialog'), 'Save name').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await button(page, 'Dismiss').waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      await button(page, 'Dismiss').click();
      await page.getByText('Group renamed.').waitFor({ state: 'detached' });
    });

    it('GraphiQL', async () => {
      await page.goto('/graphiql');
      await page.locator('.CodeMirror textarea[aria-label="Query Editor"]').waitFor({ state: 'attached' });
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    it('GraphiQL with several tabs', async () => {
      await page.goto('/graphiql');
      const queries = page.getByRole('list', { name: 'Select active operation' }).locator('button[aria-current]');
      for (const count of [2, 3]) {
        await button(page, 'New tab').click();
        await queries.nth(count - 1).waitFor();
      }
      await expect.poll(() => queries.nth(2).getAttribute('aria-current')).toBe('true');
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    it('the API reference', async () => {
      await page.goto('/v1/docs');
      await page.locator('.opblock').first().waitFor();
      // Swagger UI: the button that opens an operation contains a link to it
      const known = /: nested-interactive: <button[^>]* class="opblock-summary-control">/;
      expect((await accessibilityFaults(page)).filter((fault) => !known.test(fault))).toEqual([]);
    });
  });

  describe('has no faults on the page without JavaScript', () => {
    let stranger: Page;
    beforeAll(async () => {
      stranger = await openConsoleWithToken(server.url, '', { bypassCSP: true });
    });

    it('(every page is listed in this test)', () => {
      const pages = routesOf(server.app).flatMap((route) => /^GET (\S+)/.exec(route)?.[1] ?? []);
      const unknown = pages.filter((path) => !(path in plainPages) && !excludedPages.some((not) => not.test(path)));
      expect(unknown).toEqual([]);
    });

    it.each(Object.keys(plainPages))('%s', async (path) => {
      const { address, isOpen = false } = await plainPages[path](furnished, server);
      const shown = isOpen ? stranger : page;
      const response = await shown.goto(address);
      expect([response?.status(), await shown.locator('main h1').count()]).toEqual([200, 1]);
      expect(await accessibilityFaults(shown)).toEqual([]);
    });
  });
});

/** A notification closes after a few seconds, which may be too soon on a busy machine. */
const keepNotifications = `
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (run, ms, ...args) => (ms > 2000 ? 0 : setTimeout(run, ms, ...args));
`;
const broken = /could not be loaded|new version/i;

/** Runs in every page before its own scripts: `untilAtRest()` resolves when all requests are done and rendered. */
const watchRest = `
  let open = 0;
  let movedAt = 0;
  const moved = () => (movedAt = performance.now());
  const { fetch } = globalThis;
  globalThis.fetch = (...asked) => {
    open++;
    return fetch(...asked).finally(() => { open--; moved(); });
  };
  new MutationObserver(moved).observe(document, { childList: true, subtree: true });
  const isAtRest = () =>
    open === 0 && document.querySelector('main h1') && !document.querySelector('main [aria-busy=true]') &&
    performance.now() - movedAt > 100;
  globalThis.untilAtRest = async () => {
    while (!isAtRest()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
`;
