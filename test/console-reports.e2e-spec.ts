import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { PermitProposalScheduler } from '../src/permit-proposals/permit-proposal-scheduler.service.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { inChromium, openConsole } from './kit/console.js';
import { rowsOf } from './kit/csv.js';
import { button, pick } from './kit/form.js';

let approvals: ApprovalsFixture;
let ada: Page;
let rita: Page;

const policies = `@id("reads") permit (principal, action in Action::"read", resource);

@id("writes") @approval("review") permit (principal, action in Action::"write", resource);
`;

inChromium('reports and proposed permits', () => {
  beforeAll(async () => {
    approvals = await ApprovalsFixture.start();
    const { fixture, server } = approvals;
    await fixture.publish(policies);
    ada = await openConsole(server, fixture.organization.admin);
    rita = await openConsole(server, fixture.reviewer);
  });
  afterAll(() => approvals?.close());

  const row = (table: string, name: string, page = ada) =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: name });

  it('records the view of an approver who opens an approval, and lists decisions without one', async () => {
    const viewed = await approvals.request();
    await rita.goto(`/console/approvals/${viewed.id}`);
    await button(rita, 'Approve').click();
    await rita.getByText(/^Approved: Create a ticket/).waitFor();
    const blind = await approvals.request();
    await approvals.decide(blind.id, approvals.fixture.reviewer, 'deny');

    await ada.goto('/console/reports');
    await ada.waitForURL(/\/reports\/approvals/);
    const unviewed = row('Decisions without a view of the arguments', 'workplace__create_ticket');
    await unviewed.getByText('Denied').waitFor();
    await expect.poll(() => unviewed.count()).toBe(1);
    await row('Approvers', 'Rita Reviewer').waitFor();
    await expect
      .poll(() => row('Approvers', 'Rita Reviewer').getByRole('cell').allTextContents())
      .toMatchObject([
        'Rita Reviewer',
        expect.stringMatching(/^[\d.]+ (s|min)$/),
        expect.stringMatching(/^[\d.]+ (s|min)$/),
        '1',
        '1',
        '1',
        '0',
      ]);
    await row('Approval steps', 'review').waitFor();
    await ada.getByRole('img', { name: /^Decisions by day\. From .*: 2 decisions\.$/ }).waitFor();
    await unviewed.getByRole('link').click();
    await ada.waitForURL(new RegExp(`/approvals/${blind.id}`));
  });

  it('shows policies and tools that are not needed, and exports them for the chosen period', async () => {
    await ada.goto('/console/reports/policies');
    await row('Policies that never matched', 'reads').getByText('Allow').waitFor();
    expect(await row('Policies that never matched', 'writes').count()).toBe(0);
    await ada.getByRole('tab', { name: 'Tools' }).click();
    await row('Tools never used', 'workplace__list_tickets').getByText('Desk').waitFor();
    expect(await row('Tools never used', 'workplace__create_ticket').count()).toBe(0);
    await pick(ada, 'Period', 'Last 7 days');
    await ada.waitForURL(/period=7-days/);
    const exporting = ada.waitForEvent('download');
    await ada.getByRole('link', { name: 'Export CSV: unused tools' }).click();
    const download = await exporting;
    expect(download.suggestedFilename()).toMatch(/^unused-tools-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    expect(rowsOf(Buffer.concat(chunks).toString())).toContainEqual(
      expect.objectContaining({ configuration: 'Desk', tool: 'workplace__list_tickets' }),
    );
  });

  it('keeps the default period while a custom range is impossible', async () => {
    await ada.goto('/console/reports/approvals?period=own&from=2026-02-01&to=2026-01-01');
    await ada.getByRole('alert').getByText('The last day must not be before the first day.').waitFor();
    await ada.getByRole('table', { name: 'Approvers' }).waitFor();
  });

  it('fits a phone', async () => {
    await ada.setViewportSize({ width: 360, height: 740 });
    for (const path of ['approvals', 'policies', 'tools']) {
      await ada.goto(`/console/reports/${path}`);
      await ada.getByRole('table').first().waitFor();
      expect(await ada.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    }
    await ada.setViewportSize({ width: 1280, height: 800 });
  });

  it('suggests a permit on Home and on the policy tab, and adds it to the draft', async () => {
    const { fixture } = approvals;
    const approveTenTimes = async (title: string) => {
      for (let nth = 0; nth < 10; nth++) {
        const outcome = await fixture.call('create_ticket', { title });
        if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
        await approvals.decide(outcome.approvalId, fixture.reviewer);
        await approvals.asOwner('update tool_calls set retry_key = null', []);
      }
    };
    await approveTenTimes('Fan rattles');
    await approveTenTimes('Lamp flickers');
    await fixture
      .getInternal(PermitProposalScheduler)
      .propose(fixture.organization.tenant.id, fixture.configurationId, new AbortController().signal);

    await ada.goto('/console');
    const suggestions = ada.getByRole('region', { name: 'Suggestions' });
    await suggestions.getByRole('link', { name: 'Review a permit for workplace__create_ticket' }).first().click();
    const proposals = ada.getByRole('region', { name: 'Proposed permits' });
    const lamp = proposals.getByRole('article').filter({ hasText: 'Lamp flickers' });
    await lamp.getByRole('button', { name: 'Show 10 approvals' }).click();
    await lamp.getByRole('link', { name: 'Approved by Rita Reviewer' }).first().waitFor();
    await expect.poll(() => lamp.getByRole('link', { name: 'Approved by Rita Reviewer' }).count()).toBe(10);
    await button(lamp, 'Dismiss').click();
    await lamp.waitFor({ state: 'detached' });
    await proposals.getByRole('button', { name: 'Show 1 dismissed' }).click();
    await proposals.getByText(/dismissed by Ada Admin/).waitFor();

    await button(proposals.getByRole('article').filter({ hasText: 'Fan rattles' }), 'Create draft').click();
    await ada.getByText('You are viewing the draft that').waitFor();
    await proposals.getByRole('article').waitFor({ state: 'detached' });
    await ada.getByRole('textbox', { name: 'Cedar policies' }).getByText('exact call').first().waitFor();
    await ada.locator('button:enabled', { hasText: 'Publish…' }).click();
    await button(ada.getByRole('dialog'), 'Publish policy').click();
    await ada.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await fixture.call('create_ticket', { title: 'Fan rattles' })).toMatchObject({ state: 'succeeded' });
    expect(await fixture.call('create_ticket', { title: 'Lamp flickers' })).toMatchObject({
      state: 'awaiting_approval',
    });
  });
});
