import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Locator, Page, Route } from 'playwright-core';
import type { Member } from '../src/access/member.entity.js';
import { accessibilityFaults } from './kit/axe.js';
import { openConsole, inChromium } from './kit/console.js';
import { button } from './kit/form.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, upstreamTool } from './kit/mcp-upstream.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, wireOf } from './kit/wire.js';

const phoneSize = { width: 360, height: 740 };
const tools = ['list_tickets', 'get_ticket', 'list_channels'].map((name) => upstreamTool(name));

let server: TestServer;
let upstream: McpUpstream;
let fixture: GateFixture;
let grace: Member;
let page: Page;

beforeAll(async () => {
  [server, upstream] = await Promise.all([testServer(), McpUpstream.start()]);
  upstream.serveStateless({ tools });
  fixture = await GateFixture.create(server, upstream);
  grace = await fixture.organization.member({ name: 'Grace Newcomer' });
  const id = newTaskId();
  const wire = wireOf(fixture, server.url);
  expect((await wire.send(id, 'Who repairs the lamp?')).status).toBe(200);
  await wire.until(id, 'completed');
  page = await openConsole(server, fixture.organization.admin, { bypassCSP: true });
});
afterAll(async () => {
  await server.close();
  upstream.stop();
});

const dialogOf = (on: Page) => on.getByRole('dialog', { name: 'Search' });
const inputOf = (on: Page) => dialogOf(on).getByRole('combobox', { name: 'Search' });
const group = (name: string, on = page) => dialogOf(on).getByRole('group', { name, exact: true });
const optionsOf = (name: string, on = page) => group(name, on).getByRole('option').allInnerTexts();
const selected = () => dialogOf(page).getByRole('option', { selected: true });
const heading = (name: string) => page.getByRole('heading', { level: 1, name });
/** The shorter side, in pixels. */
const sizeOf = async (found: Locator) => {
  const { width, height } = (await found.boundingBox())!;
  return Math.min(width, height);
};
const isFocused = async (found: Locator) => (await found.and(found.page().locator(':focus')).count()) === 1;

/** Opens the search on a page whose title is known, and types. */
async function search(text: string, on = page) {
  await on.goto('/console/tasks');
  await on.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  await on.keyboard.press('Control+k');
  await inputOf(on).fill(text);
}

/** Answers requests for records. */
const answerRecords = (answer: (route: Route, text: string) => Promise<void> | void) =>
  page.route('**/graphql', (route) => {
    const { query, variables } = route.request().postDataJSON() as { query: string; variables: { text: string } };
    return query.includes('SearchRecords') ? answer(route, variables.text) : route.fallback();
  });

inChromium('the search of the console', () => {
  it('opens with the button and with the keyboard, and lists the pages of the areas', async () => {
    await page.goto('/console/tasks');
    await button(page, 'Search').click();
    await inputOf(page).waitFor();
    await expect.poll(() => isFocused(inputOf(page))).toBe(true);
    expect((await optionsOf('Pages')).map((text) => text.split('\n')[0])).toEqual([
      ...['Home', 'Approvals', 'Tasks', 'Capabilities', 'Integration settings', 'Knowledge', 'Spend', 'AI estate'],
      ...['Audit', 'Members', 'Groups', 'Sign-in', 'Developer Access', 'Keys and tokens', 'Notifications'],
      ...['Audit streams', 'Settings', 'Account'],
    ]);
    await page.keyboard.press('Control+k');
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.getByRole('searchbox', { name: 'Search by question' }).focus();
    await page.keyboard.press('Control+k');
    await expect.poll(() => isFocused(inputOf(page))).toBe(true);
  });

  it('opens with a large button on a phone', async () => {
    const phone = await openConsole(server, fixture.organization.admin, { viewport: phoneSize });
    await phone.goto('/console/tasks');
    expect(await sizeOf(button(phone, 'Search'))).toBeGreaterThanOrEqual(44);
    await button(phone, 'Search').click();
    expect(await sizeOf(button(dialogOf(phone), 'Close'))).toBeGreaterThanOrEqual(44);
    await inputOf(phone).fill('audit');
    const option = dialogOf(phone).getByRole('option', { name: 'Audit', exact: true });
    expect(await sizeOf(option)).toBeGreaterThanOrEqual(44);
    await option.click();
    await phone.waitForURL('/console/audit');
  });

  it('finds a page by its name or by another word, and opens it with the keyboard', async () => {
    await search('audit');
    await page.keyboard.press('Enter');
    await heading('Audit log').waitFor();
    await dialogOf(page).waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(heading('Audit log'))).toBe(true);

    await search('invite');
    await expect.poll(() => optionsOf('Pages')).toEqual([expect.stringContaining('Members')]);
    await inputOf(page).fill('');
    await selected().getByText('Home').waitFor();
    await page.keyboard.press('ArrowDown');
    await selected().getByText('Approvals').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await selected().getByText('Account').waitFor();
    await expect
      .poll(() => inputOf(page).getAttribute('aria-activedescendant'))
      .toBe(await selected().getAttribute('id'));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await heading('Welcome back').waitFor();
  });

  it.each([
    ['a task by its question', 'LAMP repairs', 'Tasks', 'Who repairs the lamp?', /\/console\/tasks\/.+/],
    ['a person by name', 'newcomer', 'People', 'Grace Newcomer', /\/organization\/members\/.+/],
    ['an integration', 'workpl', 'Integrations', 'Workplace', /\/console\/integrations\/.+/],
    ['a configuration', 'DESK', 'Configurations', 'Desk', /\/configurations\/.+/],
  ])('finds %s', async (_, text, label, name, address) => {
    await search(text);
    await group(label).getByRole('option', { name }).click();
    await page.waitForURL(address);
    await dialogOf(page).waitFor({ state: 'detached' });
  });

  it('finds a person by email address', async () => {
    await search(grace.email);
    await group('People').getByRole('option', { name: 'Grace Newcomer' }).waitFor();
    await dialogOf(page).getByRole('status').getByText('1 result', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`/console/organization/members/${grace.id}`);
  });

  it('opens a result in a new tab with Ctrl', async () => {
    await search('audit');
    const [byKey] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Control+Enter')]);
    await byKey.waitForURL('/console/audit');
    const click = dialogOf(page)
      .getByRole('option', { name: 'Audit', exact: true })
      .click({ modifiers: ['Control'] });
    const [byClick] = await Promise.all([page.context().waitForEvent('page'), click]);
    await byClick.waitForURL('/console/audit');
    await inputOf(page).waitFor();
    expect(page.url()).toContain('/console/tasks');
    await Promise.all([byKey.close(), byClick.close()]);
  });

  it('shows members without a role only their pages and tasks', async () => {
    const own = await openConsole(server, grace);
    await search('', own);
    await expect.poll(() => optionsOf('Pages', own)).toEqual(['Home', 'Approvals', 'Tasks', 'Account']);
    for (const text of ['members', 'lamp', 'Rita', 'workplace', 'desk']) {
      await inputOf(own).fill(text);
      await dialogOf(own).getByText(`No results for “${text}”`).waitFor();
    }
  });

  it('says that nothing was found', async () => {
    await search('quokka');
    await dialogOf(page).getByRole('status').getByText('No results for “quokka”').waitFor();
    await expect.poll(() => inputOf(page).getAttribute('aria-expanded')).toBe('false');
  });

  it('returns the focus after Escape and after the close button', async () => {
    await page.goto('/console/tasks');
    const opener = button(page, 'Search');
    await opener.click();
    await inputOf(page).fill('audit');
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(opener)).toBe(true);

    const link = page.getByRole('link', { name: 'Audit', exact: true });
    await link.focus();
    await page.keyboard.press('Control+k');
    await button(dialogOf(page), 'Close').click();
    await dialogOf(page).waitFor({ state: 'detached' });
    await expect.poll(() => isFocused(link)).toBe(true);
  });

  it('does not open over another dialog', async () => {
    await page.goto('/console/organization/members');
    await button(page, 'Invite member').click();
    await page.getByRole('dialog', { name: 'Invite member' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Invite member' }).waitFor({ state: 'detached' });
    expect(await dialogOf(page).count()).toBe(0);
  });

  it('announces the search, and shows why it failed until it is tried again', async () => {
    const failed = { errors: [{ message: 'The database is being restarted.', extensions: { code: 'unavailable' } }] };
    let fail: (() => void) | undefined;
    await answerRecords((route) => {
      fail = () => void route.fulfill({ json: failed });
    });
    await search('desk');
    await dialogOf(page).getByRole('status').getByText('Searching…').waitFor({ state: 'attached' });
    await expect.poll(() => fail).toBeDefined();
    fail!();
    await dialogOf(page).getByRole('alert').getByText('The database is being restarted.').waitFor();
    expect(await isFocused(inputOf(page))).toBe(true);
    await page.unroute('**/graphql');
    await button(dialogOf(page), 'Try again').click();
    await group('Configurations').getByRole('option', { name: 'Desk' }).waitFor();
    expect(await dialogOf(page).getByRole('alert').count()).toBe(0);
    await expect.poll(() => isFocused(inputOf(page))).toBe(true);
  });

  it('drops the answer to a text that has been replaced', async () => {
    let release: (() => Promise<void>) | undefined;
    await answerRecords((route, text) => {
      if (text !== 'grace') return route.fallback();
      // fails if the browser has canceled the request, as it should
      release = () => route.continue().catch(() => undefined);
    });
    await search('grace');
    await expect.poll(() => release).toBeDefined();
    await inputOf(page).fill('desk');
    await group('Configurations').getByRole('option', { name: 'Desk' }).waitFor();
    await release!();
    await page.unroute('**/graphql');
    await inputOf(page).fill('workplace');
    await group('Integrations').getByRole('option', { name: 'Workplace' }).waitFor();
    expect(await group('People').count()).toBe(0);
  });

  it('has no accessibility faults', async () => {
    await search('');
    expect(await accessibilityFaults(page)).toEqual([]);
    await inputOf(page).fill('e');
    await group('People').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await inputOf(page).fill('quokka');
    await dialogOf(page).getByText('No results for “quokka”').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });
});
