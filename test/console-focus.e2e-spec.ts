import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { GroupsService } from '../src/access/groups.service.js';
import { inChromium, openConsole } from './kit/console.js';
import { button, chooseMore, confirmByName, field } from './kit/form.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let page: Page;

beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  lark = await anOrganization(server);
  page = await openConsole(server, lark.admin);
});

/** What has the focus: "button: Create group". */
const focused = () =>
  page.evaluate<string>(`(() => {
    if (document.activeElement === document.body) return 'nowhere';
    const { tagName, ariaLabel, labels, textContent } = document.activeElement;
    return tagName.toLowerCase() + ': ' + (ariaLabel ?? labels?.[0]?.textContent ?? textContent).trim();
  })()`);
const expectFocus = (on: string | RegExp) => expect.poll(focused).toMatch(on);

const openGroup = async (name: string) => {
  const { id } = await server.app.get(GroupsService).create(lark.system, name);
  await page.goto(`/console/organization/groups/${id}`);
};

inChromium('the focus', () => {
  it('moves to the title of a page that a link opens', async () => {
    await page.goto('/console/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Tasks' }).click();
    await expectFocus('h1: Tasks');
  });

  it('skips the closed navigation of a phone, and moves into and out of the open one', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto('/console/organization/groups');
    await button(page, 'Create group').waitFor();
    await page.getByRole('button', { name: /^Account menu/ }).focus();
    await page.keyboard.press('Tab');
    await expectFocus('button: Create group');
    await button(page, 'Open menu').focus();
    await page.keyboard.press('Enter');
    await expectFocus('a: Home');
    await page.keyboard.press('Escape');
    await expectFocus('button: Open menu');
  });

  it.each(['Escape', 'Cancel', 'Save name'])('returns to the menu that opened a dialog after %s', async (end) => {
    await openGroup('Packers');
    await chooseMore(page, 'group', 'Rename group');
    const dialog = page.getByRole('dialog');
    await field(dialog, 'Name').fill('Senders');
    if (end === 'Escape') await page.keyboard.press('Escape');
    else await button(dialog, end).click();
    await dialog.waitFor({ state: 'detached' });
    await expectFocus('button: More about this group');
  });

  it('moves to the title of the list after the record of a page is removed', async () => {
    await openGroup('Packers');
    await chooseMore(page, 'group', 'Remove group');
    await confirmByName(page, 'Packers', 'Remove group');
    await expectFocus('h1: Groups');
  });

  it('moves to the heading of a list whose entry is removed', async () => {
    await page.goto('/console/organization/members');
    await button(page, 'Invite member').click();
    await field(page, 'Email address').fill('grace@lark.example');
    await button(page, 'Create invite link').click();
    await button(page, 'Done').click();
    await expectFocus('button: Invite member');
    await button(page, 'Revoke link for grace@lark.example').click();
    await expectFocus(/^h[12]: /);
  });

  it('stays at the button of a form that is saved', async () => {
    await page.goto('/console/organization/settings');
    await field(page, 'Name').fill('Lark Press');
    await button(page, 'Save name').click();
    await page.getByText('Name saved.').waitFor();
    await expectFocus(/^div: Save name$/);
  });

  it('moves to the first wrong field of a refused form', async () => {
    await page.goto('/console/organization/groups');
    await button(page, 'Create group').first().click();
    const dialog = page.getByRole('dialog');
    await field(dialog, 'Name').fill(' ');
    await button(dialog, 'Create group').click();
    await dialog.locator('[aria-invalid=true]').waitFor();
    await expectFocus('input: Name');
  });

  it('moves to the first wrong field of a form that is refused before it is sent', async () => {
    await page.goto('/console/spend/budgets');
    await button(page, 'Create budget').click();
    const dialog = page.getByRole('dialog');
    await button(dialog, 'Create budget').click();
    await dialog.getByText('Enter an amount above 0.').waitFor();
    await expectFocus('input: Monthly amount');
  });
});

inChromium('the scroll position', () => {
  it('is not taken over from another page that the browser loaded before', async () => {
    await page.setViewportSize({ width: 360, height: 400 });
    await page.goto('/console/organization/settings');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.evaluate('scrollTo(0, 300), scrollY')).toBe(300);
    await page.goto('/console/account');
    await button(page, 'Change password').waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
  });
});
