import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { openConsole, inChromium } from './kit/console.js';
import { button } from './kit/form.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { aTerminal } from './kit/terminal.js';

let server: TestServer;
let lark: Organization;
let user: Member;

beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  user = await lark.member({ name: 'Ulla User' });
});
afterAll(() => server.close());

const connect = async () => (await aTerminal(server.url, await lark.browser(user))).access_token;
const statusOf = async (token: string) =>
  (await fetch(`${server.url}/cli/whoami`, { headers: { authorization: `Bearer ${token}` } })).status;

inChromium('terminals', () => {
  it('are listed for administrators, who disconnect them', async () => {
    const token = await connect();
    expect(await statusOf(token)).toBe(200);
    const page = await openConsole(server, lark.admin);
    await page.goto('/console/organization/keys/terminals');
    const row = page.getByRole('row').filter({ hasText: 'Ulla User' });
    await row.waitFor();
    await button(page, 'Disconnect a terminal of Ulla User').click();
    await page.getByText('No terminals connected').waitFor();
    expect(await statusOf(token)).toBe(401);
  });

  it('are listed for their owner, who disconnects them', async () => {
    const token = await connect();
    const page = await openConsole(server, user);
    await page.goto('/console/account');
    const terminals = page.getByRole('list', { name: 'Terminals' });
    await terminals.getByText('Read only').waitFor();
    await terminals.getByRole('button', { name: /^Disconnect/ }).click();
    await page.getByText('No terminals. Run “countersign login”').waitFor();
    expect(await statusOf(token)).toBe(401);
  });
});
