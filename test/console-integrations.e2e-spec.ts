import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { AccountUpstream } from './kit/account-upstream.js';
import { openConsole, inChromium } from './kit/console.js';
import { pick } from './kit/form.js';
import { expectPageError } from './kit/page-errors.js';
import { McpUpstream, upstreamTool } from './kit/mcp-upstream.js';
import { AccountFixture } from './kit/account-fixture.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let lark: Organization;
let ada: GraphqlRequest;
let page: Page;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start({ token: 'let-me-in' })]);
  lark = await anOrganization(server, { name: 'Larkmoor' });
  ada = await lark.as();
  page = await openConsole(server, lark.admin);
});
afterEach(() => workplace.clearFaults());
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

let count = 0;
interface Made {
  name?: string;
  kind?: string;
  settings?: object;
  secrets?: object;
}

/** Created through the API; opens its page. */
async function open(tab = '', { name = `Desk ${++count}`, ...made }: Made = {}): Promise<string> {
  const { data, errors } = await ada(
    'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id } }',
    { input: { ...desk(), name, slug: `desk${++count}`, ...made } },
  );
  expect(errors).toBeUndefined();
  const { id } = data.createConnection as { id: string };
  await page.goto(`/console/integrations/${id}${tab}`);
  return id;
}
const desk = () => ({ kind: 'mcp', settings: { url: workplace.url }, secrets: { token: 'let-me-in' } });
const button = (name: string, within: Page = page) => within.getByRole('button', { name, exact: true });
const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const said = (text: string | RegExp, within: Page = page) => within.getByText(text).first().waitFor();

inChromium('the connector list', () => {
  it('leads to a connected system and explains what is wrong on the way', async () => {
    await page.goto('/console/integrations');
    await said('No integrations yet');
    await page.getByRole('link', { name: 'Add integration' }).first().click();
    await page.getByRole('link', { name: 'MCP server' }).click();
    await page.getByLabel('Display name', { exact: false }).first().fill('Service desk');
    await expect.poll(() => page.getByLabel('Tool prefix').inputValue()).toBe('service-desk');
    await page.getByLabel('Address').fill(workplace.url);
    await page.getByRole('textbox', { name: 'Token', exact: true }).fill('wrong');
    await button('Save and test connection').click();
    await heading(/Service desk Failed/).waitFor();
    await said('Not working');

    await page.getByRole('link', { name: 'Edit settings' }).click();
    await page.getByRole('textbox', { name: 'Token', exact: true }).fill('let-me-in');
    await button('Save and test connection').click();
    await heading(/Service desk Connected/).waitFor();
  });

  it('asks only for the field of a connector with one field, and shows the names that it derives', async () => {
    await page.goto('/console/integrations/new/cursor');
    const fields = page.getByRole('form').getByRole('textbox');
    await page.getByRole('textbox', { name: 'API key' }).waitFor();
    await expect.poll(() => fields.count()).toBe(1);
    await said('Name: Cursor');
    await button('Edit names').click();
    await expect.poll(() => fields.count()).toBe(3);
  });

  it('shows errors at their fields and saves nothing', async () => {
    await page.goto('/console/integrations/new/mcp');
    await page.getByRole('textbox', { name: 'Display name', exact: true }).fill('Another');
    await page.getByRole('textbox', { name: 'Tool prefix' }).fill('service-desk');
    await page.getByLabel('Address').fill('https://mcp.example.com');
    await button('Save and test connection').click();
    await said('is already in use');
    await page.getByRole('textbox', { name: 'Tool prefix' }).fill('another');
    await page.getByLabel('Address').fill('');
    await button('Save and test connection').click();
    await said('requires either an address or a command, not both');
    const { data } = await ada('{ connections { totalCount } }');
    expect(data.connections.totalCount).toBe(1);
    await page.getByRole('textbox', { name: 'Display name', exact: true }).fill('');
  });
});

inChromium('an integration', () => {
  it('warns before saving that a new host clears the credentials', async () => {
    await open('/settings');
    await page.getByLabel('Address').fill('http://127.0.0.1:1/mcp');
    await said('Saving clears the credentials');
    await page.getByLabel('Address').fill(workplace.url);
    await page.getByText('Saving clears the credentials').waitFor({ state: 'hidden' });
  });

  it('shows no credential and removes one on request', async () => {
    const id = await open('/settings');
    await expect.poll(() => page.getByRole('textbox', { name: 'Token', exact: true }).inputValue()).toBe('');
    await page.getByLabel('Remove stored token').check();
    await button('Save and test connection').click();
    await heading(/Failed/).waitFor();
    const { data } = await ada('query ($id: ID!) { connection(id: $id) { credentials } }', { id });
    expect(data.connection.credentials).toEqual([]);
  });

  it('tells the second of two editors who changed it', async () => {
    const id = await open('/settings');
    const [grace, seen] = [await lark.member({ name: 'Grace Second', roles: ['admin'] }), page];
    const hers = await openConsole(server, grace);
    await hers.goto(`/console/integrations/${id}/settings`);
    await hers.getByRole('textbox', { name: 'Display name', exact: true }).fill('Hers');
    await seen.getByLabel('Token header').fill('X-Mine');

    await button('Save and test connection', hers).click();
    await hers.getByRole('heading', { level: 1, name: /Hers/ }).waitFor();
    await said('Settings changed', seen);
    await said('Grace Second', seen);
    await expect.poll(() => seen.getByLabel('Token header').inputValue()).toBe('X-Mine');
    await button('Discard my changes and reload', seen).click();
    await expect.poll(() => seen.getByRole('textbox', { name: 'Display name', exact: true }).inputValue()).toBe('Hers');
    await hers.context().close();
  });

  it('rejects a save over unseen settings and keeps the typed values', async () => {
    const id = await open('/settings');
    const deaf = await openConsole(server, lark.admin);
    expectPageError(deaf, /ERR_FAILED/);
    await deaf.route('**/console/events', (route) => route.abort());
    await deaf.goto(`/console/integrations/${id}/settings`);
    await deaf.getByLabel('Token header').fill('X-Mine');
    const { errors } = await ada(
      'mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { id } }',
      { input: { id, revision: 1, settings: { timeoutSeconds: 9 } } },
    );
    expect(errors).toBeUndefined();
    await button('Save and test connection', deaf).click();
    await said('Settings changed', deaf);
    await expect.poll(() => deaf.getByLabel('Token header').inputValue()).toBe('X-Mine');
    await button('Discard my changes and reload', deaf).click();
    await expect.poll(() => deaf.getByLabel('Token header').inputValue()).toBe('');
    await deaf.context().close();
  });

  it('is paused and resumed with one click', async () => {
    await open();
    await button('Pause integration').click();
    await heading(/Paused/).waitFor();
    await button('Resume integration').click();
    await heading(/Connected/).waitFor();
  });

  it('is removed after its name is typed', async () => {
    await open('', { name: 'Old desk' });
    await button('Remove integration').click();
    const dialog = page.getByRole('dialog');
    const verb = dialog.getByRole('button', { name: 'Remove integration' });
    await expect.poll(() => verb.isDisabled()).toBe(true);
    await dialog.getByLabel('Type "Old desk" to confirm').fill('Old desk');
    await verb.click();
    await heading('Integration settings').waitFor();
    await page.getByRole('link', { name: /Service desk/ }).waitFor();
    expect(await page.getByRole('link', { name: /Old desk/ }).count()).toBe(0);
  });

  it('shows the sync status and syncs on request', async () => {
    const folder = path.join(server.folder, 'minutes');
    mkdirSync(folder);
    const write = (name: string) => writeFileSync(path.join(folder, name), `# ${name}`);
    write('june.md');
    await open('/sync', { kind: 'folder', settings: { path: folder }, secrets: {} });
    await said(/^1 documents? in/);
    write('july.md');
    await button('Sync now').click();
    await said('Sync started.');
    await said(/^2 documents in/);
  });

  it('is limited to administrators', async () => {
    const id = await open();
    const theirs = await openConsole(server, await lark.member({ name: 'Max Member' }));
    await theirs.goto('/console/integrations');
    await theirs.getByRole('alert').getByText('forbidden').waitFor();
    expect(await theirs.getByRole('navigation').getByText('Integration settings').count()).toBe(0);
    await theirs.goto(`/console/integrations/${id}`);
    await theirs.getByRole('alert').getByText('forbidden').first().waitFor();
    await theirs.context().close();
  });
});

inChromium('a tool', () => {
  it('is confirmed after a review, and blocked until a changed definition is confirmed', async () => {
    await open('/tools');
    await page.getByRole('link', { name: /Create a ticket/ }).click();
    await said(/not reviewed yet/);
    await button('Confirm effect').click();
    await said(/confirmed by Ada Admin/);

    await workplace.fail({ fault: 'change-tools' });
    await page.getByRole('link', { name: /^Desk/ }).click();
    await button('Test connection').click();
    await page.getByRole('link', { name: 'Review changes to 1 tool' }).click();
    await page.getByRole('link', { name: /Create a ticket/ }).click();
    await page.locator('ins', { hasText: 'address book' }).waitFor();
    await button('Confirm new definition').click();
    await page.getByRole('heading', { name: 'Definition changes' }).waitFor({ state: 'hidden' });
  });

  it('is confirmed together with others, with the suggested effects or the reviewer’s own', async () => {
    const id = await open('/tools');
    const review = page.getByRole('region', { name: 'Review tools' });
    const rows = review.getByRole('table', { name: 'Unreviewed tools' }).getByRole('row');
    await rows.filter({ hasText: 'list_tickets' }).getByText('Suggested').waitFor();
    await pick(page, 'Effect of List tickets', 'Write');
    await rows.filter({ hasText: 'list_tickets' }).getByText('Your choice').waitFor();
    await review.getByRole('checkbox', { name: 'Select all' }).check();
    const count = (await rows.count()) - 1;
    await button(`Confirm ${count} tools`).click();
    await said('All tools are reviewed');
    const { data } = await ada('query ($id: ID!) { connection(id: $id) { tools { name effect confirmedAt } } }', {
      id,
    });
    const tools = data.connection.tools as { name: string; effect: string; confirmedAt: string | null }[];
    const unconfirmed = tools.filter(({ confirmedAt }) => !confirmedAt).map(({ name }) => name);
    expect(unconfirmed).toEqual([expect.stringMatching(/__resources_read$/)]); // built in
    expect(tools).toHaveLength(count + 1);
    expect(tools.find(({ name }) => name.endsWith('list_tickets'))?.effect).toBe('write');
    expect(tools.find(({ name }) => name.endsWith('close_ticket'))?.effect).toBe('destructive');
    await page.getByRole('link', { name: 'Create configuration' }).click();
    await heading('Create configuration').waitFor();
  });

  it('that declares itself destructive keeps this effect', async () => {
    await open('/tools');
    await page.getByRole('link', { name: /Close a ticket/ }).click();
    await expect.poll(() => page.getByRole('radio', { name: 'Read-only' }).isDisabled()).toBe(true);
    await expect.poll(() => page.getByRole('radio', { name: /delete or overwrite/ }).isChecked()).toBe(true);
  });

  it('renders text from its server only as text, with invisible characters marked', async () => {
    const upstream = await McpUpstream.start();
    const title = 'Pay \u202e<script>window.hacked = true</script>\u200b';
    upstream.serveStateless({ tools: [upstreamTool('pay', { title, description: '<img src=x onerror=hacked=1>' })] });
    const { data } = await ada('mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id } }', {
      input: { kind: 'mcp', name: 'Hostile', slug: 'hostile', settings: { url: upstream.url } },
    });
    await page.goto(`/console/integrations/${data.createConnection.id}/tools`);
    await page.getByRole('link', { name: /<script>/ }).click();
    await page.locator('h1 mark').first().waitFor();
    await said('<img src=x onerror=hacked=1>');
    await expect
      .poll(() => page.locator('h1 mark').allTextContents())
      .toEqual([expect.stringContaining('U+202E'), expect.stringContaining('U+200B')]);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    upstream.stop();
  });

  it('is paused separately', async () => {
    await open('/tools');
    await page.getByRole('link', { name: /Post a message/ }).click();
    await button('Pause tool').click();
    await button('Resume tool').waitFor();
    await heading(/Paused/).waitFor();
  });
});

inChromium('an integration whose sign-in server is not confirmed', () => {
  it('shows where people would be sent and links to the confirmation', async () => {
    const upstream = await AccountUpstream.start();
    const notes = await AccountFixture.create(server, upstream, lark, {}, {}, 'unconfirmed');
    await page.goto(`/console/integrations/${notes.connectionId}`);
    await said('Connect your account');
    expect(await page.getByText('Sign-in server not confirmed').count()).toBe(0);
    await (await notes.browser(await notes.member('Bo Member'))).submit(notes.connectPath);
    await page.reload();
    await said('Sign-in server not confirmed');
    await said(upstream.provider.issuer);
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-integration.png` });
    await page.getByRole('link', { name: 'Review sign-in server' }).click();
    await page.waitForURL(`${server.url}${notes.connectPath}`);
    await button('Continue').click();
    await page.getByRole('heading', { name: 'Confirm the sign-in server of Notes' }).waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-confirm.png` });
    await upstream.close();
  });
});
