import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { openConsole, inChromium } from './kit/console.js';
import { button } from './kit/form.js';
import { GateFixture } from './kit/gate-fixture.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

async function openHome(organization: { admin: Parameters<typeof openConsole>[1] }): Promise<Page> {
  const page = await openConsole(server, organization.admin);
  await page.goto('/console');
  return page;
}

inChromium('the next step on Home', () => {
  it('is the set-up until there is a configuration, then the first task', async () => {
    const empty = await openHome(await anOrganization(server));
    await empty.getByText('Finish setting up your organization').waitFor();
    const { organization } = await GateFixture.create(server, workplace);
    const page = await openHome(organization);
    await page.getByRole('link', { name: 'Send first task' }).click();
    await page.waitForURL('**/console/welcome/task');
  });

  it('ends with the first call, also without a task', async () => {
    const fixture = await GateFixture.create(server, workplace);
    const page = await openHome(fixture.organization);
    await page.getByText('Send the first task').waitFor();
    await fixture.call('list_channels', {});
    await expect.poll(() => page.getByText('Send the first task').count()).toBe(0);
    await page.reload();
    await page.getByText('Nothing needs your attention').waitFor();
    expect(await page.getByText('Send the first task').count()).toBe(0);
  });

  it('can be dismissed', async () => {
    const { organization } = await GateFixture.create(server, workplace);
    const page = await openHome(organization);
    await page.getByText('Send the first task').waitFor();
    await button(page, 'Dismiss').click();
    await page.reload();
    await page.getByText('Nothing needs your attention').waitFor();
    expect(await page.getByText('Send the first task').count()).toBe(0);
  });
});
