import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { ClientsService } from '../src/oauth/clients/clients.service.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { PoliciesService } from '../src/policies/policies.service.js';
import { FindingEvaluationService } from '../src/estate/findings/evaluation/finding-evaluation.service.js';
import { ClickCounter } from './kit/clicks.js';
import { openConsole, inChromium } from './kit/console.js';
import { EstateFixture } from './kit/estate-fixture.js';
import { button, field, pick } from './kit/form.js';
import { GateFixture } from './kit/gate-fixture.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/*
 * What people do often, from Home or from the link in their message, with at most so many clicks. The first run, the
 * account, spend and the first key are counted in their own files.
 */

const run = promisify(execFile);

let server: TestServer;
let workplace: Workplace;
beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

interface Journey {
  page: Page;
  clicks: ClickCounter;
}

async function begin(member: Member, address = '/console'): Promise<Journey> {
  const page = await openConsole(server, member, {
    permissions: ['clipboard-read', 'clipboard-write'],
    isDevelopmentBuild: true,
  });
  const clicks = await ClickCounter.start(page);
  await page.goto(address);
  return { page, clicks };
}
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: typeof name === 'string' });
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

inChromium('an administrator', () => {
  it('adds an integration, confirms its tools, and hands over a task with the copied command in 20 clicks', async () => {
    const { admin } = await anOrganization(server);
    const { page, clicks } = await begin(admin);
    await link(page, 'Integration settings').click();
    await link(page, 'Add integration').first().click();
    await link(page, 'MCP server').click();
    await field(page, 'Display name').fill('Service desk');
    await field(page, 'Address').fill(workplace.url);
    await button(page, 'Save and test connection').click();
    await link(page, /^Review \d+ tools/).click();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: /^Confirm \d+ tools/ }).click();
    await link(page, 'Create configuration').click();
    await field(page, 'Name').fill('Desk');
    await button(page, 'Create configuration').click();
    await tab(page, 'A2A').click();
    await button(page, 'Generate key').click();
    await button(page, 'Hide API key').waitFor();
    await button(page, 'Copy curl sample').click();
    const { stdout } = await run('bash', ['-c', await clipboard(page)]);
    expect(stdout).toContain('submitted');
    await link(page, 'Tasks').click();
    const tasks = page.getByRole('row', { name: /What can you help me with/ });
    await tasks.nth(1).waitFor();
    for (const task of await tasks.all()) await task.getByText('Completed').waitFor();
    clicks.expectAtMost(20);
  });

  it('forbids a tool and publishes the changed policy in 10 clicks', async () => {
    const fixture = await GateFixture.create(server, workplace);
    const { page, clicks } = await begin(fixture.organization.admin);
    await link(page, 'Agents').click();
    await link(page, /^Desk/).click();
    await tab(page, 'Policy').click();
    await button(page, 'Add rule').click();
    const dialog = page.getByRole('dialog', { name: 'Add rule' });
    await field(dialog, 'Name').fill('no messages');
    await dialog.getByText('Forbid', { exact: true }).click();
    await pick(dialog, 'Tools', 'workplace__post_message');
    await button(dialog, 'Add rule').click();
    await page.locator('button:enabled', { hasText: 'Publish…' }).click();
    await page.getByText('workplace__post_message: Require approval: review → Deny').waitFor();
    await button(page.getByRole('dialog'), 'Publish policy').click();
    await page.getByText('Revision 2 is live. Published by').waitFor();
    clicks.expectAtMost(10);
    const principal = await fixture.principalOf();
    const { current } = await fixture.get(PoliciesService).get(principal, fixture.configurationId);
    expect(current).toMatchObject({ revision: 2, text: expect.stringContaining('@id("no messages")') as string });
  });

  it('confirms all tools of an integration in 5 clicks', async () => {
    const fixture = await GateFixture.create(server, workplace);
    const { page, clicks } = await begin(fixture.organization.admin);
    await link(page, 'Integration settings').click();
    await link(page, /^Workplace/).click();
    await link(page, /^Review \d+ tools/).click();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: /^Confirm \d+ tools/ }).click();
    await page.getByText(/^Confirmed \d+ tools\. Policies now use this\./).waitFor();
    clicks.expectAtMost(5);
    const tools = await fixture.get(ToolsService).listOf(await fixture.principalOf(), fixture.connectionId);
    // the resources of a server are read-only by protocol
    const unconfirmed = tools.filter(({ confirmedAt }) => !confirmedAt);
    expect(unconfirmed.map(({ operation }) => operation)).toEqual(['resources']);
  });

  it('creates an external client and copies its secret in 8 clicks', async () => {
    const lark = await anOrganization(server);
    const { page, clicks } = await begin(lark.admin);
    await link(page, 'Organization').click();
    await link(page, 'Developer Access').click();
    await link(page, 'Create external client').click();
    await field(page, 'Name').fill('Portal');
    await field(page, 'Callback URL 1').fill('https://portal.example/callback');
    await page.getByLabel('Confidential (backend)').check();
    await button(page, 'Create external client').click();
    await page.getByRole('heading', { level: 1, name: 'Portal was created' }).waitFor();
    await button(page, 'Copy Client secret').click();
    expect(await clipboard(page)).toBe(await page.getByRole('textbox', { name: 'Client secret' }).inputValue());
    clicks.expectAtMost(8);
    const { nodes } = await server.app.get(ClientsService).list(lark.system, { first: 2 });
    expect(nodes).toMatchObject([{ name: 'Portal', redirectUris: ['https://portal.example/callback'] }]);
  });

  it('suspends a member in 3 clicks', async () => {
    const lark = await anOrganization(server);
    const max = await lark.member({ name: 'Max Member' });
    const theirs = await lark.browser(max);
    const { page, clicks } = await begin(lark.admin);
    await link(page, 'Organization').click();
    await button(page, 'Suspend Max Member').click();
    const dialog = page.getByRole('dialog', { name: 'Suspend Max Member?' });
    await button(dialog, 'Suspend member').click();
    await page
      .getByRole('row', { name: /Max Member/ })
      .getByText('suspended')
      .waitFor();
    clicks.expectAtMost(3);
    expect((await theirs.fetch('/account')).status).toBe(303);
    await expect.poll(() => page.getByRole('button', { name: /^Suspend / }).count()).toBe(0);
  });

  it('approves the server of a finding in 4 clicks', async () => {
    const lark = await anOrganization(server);
    const estate = await EstateFixture.create(server, lark);
    const notes = { command: 'npx', args: ['-y', 'mcp-notes@1.2.3'] };
    await estate.upload('lap-ines', [{ path: '/home/ines/.cursor/mcp.json', content: { mcpServers: { notes } } }]);
    await server.app.get(FindingEvaluationService).evaluate(lark.system);
    const { page, clicks } = await begin(lark.admin);
    await link(page, 'AI estate').click();
    await link(page, /^Not approved/)
      .first()
      .click();
    await button(page, 'Approve server').click();
    const dialog = page.getByRole('dialog', { name: 'Approve notes?' });
    await button(dialog, 'Approve server').click();
    await page.getByRole('heading', { level: 1 }).getByText('resolved').waitFor();
    clicks.expectAtMost(4);
    await page.goto('/console/estate/approved');
    await page.getByRole('row', { name: /npm:mcp-notes/ }).waitFor();
  });

  it('finds who approved a call in 4 clicks', async () => {
    const { fixture, title } = await approvedCall();
    const { page, clicks } = await begin(fixture.organization.admin);
    await link(page, /^Approvals/).click();
    await page.getByText('Decided', { exact: true }).click();
    const decided = page.getByRole('navigation', { name: 'Approvals' }).getByRole('link', { name: title });
    await decided.getByText('by Rita Reviewer').waitFor();
    await decided.click();
    await page
      .getByRole('status')
      .filter({ hasText: /Approved.*by Rita Reviewer/s })
      .waitFor();
    clicks.expectAtMost(4);
  });
});

inChromium('an auditor', () => {
  it('finds who approved a call in 4 clicks', async () => {
    const { fixture } = await approvedCall();
    const { page, clicks } = await begin(
      await fixture.organization.member({ name: 'Otto Auditor', roles: ['auditor'] }),
    );
    await link(page, 'Audit').click();
    await page.getByRole('combobox', { name: 'Event type' }).or(page.getByLabel('Event type')).first().click();
    await page.getByRole('option', { name: 'Approval approved', exact: true }).click();
    await link(page, 'Approval requested').waitFor({ state: 'hidden' }); // the list is filtered: its rows stay in place
    await link(page, 'Approval approved').click();
    const summary = page.getByRole('region', { name: 'Summary' });
    await summary.getByText('Member Rita Reviewer').waitFor();
    await page.getByText('workplace__create_ticket').first().waitFor();
    clicks.expectAtMost(4);
  });
});

inChromium('an approver', () => {
  it('approves a call from Home in 2 clicks', async () => {
    const { fixture, title } = await requestedCall();
    const { page, clicks } = await begin(fixture.reviewer);
    await page
      .getByRole('region', { name: 'Approvals waiting for you' })
      .getByRole('link', { name: /Create a ticket/ })
      .click();
    await page.getByRole('definition').getByText(title, { exact: true }).waitFor();
    await button(page, 'Approve').click();
    await page.getByText('Approved: Create a ticket.').waitFor();
    clicks.expectAtMost(2);
  });

  it('approves a call from the link in a notification in 2 clicks', async () => {
    const { fixture, title, id } = await requestedCall();
    const { page, clicks } = await begin(fixture.reviewer, `/approvals/${id}`);
    await page.getByText(title).first().waitFor();
    await button(page, 'Approve').click();
    const approval = async () => fixture.get(ApprovalsService).get(await fixture.principalOf(fixture.reviewer), id);
    await expect.poll(async () => (await approval()).state).toBe('approved');
    clicks.expectAtMost(2);
  });
});

let count = 0;

async function requestedCall() {
  const fixture = await GateFixture.create(server, workplace);
  const title = `The gripper ${++count} lets go`;
  const outcome = await fixture.call('create_ticket', { project: 'FLD', title });
  if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
  return { fixture, title, id: outcome.approvalId };
}

async function approvedCall() {
  const requested = await requestedCall();
  await requested.fixture
    .get(ApprovalsService)
    .decide(await requested.fixture.principalOf(requested.fixture.reviewer), requested.id, 'approve');
  return requested;
}
