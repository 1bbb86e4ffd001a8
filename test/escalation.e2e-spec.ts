import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { itInChromium, openConsole } from './kit/console.js';

let at: ApprovalsFixture;
let first: Member;
let second: Member;
let secondGroupId: string;
let step: object;

beforeAll(async () => {
  at = await ApprovalsFixture.start();
  const { fixture } = at;
  const admin = await fixture.principalOf();
  const groups = fixture.get(GroupsService);
  const [desk, board] = [await groups.create(admin, 'Desk team'), await groups.create(admin, 'Board')];
  first = await fixture.organization.member({ name: 'Ann First', groupIds: [desk.id] });
  second = await fixture.organization.member({ name: 'Ben Second', groupIds: [board.id] });
  secondGroupId = board.id;
  // the responsible member of the agent is in the escalation group too
  await groups.addMember(admin, board.id, fixture.organization.admin.id);
  step = { name: 'desk', approverGroupId: desk.id, escalatesAfterSeconds: 600, escalationGroupId: board.id };
  await at.saveStep(step);
  await at.publish('desk');
});
afterAll(() => at.close());

describe('a step with an escalation group', () => {
  it('can be decided by its own group only until the escalation', async () => {
    const { id } = await at.request();
    const approval = await at.load(id);
    expect(approval.escalatesAt!.getTime() - approval.openedAt!.getTime()).toBe(600_000);
    expect(approval).toMatchObject({ deciders: [first.id], escalationDeciders: [second.id], escalatedAt: null });
    await at.escalateDue();
    expect(await at.load(id)).toMatchObject({ escalatedAt: null });
    await expect(at.decide(id, second)).rejects.toMatchObject({ code: 'approval-not-found' });
    expect(await at.decidableBy(second)).not.toContain(id);
  });

  it('adds the escalation group once, and both can decide', async () => {
    const { id, title } = await at.request();
    await at.letEscalate(id);
    await at.escalateDue();
    expect((await at.load(id)).escalatedAt).toBeInstanceOf(Date);
    expect(await at.publishedCount('approval.escalated', id)).toBe(1);
    expect(await at.recipientsOf('approval.escalated', id)).toEqual([second.id]);
    expect(await at.eventsOf(id)).toMatchObject([
      { kind: 'approval.requested' },
      { kind: 'approval.escalated', escalationGroupId: secondGroupId },
    ]);
    expect(await at.decidableBy(second)).toContain(id);
    expect(await at.decidableBy(first)).toContain(id);
    expect(await at.decide(id, second)).toMatchObject({ state: 'approved', decidedBy: second.id });
    await expect.poll(() => at.ticketCount(title)).toBe(1);
  });

  it('keeps the approval that was given before', async () => {
    await at.saveStep({ ...step, quorum: 2 });
    const { id, title } = await at.request();
    expect(await at.decide(id, first)).toMatchObject({ state: 'pending' });
    await at.letEscalate(id);
    expect(await at.decide(id, second)).toMatchObject({ state: 'approved', approvedBy: [first.id, second.id] });
    await expect.poll(() => at.ticketCount(title)).toBe(1);
    await at.saveStep(step);
  });

  it('lets neither a requester decide nor a member who joined the escalation group later', async () => {
    const { id } = await at.request();
    const late = await at.fixture.organization.member({ name: 'Late Lou', groupIds: [secondGroupId] });
    await at.letEscalate(id);
    await expect(at.decide(id, at.fixture.organization.admin)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
    await expect(at.decide(id, late)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
    expect(await at.load(id)).toMatchObject({ state: 'pending' });
    await at.suspend(late);
  });

  it('does not escalate a decided or expired approval', async () => {
    const decided = await at.request();
    await at.decide(decided.id, first, 'deny');
    await at.letEscalate(decided.id);
    const overdue = await at.request();
    await at.letExpire(overdue.id);
    await at.letEscalate(overdue.id);
    expect(await at.load(decided.id)).toMatchObject({ state: 'denied', escalatedAt: null });
    expect((await at.load(overdue.id)).escalatedAt).toBeNull();
  });

  it('waits for the escalation group if the first one is empty, and ends if both are', async () => {
    await at.suspend(first);
    const { id } = await at.request();
    await at.letEscalate(id);
    expect(await at.decidableBy(second)).toContain(id);
    await at.suspend(second);
    await expect.poll(async () => (await at.load(id)).state).toBe('void');
    await at.reactivate(second);
    await at.reactivate(first);
  });

  it('is void when the step names another escalation group', async () => {
    const { id } = await at.request();
    await at.saveStep({ ...step, escalationGroupId: null });
    expect(await at.load(id)).toMatchObject({ state: 'void' });
    await at.saveStep(step);
  });

  it('shows on both pages when it escalates, and to whom', async () => {
    const { id } = await at.request();
    const html = async () => {
      const text = await (await (await at.fixture.organization.browser(first)).fetch(`/approvals/${id}`)).text();
      return text.replaceAll(/\s+/g, ' ');
    };
    expect(await html()).toMatch(/Escalates to Board at <time [^>]*>[^<]*<\/time> if no one decides/);
    await at.letEscalate(id);
    expect(await html()).toMatch(/Escalated to Board at <time [^>]*>[^<]*<\/time> because no one had decided/);
    const query = `query ($id: ID!) { approval(id: $id) { escalatedAt escalationGroupName candidates { name mayDecide } } }`;
    const { data } = await (await at.fixture.organization.as(second))(query, { id });
    expect(data.approval).toMatchObject({ escalatedAt: expect.any(String), escalationGroupName: 'Board' });
    expect(data.approval.candidates).toContainEqual({ name: 'Ben Second', mayDecide: true });
  });

  itInChromium('appears in the inbox of the escalation group after the escalation', async () => {
    const { id } = await at.request();
    await at.letEscalate(id);
    const page = await openConsole(at.server, second);
    await page.goto(`/console/approvals/${id}`);
    await page.getByText(/Escalated to Board at .* because no one had decided/).waitFor();
    await page
      .getByText(/Escalated/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText(/^Approved: /).waitFor();
  });
});

describe('saving a step', () => {
  it.each([
    ['a time that is not shorter than the expiry', { escalatesAfterSeconds: 3600 }],
    ['an escalation group without a time', { escalatesAfterSeconds: null }],
    ['an escalation group for calls that are confirmed', { tier: 'confirm' }],
  ])('refuses %s', async (_, input) => {
    expect(await at.saveStep({ ...step, ...input })).toMatchObject({ code: 'invalid-request' });
  });
});
