import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { SubstitutionsService } from '../src/approvals/substitutions.service.js';
import { itInChromium, openConsole } from './kit/console.js';
import { newTaskId, wireOf } from './kit/wire.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { countStatementsOf } from './kit/count-statements.js';

let at: ApprovalsFixture;
let legal: Member;
let finance: Member;
let financeId: string;

beforeAll(async () => {
  at = await ApprovalsFixture.start();
  const { fixture } = at;
  const admin = await fixture.principalOf();
  const join = async (name: string, group: string) => {
    const { id } = await fixture.get(GroupsService).create(admin, group);
    return { id, member: await fixture.organization.member({ name, groupIds: [id] }) };
  };
  const first = await join('Lea Legal', 'Legal');
  const second = await join('Finn Finance', 'Finance');
  [legal, finance, financeId] = [first.member, second.member, second.id];
  await at.saveStep({ name: 'legal', approverGroupId: first.id, position: 1, expiresAfterSeconds: 7200 });
  await at.saveStep({ name: 'finance', approverGroupId: second.id, position: 2, expiresAfterSeconds: 600 });
  await at.publish('legal', 'finance');
});
afterAll(() => at.close());

describe('a call that needs two steps', () => {
  it('opens the second step when the first one is approved, and runs after both', async () => {
    const { callId, title } = await at.request();
    const [first, second] = await at.stepsOf(callId);
    expect(first).toMatchObject({ stepName: 'legal', stepNumber: 1, stepCount: 2, state: 'pending' });
    expect(second).toMatchObject({ stepName: 'finance', stepNumber: 2, state: 'waiting', openedAt: null });
    await expect(at.decide(second.id, finance)).rejects.toMatchObject({ code: 'approval-waiting' });
    await expect(at.decide(second.id, finance, 'deny')).rejects.toMatchObject({ code: 'approval-waiting' });

    expect(await at.decide(first.id, legal)).toMatchObject({ state: 'approved' });
    expect(await at.ticketCount(title)).toBe(0);
    const opened = await at.load(second.id);
    expect(opened.state).toBe('pending');
    expect(opened.expiresAt.getTime() - opened.openedAt!.getTime()).toBe(600_000);
    expect(await at.decide(second.id, finance)).toMatchObject({ state: 'approved' });
    await expect.poll(() => at.ticketCount(title)).toBe(1);
    expect(await at.eventsOf(second.id)).toMatchObject([
      { kind: 'approval.requested', stepNumber: 2, stepCount: 2 },
      { kind: 'approval.opened' },
      { kind: 'approval.approved' },
    ]);
  });

  it('notifies the approvers of a step when its turn comes', async () => {
    const { callId } = await at.request();
    const [first, second] = await at.stepsOf(callId);
    const requested = (id: string) => at.publishedCount('approval.requested', id);
    expect([await requested(first.id), await requested(second.id)]).toEqual([1, 0]);
    expect(await at.recipientsOf('approval.requested', second.id)).toEqual([]);
    expect(await at.decidableBy(finance)).not.toContain(second.id);
    await at.decide(first.id, legal);
    expect(await requested(second.id)).toBe(1);
    expect(await at.recipientsOf('approval.requested', second.id)).toEqual([finance.id]);
    expect(await at.decidableBy(finance)).toContain(second.id);
  });

  it('shows a waiting task which approval it needs now', async () => {
    const wire = wireOf(at.fixture, at.server.url);
    const id = newTaskId();
    await wire.send(id, { tool: 'workplace__create_ticket', arguments: { title: 'Two people decide' } });
    const { status } = await wire.until(id, 'input-required');
    const first = await at.load(status.metadata!.approvalId!);
    const [, second] = await at.stepsOf(first.callId);
    await at.decide(first.id, legal);
    await expect.poll(async () => (await wire.get(id)).status.metadata?.approvalId).toBe(second.id);
    await at.decide(second.id, finance);
    await wire.until(id, 'completed');
    expect(await at.ticketCount('Two people decide')).toBe(1);
  });

  it('ends with the denial of the first step', async () => {
    const { callId, title } = await at.request();
    const [first, second] = await at.stepsOf(callId);
    await at.decide(first.id, legal, 'deny');
    expect(await at.load(second.id)).toMatchObject({ state: 'void', openedAt: null });
    await expect(at.decide(second.id, finance)).rejects.toMatchObject({ code: 'approval-decided' });
    expect(await at.ticketCount(title)).toBe(0);
  });

  it('fails at once if no one can decide on the second step', async () => {
    await at.suspend(finance);
    expect(await at.fixture.call('create_ticket', { title: 'Nobody sees this' })).toMatchObject({
      state: 'denied',
      code: 'approval-unreachable',
    });
    await at.reactivate(finance);
  });

  it('ends when no one is left who can decide on the step that waits', async () => {
    const { callId } = await at.request();
    const [first, second] = await at.stepsOf(callId);
    const groups = at.fixture.get(GroupsService);
    await groups.removeMember(await at.fixture.principalOf(), financeId, finance.id);
    await expect.poll(async () => (await at.load(second.id)).state).toBe('void');
    expect(await at.load(first.id)).toMatchObject({ state: 'void' });
    await groups.addMember(await at.fixture.principalOf(), financeId, finance.id);
  });

  it('shows the steps and their states on both pages', async () => {
    const { callId, id } = await at.request();
    const [, second] = await at.stepsOf(callId);
    const { data } = await (
      await at.fixture.organization.as()
    )(`query ($id: ID!) { approval(id: $id) { stepNumber stepCount steps { approvalId stepName state isVisible } } }`, {
      id,
    });
    expect(data.approval).toEqual({
      stepNumber: 1,
      stepCount: 2,
      steps: [
        { approvalId: id, stepName: 'legal', state: 'pending', isVisible: true },
        { approvalId: second.id, stepName: 'finance', state: 'waiting', isVisible: true },
      ],
    });
    const asLegal = await at.fixture.organization.as(legal);
    const own = await asLegal(`query ($id: ID!) { approval(id: $id) { steps { isVisible } } }`, { id });
    expect(own.data.approval.steps).toEqual([{ isVisible: true }, { isVisible: false }]);
    const page = await (await (await at.fixture.organization.browser()).fetch(`/approvals/${id}`)).text();
    expect(page.replaceAll(/\s+/g, ' ')).toContain('1 of 2');
    expect(page).toContain('finance: waiting for an earlier step');
  });

  itInChromium('shows the next step after a decision in the console', async () => {
    const { callId, id } = await at.request();
    const page = await openConsole(at.server, legal);
    await page.goto(`/console/approvals/${id}`);
    await page.getByRole('heading', { name: 'Step 1 of 2' }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('Step 2 of 2 is next').waitFor();
    const [, second] = await at.stepsOf(callId);
    expect(second.state).toBe('pending');
  });
});

describe('a call that needs many steps', () => {
  const steps = Array.from({ length: 8 }, (_, nth) => `step-${nth}`);

  /** Each step has its own group, its own escalation group, and an approver whose substitution begins later. */
  beforeAll(async () => {
    const { fixture } = at;
    const admin = await fixture.principalOf();
    const groups = fixture.get(GroupsService);
    const substitute = await fixture.organization.member({ name: 'Sam Substitute' });
    for (const [position, name] of steps.entries()) {
      const [first, second] = [await groups.create(admin, name), await groups.create(admin, `${name} later`)];
      const approver = await fixture.organization.member({ groupIds: [first.id] });
      const saved = await at.saveStep({
        name,
        approverGroupId: first.id,
        position: position + 1,
        escalatesAfterSeconds: 600,
        escalationGroupId: second.id,
      });
      expect(saved.errors).toBeUndefined();
      await fixture.getInternal(SubstitutionsService).create(await fixture.principalOf(approver), {
        substituteId: substitute.id,
        startsAt: new Date(Date.now() + 600_000),
        endsAt: new Date(Date.now() + 36_000_000),
      });
    }
  });

  it('is requested with as many statements as one that needs two', async () => {
    const count = async (names: string[]) => {
      await at.publish(...names);
      await at.request(); // loads the policies
      let requested: { callId: string } | undefined;
      const statements = await countStatementsOf(async () => (requested = await at.request()));
      return { steps: (await at.stepsOf(requested!.callId)).map(({ stepName }) => stepName), statements };
    };
    const few = await count(steps.slice(0, 2));
    expect(few.steps).toEqual(steps.slice(0, 2));
    expect(await count(steps)).toEqual({ steps, statements: few.statements });
  });

  it('schedules a notification for each substitution that begins later', async () => {
    await at.publish(...steps);
    const { callId } = await at.request();
    const approvals = await at.stepsOf(callId);
    const jobs = await at.asOwner(
      `select payload ->> 'approvalId' as id from graphile_worker._private_jobs j
       join graphile_worker._private_tasks t on t.id = j.task_id
       where t.identifier = 'approvals.substitution-start' and j.run_at > now() order by 1`,
      [],
    );
    const scheduled = jobs.map(({ id }) => id);
    expect(approvals.filter(({ id }) => scheduled.includes(id))).toHaveLength(steps.length);
  });
});
