import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Member } from '../src/access/member.entity.js';
import { sessionCookie, SessionsService } from '../src/access/sessions.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { openConsole, openConsoleWithToken, inChromium } from './kit/console.js';
import { expectPageError } from './kit/page-errors.js';
import { freePort } from './kit/free-port.js';
import { mutate } from './kit/workplace-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { runSql } from './kit/run-sql.js';

const phrase = 'four plain words here';

let server: TestServer;
let lark: Organization;

beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server, { name: 'Larkmoor', password: phrase });
});
afterAll(() => server.close());

const anAdmin = (name: string) => lark.member({ name, roles: ['admin'], password: phrase });
const endSessionsOf = ({ id }: Member) =>
  server.app
    .get(DatabaseService)
    .tenant(lark.system, (tx) => server.app.get(SessionsService).endAll(tx, lark.system, id));
const groupNames = async (): Promise<string[]> => {
  const { data } = await (await lark.as())('{ groups { nodes { name } } }');
  return data.groups.nodes.map(({ name }: { name: string }) => name);
};

/** A page with an open dialog that contains an unsent name. */
async function typingAGroup(page: Page, name: string): Promise<void> {
  await page.goto('/console/organization/groups');
  await page.getByRole('button', { name: 'Create group' }).first().click();
  await page.getByLabel('Name').fill(name);
}

async function signInElsewhere(page: Page, { email }: Member): Promise<void> {
  const tab = await page.context().newPage();
  await tab.goto(`/sign-in?organization=${lark.tenant.slug}&next=/account`);
  await tab.getByLabel('Email').fill(email);
  await tab.getByLabel('Password').fill(phrase);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.waitForURL('/account');
  await tab.close();
}
/** A page that is opened from now on notices the end of its session only by a request of its own. */
const silenceEvents = (page: Page) => page.route('**/console/events*', () => undefined);
const ended = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });
const refusedStream = /Failed to load resource.*401|EventSource/;

inChromium('a session that ends while a form is filled in', () => {
  it('loses no input: the same person signs in in another tab, and the typed text is sent', async () => {
    const ada = await anAdmin('Ada Again');
    const page = await openConsole(server, ada);
    expectPageError(page, refusedStream);
    await silenceEvents(page);
    await typingAGroup(page, 'Typed before');
    await endSessionsOf(ada);
    await page.getByRole('dialog').getByRole('button', { name: 'Create group' }).click();
    await ended(page).waitFor();
    await signInElsewhere(page, ada);
    await page.getByRole('heading', { level: 1, name: 'Typed before' }).waitFor();
    await ended(page).waitFor({ state: 'hidden' });
    expect(await groupNames()).toContain('Typed before');
  });

  it('is reported before anything is sent, and the typed text stays', async () => {
    const ada = await anAdmin('Ada Waiting');
    const page = await openConsole(server, ada);
    expectPageError(page, refusedStream);
    await typingAGroup(page, 'Still there');
    await endSessionsOf(ada);
    await ended(page).waitFor();
    await signInElsewhere(page, ada);
    await ended(page).waitFor({ state: 'hidden' });
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Still there');
  });

  it('sends nothing on behalf of another person who signs in in another tab', async () => {
    const ada = await anAdmin('Ada Leaving');
    const page = await openConsole(server, ada);
    expectPageError(page, refusedStream);
    await silenceEvents(page);
    await typingAGroup(page, 'By Ada alone');
    await endSessionsOf(ada);
    await page.getByRole('dialog').getByRole('button', { name: 'Create group' }).click();
    await ended(page).waitFor();
    await signInElsewhere(page, await anAdmin('Otto Other'));
    await page.getByRole('button', { name: 'Account menu for Otto Other' }).waitFor();
    expect(await groupNames()).not.toContain('By Ada alone');
  });

  it('clears the typed text when the session of another person replaces it', async () => {
    const ada = await anAdmin('Ada Before');
    const page = await openConsole(server, ada);
    await typingAGroup(page, 'Not for Otto');
    const otto = await anAdmin('Otto After');
    const { token } = await server.app.get(SessionsService).open(lark.system, { memberId: otto.id, isFresh: true });
    await page.context().addCookies([{ name: sessionCookie, value: token, url: server.url }]);
    await endSessionsOf(ada);
    await page.getByRole('button', { name: 'Account menu for Otto After' }).waitFor();
    await page.getByLabel('Name').waitFor({ state: 'detached' });
  });
});

inChromium('a server that becomes unreachable', () => {
  it('is reported, is reconnected later, and the typed text stays', async () => {
    const port = String(await freePort());
    const aProcess = () => serverProcess(server.databaseUrl, { PORT: port });
    let running = await aProcess();
    const { token } = await server.app
      .get(SessionsService)
      .open(lark.system, { memberId: lark.admin.id, isFresh: true });
    const page = await openConsoleWithToken(running.url, token);
    expectPageError(page, /net::ERR_/);
    await typingAGroup(page, 'Through the gap');
    const away = page.getByText('Connection lost');
    await running.kill();
    await away.waitFor();
    await mutate(await lark.as(), 'createGroup', 'CreateGroupInput', { name: 'Made meanwhile' });
    running = await aProcess();
    await away.waitFor({ state: 'detached' });
    await page.getByText('Made meanwhile').waitFor();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Through the gap');
    await page.getByRole('dialog').getByRole('button', { name: 'Create group' }).click();
    await page.getByRole('heading', { level: 1, name: 'Through the gap' }).waitFor();
    await page.close();
    await running.kill();
  });

  it('receives one request for the rest of a list, and another one on retry', async () => {
    const moor = await anOrganization(server, { name: 'Moor' });
    await server.app.get(DatabaseService).tenant(moor.system, (tx) =>
      runSql(
        tx,
        `insert into groups (tenant_id, id, name, created_at)
         select $1, gen_random_uuid(), 'Group ' || n, now() from generate_series(100, 219) as n`,
        [moor.system.tenantId],
      ),
    );
    const page = await openConsole(server, moor.admin);
    expectPageError(page, /net::ERR_/);
    // a late change event of the organization would reload the list
    await page.route('**/console/events', (route) => route.abort());
    let asked = 0;
    await page.route('**/graphql', (route) => {
      if (!/"after":"/.test(route.request().postData() ?? '')) return route.continue();
      asked++;
      return route.abort();
    });
    await page.goto('/console/organization/groups');
    await page.getByText('100 of 120').waitFor();
    const scroll = (to: number) => page.evaluate(`scrollTo({ top: ${to} })`);
    await scroll(1e6);
    await page.getByRole('alert').filter({ hasText: 'The server could not be reached' }).waitFor();
    await scroll(0);
    await page.getByText('Group 100', { exact: true }).waitFor();
    await scroll(1e6);
    await page.getByText('Group 199', { exact: true }).waitFor();
    expect(asked).toBe(1);
    await page.unroute('**/graphql');
    await scroll(0);
    await page.getByRole('button', { name: 'Try again' }).click();
    await scroll(1e6);
    await page.getByText('120 of 120').waitFor();
  });

  it('may restart with another build: a missing page is reported and works after a reload', async () => {
    const page = await openConsole(server, lark.admin);
    expectPageError(page, /404/);
    await page.goto('/console');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await page.getByRole('link', { name: 'Organization' }).click();
    await page.getByRole('heading', { level: 1, name: 'New version available' }).waitFor();
    await page.unroute('**/assets/*.js');
    await page.getByRole('button', { name: 'Reload page' }).click();
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor();
  });
});
