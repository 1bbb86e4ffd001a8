import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Member } from '../src/access/member.entity.js';
import { browserName } from '../console/pages/account/browser-name.ts';
import { ClickCounter } from './kit/clicks.js';
import { openConsole, inChromium } from './kit/console.js';
import { button, field } from './kit/form.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

const phrase = 'four plain words here';
const nextPhrase = 'five other plain words here';

let server: TestServer;
let lark: Organization;
let grace: Member;
let page: Page;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
});
afterAll(() => server.close());
let count = 0;
beforeEach(async () => {
  grace = await lark.member({ name: `Grace ${++count}`, password: phrase });
  page = await openConsole(server, grace);
});

const sessions = () => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
async function audited(kind: string): Promise<number> {
  const list = 'query ($kind: String!) { auditEvents(first: 50, kind: $kind) { nodes { subject } } }';
  const { data } = await (await lark.as())(list, { kind });
  return (data.auditEvents.nodes as { subject: { id: string } }[]).filter(({ subject }) => subject.id === grace.id)
    .length;
}

inChromium('the account page', () => {
  it('changes the password in three clicks, and ends the other sessions', async () => {
    const elsewhere = await lark.browser(grace);
    const clicks = await ClickCounter.start(page);
    await page.goto('/console');
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Account', exact: true }).click();
    await sessions().nth(1).waitFor();
    await field(page, 'Current password').fill(phrase);
    await field(page, 'New password').fill(nextPhrase);
    await button(page, 'Change password').click();
    await page.getByText('Password changed. Your other sessions were signed out.').waitFor();
    clicks.expectAtMost(3);
    await sessions().nth(1).waitFor({ state: 'detached' });
    expect((await elsewhere.fetch('/account')).status).toBe(303);
    await expect.poll(() => field(page, 'New password').inputValue()).toBe('');
    expect(await audited('password.changed')).toBe(1);
  });

  it('shows what is wrong at its field, and keeps the old password', async () => {
    await page.goto('/console/account');
    await field(page, 'Current password').fill('not this one at all');
    await field(page, 'New password').fill(nextPhrase);
    await button(page, 'Change password').click();
    await page.locator('[autocomplete=current-password][aria-invalid=true]:focus').waitFor();
    await page.getByRole('alert').getByText('wrong-password').waitFor();
    await field(page, 'Current password').fill(phrase);
    await field(page, 'New password').fill('short');
    await button(page, 'Change password').click();
    await page.locator('[autocomplete=new-password][aria-invalid=true]:focus').waitFor();
    await page.getByText('needs at least 12 characters').first().waitFor();
    expect(await audited('password.changed')).toBe(0);
  });

  it('lists the sessions, marks this one, and ends others', async () => {
    const [first, second] = [await lark.browser(grace), await lark.browser(grace)];
    await page.goto('/console/account');
    await sessions().nth(2).waitFor();
    await sessions().filter({ hasText: 'This session' }).waitFor();
    expect(await sessions().filter({ hasText: 'This session' }).getByRole('button').count()).toBe(0);
    await sessions().getByRole('button').first().click();
    await sessions().nth(2).waitFor({ state: 'detached' });
    await button(page, 'End other sessions').click();
    await sessions().nth(1).waitFor({ state: 'detached' });
    for (const browser of [first, second]) expect((await browser.fetch('/account')).status).toBe(303);
    expect(await audited('session.ended')).toBe(2);
    await page.reload();
    await sessions().filter({ hasText: 'This session' }).waitFor();
  });

  it('signs out in two clicks', async () => {
    const clicks = await ClickCounter.start(page);
    await page.goto('/console');
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(`**/sign-in?organization=${lark.tenant.slug}`);
    clicks.expectAtMost(2);
    await page.goto('/console/account');
    await page.waitForURL('**/sign-in?*');
  });
});

it.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPhone',
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Edg/130.0',
    'Edge on Linux',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  [null, 'Unknown browser'],
])('names the browser of %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
