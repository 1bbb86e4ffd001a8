import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { consoleOf, inChromium } from './kit/console.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let organization: Organization;
beforeAll(async () => {
  server = await testServer();
  organization = await anOrganization(server);
});
afterAll(() => server.close());

it('leads whoever is not signed in from GraphiQL to the sign-in page', async () => {
  const response = await fetch(`${server.url}/graphiql`, { redirect: 'manual' });
  expect(response.status).toBe(303);
  expect(response.headers.get('location')).toBe('/sign-in?next=%2Fgraphiql');
});

inChromium('the console', () => {
  it('shows who is signed in, and where one can go', async () => {
    const page = await consoleOf(server, organization.admin);
    await page.goto('/console');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Tasks' }).click();
    expect(new URL(page.url()).pathname).toBe('/console/tasks');
  });

  it('says so where there is no page', async () => {
    const page = await consoleOf(server, organization.admin);
    await page.goto('/console/nowhere');
    await page.getByRole('heading', { level: 1, name: 'There is nothing here' }).waitFor();
    await page.getByRole('link', { name: 'To the start' }).click();
    await page.getByRole('heading', { level: 1, name: /Ada Admin/ }).waitFor();
  });
});
