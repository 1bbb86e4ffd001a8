import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { GroupsService } from '../src/access/groups.service.js';
import { Approval } from '../src/approvals/approval.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { itInChromium, openConsole } from './kit/console.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let groupId: string;
let first: Member;
let second: Member;
let third: Member;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  groupId = (await fixture.get(GroupsService).create(await fixture.principalOf(), 'Release board')).id;
  const join = (name: string) => fixture.organization.member({ name, groupIds: [groupId] });
  [first, second, third] = [await join('Ann First'), await join('Ben Second'), await join('Cleo Third')];
  await saveStep({ quorum: 2 });
  await fixture.publish(
    '@approval("board") permit (principal, action in Action::"write", resource); permit (principal, action in Action::"read", resource);',
  );
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

async function saveStep(more: object) {
  const ask = await fixture.organization.as();
  return ask('mutation ($input: SaveApprovalStepInput!) { saveApprovalStep(input: $input) { quorum } }', {
    input: { name: 'board', tier: 'review', approverGroupId: groupId, expiresAfterSeconds: 3600, ...more },
  });
}

let count = 0;
async function request() {
  const title = `Conveyor ${++count} runs backwards`;
  const outcome = await fixture.call('create_ticket', { title });
  if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
  return { id: outcome.approvalId, callId: outcome.callId, title };
}
const decide = async (id: string, by: Member, decision: 'approve' | 'deny' = 'approve') =>
  fixture.get(ApprovalsService).decide(await fixture.principalOf(by), id, decision, 'Not now.');
const load = (id: string) =>
  fixture
    .get(DatabaseService)
    .tenant(fixture.organization.system, (tx) =>
      tx.findOneByOrFail(Approval, { id, tenantId: fixture.organization.tenant.id }),
    );
const eventsOf = async (id: string) =>
  (await fixture.get(AuditLogService).list(fixture.organization.system, { first: 200 })).nodes
    .filter(({ subject }) => (subject as { id?: string } | null)?.id === id)
    .map(({ kind, detail }) => ({ kind, ...(detail as { approvedBy?: string[] }) }))
    .reverse();
const ticketCount = async (title: string) =>
  (await workplace.arrivals()).filter((arrival) => (arrival.arguments as { title?: string }).title === title).length;

describe('a step with a quorum of two', () => {
  it('runs the call once two members have approved, and not before', async () => {
    const { id, title } = await request();
    expect(await decide(id, first)).toMatchObject({ state: 'pending', approvedBy: [first.id], decidedBy: null });
    expect(await ticketCount(title)).toBe(0);
    expect(await decide(id, second)).toMatchObject({ state: 'approved', approvedBy: [first.id, second.id] });
    await expect.poll(() => ticketCount(title)).toBe(1);
    expect(await eventsOf(id)).toMatchObject([
      { kind: 'approval.requested', approvedBy: [] },
      { kind: 'approval.voted', approvedBy: [first.id] },
      { kind: 'approval.approved', approvedBy: [first.id, second.id] },
    ]);
  });

  it('counts each member once, also when they approve at the same time', async () => {
    const { id, title } = await request();
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => decide(id, first)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(decide(id, first)).rejects.toMatchObject({ code: 'approval-decided' });
    expect(await load(id)).toMatchObject({ state: 'pending', approvedBy: [first.id] });
    expect(await ticketCount(title)).toBe(0);
  });

  it('accepts one decision too many from members who decide at the same time', async () => {
    const { id, title } = await request();
    const answers = await Promise.allSettled([first, second, third].map((member) => decide(id, member)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect.poll(() => ticketCount(title)).toBe(1);
  });

  it('denies the call with one denial, also of a member who has approved', async () => {
    const { id, title } = await request();
    await decide(id, first);
    expect(await decide(id, first, 'deny')).toMatchObject({ state: 'denied', decidedBy: first.id });
    await expect(decide(id, second)).rejects.toMatchObject({ code: 'approval-decided' });
    expect(await ticketCount(title)).toBe(0);
  });

  it('does not count the approval of a member who was suspended since', async () => {
    const { id, title } = await request();
    await decide(id, third);
    const members = fixture.get(MemberStatusService);
    await members.suspend(await fixture.principalOf(), third.id);
    expect(await decide(id, first)).toMatchObject({ state: 'pending', approvedBy: [first.id] });
    expect(await decide(id, second)).toMatchObject({ state: 'approved', approvedBy: [first.id, second.id] });
    await expect.poll(() => ticketCount(title)).toBe(1);
    await members.reactivate(await fixture.principalOf(), third.id);
  });

  it('shows who has approved, and lists the call for the others', async () => {
    const { id } = await request();
    await decide(id, first);
    const query = `query ($id: ID!) {
      approval(id: $id) { quorum approvedBy { name } viewerCanDecide candidates { name mayDecide reason } }
      approvalsToDecide { nodes { id } }
    }`;
    const ofFirst = (await (await fixture.organization.as(first))(query, { id })).data;
    expect(ofFirst.approval).toMatchObject({ quorum: 2, approvedBy: [{ name: 'Ann First' }], viewerCanDecide: false });
    expect(ofFirst.approval.candidates).toContainEqual({
      name: 'Ann First',
      mayDecide: false,
      reason: 'You approved this call.',
    });
    expect(ofFirst.approvalsToDecide.nodes).not.toContainEqual({ id });
    const ofSecond = (await (await fixture.organization.as(second))(query, { id })).data;
    expect(ofSecond.approval.viewerCanDecide).toBe(true);
    expect(ofSecond.approvalsToDecide.nodes).toContainEqual({ id });
    const page = await (await (await fixture.organization.browser(first)).fetch(`/approvals/${id}`)).text();
    expect(page).toContain('1 of 2');
    expect(page).toContain('You approved this call.');
  });

  itInChromium('shows the progress in the console', async () => {
    const { id } = await request();
    const page = await openConsole(server, first);
    await page.goto(`/console/approvals/${id}`);
    await page.getByRole('status').getByText('0 of 2', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText(/^Your approval counts: 1 of 2/).waitFor();
    await page.goto(`/console/approvals/${id}`);
    await page.getByText('1 of 2: Ann First', { exact: true }).waitFor();
    await page.getByText('Waiting for other approvers').waitFor();
  });

  it('is void when the step requires another number', async () => {
    const { id } = await request();
    await decide(id, first);
    expect((await saveStep({ quorum: 3 })).data.saveApprovalStep).toEqual({ quorum: 3 });
    expect(await load(id)).toMatchObject({ state: 'void' });
    await saveStep({ quorum: 2 });
  });

  it('refuses a call at once that fewer members can approve', async () => {
    await saveStep({ quorum: 4 });
    expect(await fixture.call('create_ticket', { title: 'Nobody sees this' })).toMatchObject({
      state: 'denied',
      code: 'approval-unreachable',
    });
    await saveStep({ quorum: 2 });
  });

  it('ends a waiting call when too few members are left', async () => {
    const { id, title } = await request();
    const members = fixture.get(MemberStatusService);
    await members.suspend(await fixture.principalOf(), second.id);
    await members.suspend(await fixture.principalOf(), third.id);
    await expect.poll(async () => (await load(id)).state).toBe('void');
    expect((await load(id)).reason).toBe('Fewer than 2 members are left who can approve this call.');
    expect(await ticketCount(title)).toBe(0);
  });
});

describe('saving a step', () => {
  it.each([0, 11, 1.5])('refuses a quorum of %s', async (quorum) => {
    expect((await saveStep({ quorum })).errors).toBeDefined();
  });

  it('refuses more than one approval of calls that are confirmed', async () => {
    const answer = await saveStep({ tier: 'confirm', quorum: 2 });
    expect(answer).toMatchObject({ code: 'invalid-request' });
  });
});
