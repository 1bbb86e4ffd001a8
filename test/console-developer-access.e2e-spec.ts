import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { ClientsService } from '../src/oauth/clients/clients.service.js';
import { openConsole, inChromium } from './kit/console.js';
import { mutate } from './kit/workplace-fixture.js';
import { button, chooseMore, confirmByName, field, pick } from './kit/form.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { aProduct, productRedirectUri, Product } from './kit/product.js';
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
  page = await openConsole(server, lark.admin, { permissions: ['clipboard-read', 'clipboard-write'] });
});

const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
const clients = () => server.app.get(ClientsService);
const pageOf = (id: string) => page.goto(`/console/organization/developer-access/${id}`);

async function copied(label: string): Promise<string> {
  await button(page, `Copy ${label}`).click();
  const value = await clipboard();
  expect(
    await page
      .locator('input')
      .and(page.getByLabel(label, { exact: true }))
      .inputValue(),
  ).toBe(value);
  return value;
}

/** Follows the clicks from the specification. */
async function begin(name: string): Promise<void> {
  await page.goto('/console');
  await page.getByRole('link', { name: 'Organization', exact: true }).click();
  await page.getByRole('link', { name: 'Developer Access', exact: true }).click();
  await page.getByRole('link', { name: 'Create external client' }).click();
  await field(page, 'Name').fill(name);
}
const create = () => button(page, 'Create external client').click();

inChromium('an external client', () => {
  it('that is confidential shows its endpoints, and its secret once', async () => {
    await begin('Portal');
    await field(page, 'Callback URL 1').fill('https://portal.example/callback#part');
    await page.getByLabel('The API').check();
    await page.getByLabel('Confidential (backend)').check();
    await create();
    await page.getByText('fragment').nth(1).waitFor();
    await field(page, 'Callback URL 1').fill(productRedirectUri);
    await button(page, 'Add callback URL').click();
    await field(page, 'Callback URL 2').fill('https://portal.example/second');
    await create();
    await page.getByRole('heading', { level: 1, name: 'Portal was created' }).waitFor();

    const id = await copied('Client ID');
    expect(await copied('Authorization endpoint')).toBe(`${server.url}/oauth2/authorize`);
    expect(await copied('Token endpoint')).toBe(`${server.url}/oauth2/token`);
    expect(await copied('Resource URL')).toBe(`${server.url}/v1`);
    const secret = await copied('Client secret');
    const client = await clients().get(lark.system, id);
    expect(client).toMatchObject({ type: 'confidential', target: 'api', scopes: ['api:read'] });
    expect(client.redirectUris).toEqual([productRedirectUri, 'https://portal.example/second']);
    const { access_token } = await new Product(server.url, lark, client, secret).tokens();
    const me = await fetch(`${server.url}/v1/me`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(me.status).toBe(200);

    await page.getByRole('link', { name: 'I have copied the secret' }).click();
    await page.getByRole('heading', { level: 1, name: /^Portal(?! was)/ }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.goBack();
    await button(page, 'Create external client').waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  it('that is public, for a configuration over MCP, has no secret', async () => {
    await mutate(await lark.as(), 'createConfiguration', 'CreateConfigurationInput', { name: 'Desk' });
    await begin('Assistant');
    await field(page, 'Callback URL 1').fill('http://127.0.0.1:8976/callback');
    await page.getByLabel('A configuration over MCP').check();
    await pick(page, 'Configuration', 'Desk');
    await page.getByLabel('Public (PKCE)').check();
    await page.getByLabel('Installed on the user’s device').check();
    await create();
    await page.getByRole('heading', { level: 1, name: 'Assistant was created' }).waitFor();
    expect(await copied('Resource URL')).toBe(`${server.url}/v1/mcp`);
    expect(await page.getByText('secret', { exact: false }).count()).toBe(0);
    await page.getByRole('link', { name: 'Done' }).click();
    await page.getByText('MCP: Desk').waitFor();
    expect(await page.getByRole('region', { name: 'Secrets' }).count()).toBe(0);
  });

  it('is prepared by the assistants page of its configuration', async () => {
    const { it: tower } = await mutate(await lark.as(), 'createConfiguration', 'CreateConfigurationInput', {
      name: 'Tower',
    });
    await page.goto(`/configurations/${tower.id}/assistants`);
    await page.getByText('Other assistants').click();
    await page.getByRole('link', { name: 'Register it' }).click();
    await page.locator('input[value="mcp"]:checked').waitFor();
    await expect.poll(() => page.getByRole('combobox', { name: 'Configuration' }).inputValue()).toBe('Tower');
    await page.goBack();
    await page.getByRole('link', { name: 'Tower in the console' }).click();
    await page.getByText('MCP resource URL').waitFor();
  });

  it('shows all errors at their fields, and moves the focus to the first one', async () => {
    await page.goto('/console/organization/developer-access/new');
    await field(page, 'Name').fill('Portal');
    await field(page, 'Callback URL 1').fill('http://portal.example/callback');
    await field(page, 'Logo URL').fill('http://portal.example/logo.png');
    await button(page, 'Create external client').click();
    const note = page.getByRole('alert');
    await note.getByText('Logo URL:').waitFor();
    await note.getByText('Redirect URIs, entry 1:').waitFor();
    for (const label of ['Callback URL 1', 'Logo URL'])
      await expect.poll(() => field(page, label).getAttribute('aria-invalid')).toBe('true');
    await page.locator('[aria-label="Callback URL 1"]:focus').waitFor();
    page.once('dialog', (unsaved) => void unsaved.accept());
  });

  it('gets a second secret before the first is revoked', async () => {
    const before = await aProduct(server, lark, { name: 'Portal', type: 'confidential' });
    await pageOf(before.id);
    const secrets = page.getByRole('region', { name: 'Secrets' });
    const oldHint = await secrets.getByRole('listitem').locator('p').first().innerText();
    await button(page, 'Rotate secret').click();
    await button(page.getByRole('dialog'), 'Create new secret').click();
    const secret = await copied('Client secret');
    await page.keyboard.press('Escape'); // must not lose the secret
    await button(page.getByRole('dialog'), 'I have copied it').click();
    await secrets.getByRole('listitem').nth(1).waitFor();
    const after = new Product(server.url, lark, await clients().get(lark.system, before.id), secret);
    for (const product of [before, after])
      expect((await product.exchange(await product.code(lark.admin))).status).toBe(200);

    await button(page, 'Rotate secret').click();
    await page
      .getByRole('dialog')
      .getByText(`The secret ${oldHint} from before the last rotation is valid until`)
      .waitFor();
    await page.keyboard.press('Escape');

    await button(page, `Revoke secret ${oldHint}`).click();
    await button(page.getByRole('dialog'), 'Revoke secret').click();
    await secrets.getByRole('listitem').nth(1).waitFor({ state: 'detached' });
    expect((await before.exchange(await before.code(lark.admin))).status).toBe(401);
    expect((await after.exchange(await after.code(lark.admin))).status).toBe(200);
  });

  it('reports a concurrent edit', async () => {
    const { id } = await aProduct(server, lark, { name: 'Portal' });
    const other = await openConsole(server, lark.admin);
    await other.goto(`/console/organization/developer-access/${id}/edit`);
    await field(other, 'Name').fill('Named by the second');
    await pageOf(id);
    await page.getByRole('link', { name: 'Edit client' }).click();
    await field(page, 'Name').fill('Renamed');
    await button(page, 'Save changes').click();
    await page.getByRole('heading', { level: 1, name: 'Renamed' }).waitFor();
    await other.getByText('Somebody else saved changes').first().waitFor();
    await expect.poll(() => field(other, 'Name').inputValue()).toBe('Named by the second');
    expect((await clients().get(lark.system, id)).name).toBe('Renamed');
  });

  it('is disabled, enabled, and revoked', async () => {
    const product = await aProduct(server, lark, { name: 'Portal' });
    const { refresh_token } = await product.tokens();
    await pageOf(product.id);
    const heading = page.getByRole('heading', { level: 1 });
    await chooseMore(page, 'client', 'Disable client');
    await heading.getByText('disabled').waitFor();
    expect((await product.refresh(refresh_token)).status).toBe(401);
    await chooseMore(page, 'client', 'Enable client');
    await heading.getByText('active').waitFor();
    expect((await product.refresh(refresh_token)).status).toBe(200);
    await chooseMore(page, 'client', 'Revoke client');
    await confirmByName(page, 'Portal', 'Revoke client');
    await heading.getByText('revoked').waitFor();
    expect((await product.refresh(refresh_token)).status).toBe(401);
    expect(await page.getByRole('link', { name: 'Edit client' }).count()).toBe(0);
    await page.goto('/console/organization/developer-access');
    await page
      .getByRole('row', { name: /Portal/ })
      .getByText('revoked')
      .waitFor();
  });

  it('lists user grants and revokes one', async () => {
    const product = await aProduct(server, lark, { name: 'Portal' });
    const max = await lark.member();
    const { refresh_token } = await product.tokens(max);
    await pageOf(product.id);
    const grant = page.getByRole('table', { name: 'Grants' }).getByRole('row', { name: /Max Member/ });
    await grant.getByText('api:read').waitFor();
    await button(grant, 'Revoke grants of Max Member').click();
    await page.getByRole('menuitem', { name: 'Revoke this grant' }).click();
    await page.getByText('No grants yet.').waitFor();
    expect((await product.refresh(refresh_token)).status).toBe(400);
  });
});
