import { afterAll, beforeAll, expect, it } from 'vitest';
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

it('redirects from GraphiQL to the sign-in page without a session', async () => {
  const response = await fetch(`${server.url}/graphiql`, { redirect: 'manual' });
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/sign-in?next=%2Fgraphiql');
});

it('redirects to the console from the root path, after set-up and after sign-in', async () => {
  const door = await fetch(server.url, { redirect: 'manual' });
  expect([door.status, door.headers.get('location')]).toEqual([302, '/console']);
  const console = await fetch(`${server.url}/console/tasks?state=failed`, { redirect: 'manual' });
  expect([console.status, console.headers.get('location')]).toEqual([
    303,
    '/sign-in?next=%2Fconsole%2Ftasks%3Fstate%3Dfailed',
  ]);
  const account = await (await organization.browser()).fetch('/account');
  expect(await account.text()).toContain('href="/console"');
});

it('is served with a Content-Security-Policy that allows only its own scripts and styles, with a new nonce per response', async () => {
  const browser = await organization.browser();
  const [one, other] = await Promise.all([browser.fetch('/console'), browser.fetch('/console/nowhere')]);
  const nonces = await Promise.all([one, other].map(nonceOf));
  expect(new Set(nonces).size).toBe(2);
  expect(one.headers.get('content-security-policy')).not.toMatch(/unsafe|\*|https?:/);
  expect(one.headers.get('cache-control')).toBe('no-store');
});

/** The nonce, equal in the policy and in the page. */
async function nonceOf(response: Response): Promise<string> {
  const [, inPolicy] = /style-src 'self' 'nonce-([\w-]{22})'/.exec(response.headers.get('content-security-policy')!)!;
  expect(await response.text()).toContain(`content="${inPolicy}"`);
  return inPolicy;
}

inChromium('the console', () => {
  it('shows the navigation to a signed-in person', async () => {
    const page = await openConsole(server, organization.admin);
    await page.goto('/console');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Tasks' }).click();
    await page.waitForURL('/console/tasks');
  });

  it('shows a not-found page with a link to Home', async () => {
    const page = await openConsole(server, organization.admin);
    await page.goto('/console/nowhere');
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await page.getByRole('heading', { level: 1, name: /Ada Admin/ }).waitFor();
  });
});
