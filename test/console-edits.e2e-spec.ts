import { afterAll, beforeAll, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { inChromium, openConsole } from './kit/console.js';
import { newTaskId, wireOf } from './kit/wire.js';

let at: ApprovalsFixture;
let ann: Member;
let ben: Member;

beforeAll(async () => {
  at = await ApprovalsFixture.start();
  const { fixture } = at;
  const board = await fixture.get(GroupsService).create(await fixture.principalOf(), 'Release board');
  const join = (name: string) => fixture.organization.member({ name, groupIds: [board.id] });
  [ann, ben] = [await join('Ann First'), await join('Ben Second')];
  await at.saveStep({ name: 'board', approverGroupId: board.id, allowsEdit: true });
  await at.saveStep({ name: 'pair', approverGroupId: board.id, quorum: 2, taskGrantMaxUses: 20 });
  await fixture.publish(
    [
      'permit (principal, action in Action::"read", resource);',
      '@approval("board") permit (principal, action in Action::"write", resource);',
      'forbid (principal, action == Action::"workplace__create_ticket", resource) when { context.arguments has priority && context.arguments.priority == "urgent" };',
    ].join('\n'),
  );
});
afterAll(() => at.close());

inChromium('editing a call in the console', () => {
  it('shows faults at their line, what saving does, and the difference to the next approver', async () => {
    const { id, title } = await at.request();
    const page = await openConsole(at.server, ann);
    await page.goto(`/console/approvals/${id}`);
    await page.getByRole('button', { name: 'Edit arguments' }).click();
    const text = page.getByRole('textbox', { name: 'Arguments (JSON)' });
    const check = page.getByRole('button', { name: 'Check edit' });
    await text.fill(`{\n  "title": "${title}",\n  "priority": "soon"\n}`);
    await check.click();
    await page.getByText('Line 3, priority:').waitFor();
    await text.fill(`{\n  "title": "${title}",\n  "priority": "urgent"\n}`);
    await check.click();
    await page.getByRole('button', { name: 'Save and end call' }).waitFor();
    await text.fill(`{\n  "title": "${title} slowly"\n}`);
    await check.click();
    await page.getByRole('status').filter({ hasText: 'Eligible: Ben Second' }).waitFor();
    await page.getByRole('button', { name: 'Save edited call' }).click();
    await page.getByText("You can't decide this", { exact: true }).waitFor();

    const other = await openConsole(at.server, ben);
    await other.goto(`/console/approvals/${id}`);
    await other.getByRole('link', { name: 'Open the approval of the edited call' }).click();
    const edits = other.getByRole('region', { name: 'Edited arguments' });
    await edits.getByText('Edited by').waitFor();
    await edits.getByText(`"${title}"`, { exact: true }).waitFor();
    await edits.getByText(`"${title} slowly"`, { exact: true }).waitFor();
    await other.getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => at.ticketCount(`${title} slowly`)).toBe(1);
    expect(await at.ticketCount(title)).toBe(0);
    await other.context().close(); // the next test ends the sessions of this member
  });

  it('says that the only approver cannot edit', async () => {
    await at.suspend(ben);
    try {
      const { id, title } = await at.request();
      const page = await openConsole(at.server, ann);
      await page.goto(`/console/approvals/${id}`);
      await page.getByRole('button', { name: 'Edit arguments' }).click();
      await page.getByRole('textbox', { name: 'Arguments (JSON)' }).fill(JSON.stringify({ title: `${title} x` }));
      await page.getByRole('button', { name: 'Check edit' }).click();
      await page.getByText('The editor of a call cannot approve it').waitFor();
      expect(await page.getByRole('button', { name: 'Save edited call' }).count()).toBe(0);
    } finally {
      await at.reactivate(ben);
    }
  });
});

inChromium('allowing further calls in the console', () => {
  it('proposes terms with the approval, and shows and revokes the grant on the task', async () => {
    await at.fixture.publish('@approval("pair") permit (principal, action in Action::"write", resource);');
    const wire = wireOf(at.fixture, at.server.url);
    const task = newTaskId();
    await wire.send(task, {
      tool: 'workplace__create_ticket',
      arguments: { title: 'First of several', project: 'LAN' },
    });
    const waiting = await wire.until(task, 'input-required');
    const { approvalId } = waiting.status.metadata as { approvalId: string };
    const page = await openConsole(at.server, ben);
    await page.goto(`/console/approvals/${approvalId}`);
    await page.getByRole('checkbox', { name: 'Also allow further calls of this tool in this task' }).check();
    await page.getByRole('checkbox', { name: 'title', exact: true }).uncheck();
    await page.getByText('Further calls must have the approved value of project; title may differ.').waitFor();
    await page.getByRole('textbox', { name: 'Further calls' }).fill('2');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Your approval counts: 1 of 2').waitFor();

    const { taskId } = await at.load(approvalId);
    const admin = await openConsole(at.server, at.fixture.organization.admin);
    await admin.goto(`/console/tasks/${taskId}`);
    const grants = admin.getByRole('region', { name: 'Further calls' });
    await grants.getByText('Proposed', { exact: true }).waitFor();
    await grants.getByText('0 of 2 used. Approved by Ben Second.').waitFor();

    const other = await openConsole(at.server, ann);
    await other.goto(`/console/approvals/${approvalId}`);
    await other.getByRole('checkbox', { name: 'Also allow 2 further calls in this task' }).waitFor();
    await grants.getByRole('button', { name: 'Revoke' }).click();
    await admin.getByRole('dialog').getByRole('button', { name: 'Revoke task grant' }).click();
    await grants.getByText('Ada Admin revoked the grant.').waitFor();
    await other.getByText('Ada Admin revoked the grant.').waitFor();
    await other.getByRole('button', { name: 'Approve' }).click();
    await wire.until(task, 'completed');
  });

  it('is set up in the approval step', async () => {
    const page = await openConsole(at.server, at.fixture.organization.admin);
    await page.goto('/console/agents/capabilities/approval-steps');
    await page.getByRole('button', { name: 'Create step' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('careful');
    await dialog.getByRole('checkbox', { name: 'Approvers can edit arguments' }).check();
    await dialog.getByRole('textbox', { name: 'Further calls in the same task' }).fill('7');
    await dialog.getByRole('button', { name: 'Save step' }).click();
    await page.getByText('Approval step saved.').waitFor();
    const { data } = await (
      await at.fixture.organization.as()
    )('{ approvalSteps { name allowsEdit taskGrantMaxUses } }');
    expect(data.approvalSteps).toContainEqual({ name: 'careful', allowsEdit: true, taskGrantMaxUses: 7 });
  });
});
