import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalOverridesService } from '../src/approvals/approval-overrides.service.js';
import { BreakGlassRightsService } from '../src/approvals/break-glass-rights.service.js';
import { BackgroundCallRunner } from '../src/gate/background-call-runner.service.js';
import { CallsService } from '../src/gate/calls.service.js';
import { type CallOutcome, GateService } from '../src/gate/gate.service.js';
import { TaskWithdrawalService } from '../src/gate/task-withdrawal.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { runSql } from './kit/run-sql.js';
import { newTaskId, wireOf } from './kit/wire.js';

let at: ApprovalsFixture;
let groupId: string;
let ann: Member;
let ben: Member;
let cleo: Member;

const createTicket = 'action == Action::"workplace__create_ticket"';
const policies = [
  'permit (principal, action in Action::"read", resource);',
  '@approval("board") permit (principal, action in Action::"write", resource);',
  '@approval("board") permit (principal, action in Action::"destructive", resource);',
  `@approval("other") permit (principal, ${createTicket}, resource) when { context.arguments has priority && context.arguments.priority == "high" };`,
  `forbid (principal, ${createTicket}, resource) when { context.arguments has priority && context.arguments.priority == "urgent" };`,
];
const board = (more: object = {}) =>
  at.saveStep({ name: 'board', approverGroupId: groupId, taskGrantMaxUses: 10, ...more });

beforeAll(async () => {
  at = await ApprovalsFixture.start();
  const { fixture } = at;
  groupId = (await fixture.get(GroupsService).create(await fixture.principalOf(), 'Release board')).id;
  const join = (name: string) => fixture.organization.member({ name, groupIds: [groupId] });
  [ann, ben, cleo] = [await join('Ann First'), await join('Ben Second'), await join('Cleo Third')];
  await board();
  await at.saveStep({ name: 'pair', approverGroupId: groupId, quorum: 2, taskGrantMaxUses: 3 });
  await at.saveStep({ name: 'other', approverGroupId: groupId, position: 2 });
  await fixture.publish(policies.join('\n'));
});
afterAll(() => at.close());
/** A caller has at most 20 calls that wait, and a server runs at most 64 tasks. */
afterEach(async () => {
  await at.asOwner(
    `update tool_calls set state = 'denied', code = 'approval-expired', reason = 'The test ended.', ended_at = now()
     where state = 'awaiting_approval'`,
    [],
  );
  await at.asOwner(`update tasks set state = 'completed' where state = 'working'`, []);
});

type Task = { id: string; leaseEpoch: number; tainted: boolean };

/** A task that this test works on, with one message of its caller. */
async function aTask(): Promise<Task> {
  const id = newId();
  const { fixture } = at;
  const tenantId = fixture.organization.tenant.id;
  await at.inTenant((tx) =>
    runSql(
      tx,
      `insert into tasks (tenant_id, id, owner_id, external_id, configuration_id, key_id, principal, state, status, last_event, items, turns,
                          is_tainted, is_woken, due_at, lease_epoch, attempts, worked_ms, created_at, updated_at)
       values ($1, $2, $3, $6, $4, $5, '{}', 'working', '{}', 1, 1, 0, false, false, now() + interval '1 hour', 1, 1, 0, now(), now())`,
      [tenantId, id, fixture.agentId, fixture.configurationId, fixture.agent.keyId, id],
    ),
  );
  await addMessage(id);
  return { id, leaseEpoch: 1, tainted: false };
}

let position = 0;
const addMessage = (taskId: string) =>
  at.inTenant((tx) =>
    runSql(
      tx,
      `insert into task_items (tenant_id, task_id, position, kind, hash, body, at) values ($1, $2, $3, 'message', $4, 'x', now())`,
      [at.fixture.organization.tenant.id, taskId, 1000 + ++position, Buffer.from(`${position}`.padStart(32, '0'))],
    ),
  );

let count = 0;
const aTitle = () => `Conveyor ${++count} stands still`;
const create = (task: Task, args: object) => at.fixture.call('create_ticket', args, { task });
const approvalOf = (outcome: CallOutcome): string => {
  if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
  return outcome.approvalId;
};
const terms = (more: object = {}) => ({ equalArguments: ['project'], maxUses: 3, expiresAfterSeconds: 3600, ...more });

/** Approves with the hashes that are shown; with a grant if there are terms. */
async function approve(id: string, by: Member, taskGrant: object | null = null) {
  const ask = await at.fixture.organization.as(by);
  const { data } = await ask('query ($id: ID!) { approval(id: $id) { call { argumentsHash definitionHash } } }', {
    id,
  });
  const response = await ask('mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { state } }', {
    input: { id, decision: 'approve', ...data.approval.call, taskGrant },
  });
  return { ...response, state: response.data?.decideApproval.state as string | undefined };
}

const grantFields = `id state uses maxUses equalArguments freeArguments endReason viewerCanRevoke expiresAt approvedBy { name }`;
async function grantOf(approvalId: string, as: Member = ann) {
  const query = `query ($id: ID!) { approval(id: $id) { taskGrantMaxUses taskGrant { ${grantFields} } } }`;
  return (await (await at.fixture.organization.as(as))(query, { id: approvalId })).data.approval.taskGrant;
}
const revoke = async (id: string, by: Member) =>
  (await at.fixture.organization.as(by))('mutation ($id: ID!) { revokeTaskGrant(id: $id) { state endReason } }', {
    id,
  });

/** A task whose first call was approved together with a grant. */
async function granted(more: object = {}, task?: Task) {
  const own = task ?? (await aTask());
  const outcome = await create(own, { title: aTitle(), project: 'LAN' });
  const approvalId = approvalOf(outcome);
  expect((await approve(approvalId, ann, terms(more))).state).toBe('approved');
  return { task: own, approvalId, callId: outcome.callId, ...(await grantOf(approvalId)) };
}
const call = (callId: string) => at.fixture.get(CallsService).get(at.fixture.organization.system, callId);

describe('Rule 8: a grant for a task', () => {
  it('lets further calls run with the approved values, and counts each use', async () => {
    const { task, approvalId, id } = await granted();
    expect(await grantOf(approvalId)).toMatchObject({
      state: 'active',
      uses: 0,
      equalArguments: ['project'],
      freeArguments: ['title'],
      approvedBy: [{ name: 'Ann First' }],
    });
    const title = aTitle();
    const further = await create(task, { title, project: 'LAN' });
    expect(further).toMatchObject({ state: 'succeeded' });
    expect(await at.ticketCount(title)).toBe(1);
    expect(await call(further.callId)).toMatchObject({ grantId: id, steps: ['board'], state: 'succeeded' });
    expect(await grantOf(approvalId)).toMatchObject({ uses: 1 });
    expect((await at.eventsOf(id)).map(({ kind }) => kind)).toEqual([
      'task-grant.proposed',
      'task-grant.granted',
      'task-grant.used',
    ]);
    expect((await at.eventsOf(id)).at(-1)).toMatchObject({ usedByCallId: further.callId, uses: 1, voters: [ann.id] });
    expect(await at.eventsOf(further.callId)).toMatchObject([{ kind: 'call.started', taskGrantId: id }, {}]);
  });

  it('marks the uses of a grant that no second person gave', async () => {
    const { task, id, callId } = await granted();
    for (const notFourEyes of [false, true]) {
      await at.asOwner('update approvals set not_four_eyes = $2 where call_id = $1', [callId, notFourEyes]);
      expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'succeeded' });
      expect((await at.eventsOf(id)).at(-1)).toMatchObject({ kind: 'task-grant.used', notFourEyes });
    }
  });

  it('does not count the approved call itself, and a repeated call once', async () => {
    const { task, approvalId } = await granted();
    const args = { title: aTitle(), project: 'LAN' };
    const first = await create(task, args);
    const again = await create(task, args);
    expect(again).toMatchObject({ callId: first.callId, replayed: true });
    expect(await grantOf(approvalId)).toMatchObject({ uses: 1 });
  });

  it.each([
    ['another value', { title: 'Another project', project: 'MOS' }],
    ['a missing value', { title: 'No project' }],
    ['an argument that the approved call did not have', { title: 'One more', project: 'LAN', assignee: 'Mallory' }],
  ])('does not cover a call with %s', async (_what, args) => {
    const { task, approvalId } = await granted();
    expect(await create(task, args)).toMatchObject({ state: 'awaiting_approval' });
    expect(await grantOf(approvalId)).toMatchObject({ uses: 0 });
  });

  it('does not cover another task, another tool or a call without a task', async () => {
    const { task, approvalId } = await granted({ equalArguments: ['project'] });
    const args = () => ({ title: aTitle(), project: 'LAN' });
    expect(await create(await aTask(), args())).toMatchObject({ state: 'awaiting_approval' });
    expect(await at.fixture.call('create_ticket', args())).toMatchObject({ state: 'awaiting_approval' });
    const comment = await at.fixture.call('comment_ticket', { id: 'LAN-2291', text: 'Hm.' }, { task });
    expect(comment).toMatchObject({ state: 'awaiting_approval' });
    expect(await grantOf(approvalId)).toMatchObject({ uses: 0 });
  });

  it('asks the policies each time: a denial and another step win', async () => {
    const { task, approvalId } = await granted({ equalArguments: ['project'] });
    const withPriority = await granted({ equalArguments: ['project'] }, await aTask());
    expect(withPriority.state).toBe('active');
    const approved = await create(task, { title: aTitle(), project: 'LAN', priority: 'low' });
    const other = approvalOf(approved);
    expect((await approve(other, ann, terms())).state).toBe('approved');
    expect(await create(task, { title: aTitle(), project: 'LAN', priority: 'normal' })).toMatchObject({
      state: 'succeeded',
    });
    expect(await create(task, { title: aTitle(), project: 'LAN', priority: 'urgent' })).toMatchObject({
      state: 'denied',
      code: 'policy-denied',
    });
    expect(await create(task, { title: aTitle(), project: 'LAN', priority: 'high' })).toMatchObject({
      state: 'awaiting_approval',
    });
    expect(await grantOf(approvalId)).toMatchObject({ uses: 0 });
    expect(await grantOf(other)).toMatchObject({ uses: 1 });
  });

  it('ends after its number of uses', async () => {
    const { task, approvalId } = await granted({ maxUses: 2 });
    for (let use = 0; use < 2; use++)
      expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'succeeded' });
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    expect(await grantOf(approvalId)).toMatchObject({ state: 'ended', uses: 2 });
  });

  it('ends at its time', async () => {
    const { task, id, approvalId } = await granted();
    await at.asOwner(`update task_grants set expires_at = now() - interval '1 second' where id = $1`, [id]);
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    expect(await grantOf(approvalId)).toMatchObject({ state: 'ended', endReason: 'The grant expired.' });
  });

  it('ends with a new message of the caller', async () => {
    const { task, id, approvalId } = await granted();
    await addMessage(task.id);
    expect(await grantOf(approvalId)).toMatchObject({ state: 'ended' });
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    expect((await at.eventsOf(id)).at(-1)).toMatchObject({ kind: 'task-grant.ended' });
  });

  it('is declined by a message that arrives before the last approval', async () => {
    await at.fixture.publish('@approval("pair") permit (principal, action in Action::"write", resource);');
    const task = await aTask();
    const id = approvalOf(await create(task, { title: aTitle(), project: 'LAN' }));
    await approve(id, ann, terms());
    await addMessage(task.id);
    expect((await approve(id, ben, terms())).state).toBe('approved');
    expect(await grantOf(id)).toMatchObject({ state: 'declined' });
    await at.fixture.publish(policies.join('\n'));
  });

  it('ends when its task is canceled', async () => {
    const { task, approvalId } = await granted();
    await at.inTenant((tx) =>
      at.fixture
        .getInternal(TaskWithdrawalService)
        .withdraw(tx, { tenantId: at.fixture.organization.tenant.id, taskId: task.id }, 'the task was canceled'),
    );
    expect(await grantOf(approvalId)).toMatchObject({ state: 'ended', endReason: 'The task was canceled.' });
  });

  it('ends when one of its approvers can no longer decide', async () => {
    const { task, approvalId } = await granted();
    await at.suspend(ann);
    try {
      expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    } finally {
      await at.reactivate(ann);
    }
    expect(await grantOf(approvalId, ben)).toMatchObject({ state: 'ended' });
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
  });

  it('ends when the step no longer allows further calls', async () => {
    const { task } = await granted();
    await board({ taskGrantMaxUses: null });
    try {
      expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    } finally {
      await board();
    }
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
  });

  it('ends when the step allows fewer further calls', async () => {
    const { task, approvalId } = await granted({ maxUses: 5 });
    await board({ taskGrantMaxUses: 4 });
    try {
      expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    } finally {
      await board();
    }
    expect(await grantOf(approvalId)).toMatchObject({ state: 'ended', uses: 0 });
  });

  it('ends with a new message in a task that delegated its task', async () => {
    const [root, middle, task] = [await aTask(), await aTask(), await aTask()];
    for (const [parent, child] of [
      [root, middle],
      [middle, task],
    ])
      await at.inTenant((tx) =>
        runSql(
          tx,
          `insert into task_delegations (tenant_id, call_id, task_id, parent_task_id, root_id, heard) values ($1, $2, $3, $4, $5, 0)`,
          [at.fixture.organization.tenant.id, newId(), child.id, parent.id, root.id],
        ),
      );
    const { approvalId } = await granted({}, task);
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'succeeded' });
    await addMessage(root.id);
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    expect(await grantOf(approvalId)).toMatchObject({
      state: 'ended',
      endReason: 'The caller sent a new message in the task.',
    });
  });

  it('ends when its call runs again with approvals of its own', async () => {
    const { fixture } = at;
    const { task, callId, approvalId } = await granted();
    await at.asOwner(
      `update tool_calls set state = 'unsettled', attempts = 1, reason = 'Lost.', ended_at = now() where id = $1`,
      [callId],
    );
    await fixture.get(CallsService).resolveOutcome(await fixture.principalOf(fixture.reviewer), callId, 'run_again');
    const [rerun] = await at.stepsOf(callId);
    expect((await approve(rerun.id, ben)).state).toBe('approved');
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    expect(await grantOf(approvalId)).toMatchObject({
      state: 'ended',
      endReason: 'The approved call was decided on again.',
    });
  });
});

describe('Rule 8: the approved values', () => {
  it.each([
    ['in another Unicode form', 'Caf\u00e9', 'Cafe\u0301'],
    ['in other letters that look the same', 'Anna', '\u0410nna'],
    ['with an invisible character', 'Anna', 'An\u200bna'],
    ['in other cases', 'Anna', 'anna'],
    ['with a space', 'Anna', 'Anna '],
  ])('are not equal %s', async (_what, approved, other) => {
    const task = await aTask();
    const id = approvalOf(await create(task, { title: aTitle(), assignee: approved }));
    expect((await approve(id, ann, terms({ equalArguments: ['assignee'] }))).state).toBe('approved');
    expect(await create(task, { title: aTitle(), assignee: other })).toMatchObject({ state: 'awaiting_approval' });
    expect(await create(task, { title: aTitle(), assignee: approved })).toMatchObject({ state: 'succeeded' });
    expect(await grantOf(id)).toMatchObject({ uses: 1 });
  });

  it('include every element of a list, in its order', async () => {
    const task = await aTask();
    const id = approvalOf(await create(task, { title: aTitle(), labels: ['a', 'b'] }));
    expect((await approve(id, ann, terms({ equalArguments: ['labels'] }))).state).toBe('approved');
    for (const labels of [['b', 'a'], ['a'], ['a', 'b', 'c'], ['a,b'], []])
      expect(await create(task, { title: aTitle(), labels })).toMatchObject({ state: 'awaiting_approval' });
    expect(await create(task, { title: aTitle(), labels: ['a', 'b'] })).toMatchObject({ state: 'succeeded' });
  });
});

describe('Rule 8: the votes for a grant', () => {
  it('have to be those of the whole quorum, with the same terms', async () => {
    await at.fixture.publish('@approval("pair") permit (principal, action in Action::"write", resource);');
    const task = await aTask();
    const id = approvalOf(await create(task, { title: aTitle(), project: 'LAN' }));
    expect((await approve(id, ann, terms({ maxUses: 4 }))).code).toBe('task-grant-not-possible');
    expect((await approve(id, ann, terms())).state).toBe('pending');
    expect(await grantOf(id)).toMatchObject({ state: 'proposed' });
    const page = await (await at.fixture.organization.browser(ben)).fetch(`/approvals/${id}`);
    expect(await page.text()).toContain('Another approver proposed to allow further calls');
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    expect((await approve(id, ben, terms({ maxUses: 2 }))).code).toBe('task-grant-not-as-shown');
    expect(await at.load(id)).toMatchObject({ state: 'pending', approvedBy: [ann.id] });
    expect((await approve(id, ben, terms())).state).toBe('approved');
    expect(await grantOf(id)).toMatchObject({
      state: 'active',
      approvedBy: [{ name: 'Ann First' }, { name: 'Ben Second' }],
    });
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'succeeded' });
  });

  it('decline the grant if one of them is for the call only', async () => {
    const task = await aTask();
    const id = approvalOf(await create(task, { title: aTitle(), project: 'LAN' }));
    await approve(id, ann, terms());
    expect(await at.decide(id, ben)).toMatchObject({ state: 'approved' });
    expect(await grantOf(id)).toMatchObject({ state: 'declined', endReason: 'Ben Second approved this call only.' });
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
  });

  it('cannot propose a grant after a vote for the call only', async () => {
    const id = approvalOf(await create(await aTask(), { title: aTitle(), project: 'LAN' }));
    await approve(id, ann);
    expect((await approve(id, ben, terms())).code).toBe('task-grant-not-possible');
    expect((await approve(id, ben)).state).toBe('approved');
    expect(await grantOf(id)).toBeNull();
  });

  it('decline the grant with the call', async () => {
    const id = approvalOf(await create(await aTask(), { title: aTitle(), project: 'LAN' }));
    await approve(id, ann, terms());
    await at.decide(id, ben, 'deny');
    expect(await grantOf(id)).toMatchObject({ state: 'declined' });
    await at.fixture.publish(policies.join('\n'));
  });

  it('are not replaced by a break-glass override: the call runs, and its grant is declined', async () => {
    const { fixture } = at;
    await at.saveStep({ name: 'single', approverGroupId: groupId, position: 1, taskGrantMaxUses: 3 });
    await at.saveStep({ name: 'last', approverGroupId: groupId, position: 2, taskGrantMaxUses: 3 });
    const write = 'permit (principal, action in Action::"write", resource);';
    await fixture.publish(`@approval("single") ${write}\n@approval("last") ${write}`);
    try {
      const bea = await fixture.organization.member({ name: 'Bea Break' });
      await fixture.get(BreakGlassRightsService).grant(await fixture.principalOf(fixture.reviewer), bea.id);
      const task = await aTask();
      const { callId } = await create(task, { title: aTitle(), project: 'LAN' });
      const [first, last] = await at.stepsOf(callId);
      expect((await approve(first.id, ann, terms())).state).toBe('approved');
      expect(await grantOf(last.id)).toMatchObject({ state: 'proposed' });
      await fixture.get(ApprovalOverridesService).override(await fixture.principalOf(bea), last.id, 'The line burns.');
      expect(await call(callId)).toMatchObject({ state: 'approved', isOverridden: true });
      const declined = { state: 'declined', endReason: 'An approval of the call was overridden.' };
      expect(await grantOf(last.id)).toMatchObject(declined);
      expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    } finally {
      await fixture.publish(policies.join('\n'));
    }
  });

  it.each([
    ['an argument that the call does not have', { equalArguments: ['project', 'owner'] }],
    ['no argument that stays the same', { equalArguments: [] }],
    ['more calls than the step allows', { maxUses: 11 }],
  ])('are refused with %s', async (_what, more) => {
    const id = approvalOf(await create(await aTask(), { title: aTitle(), project: 'LAN' }));
    expect((await approve(id, ann, terms(more))).code).toBe('task-grant-not-possible');
    expect(await at.load(id)).toMatchObject({ state: 'pending', approvedBy: [] });
  });

  it('never allow further calls of a destructive tool', async () => {
    const args = { id: 'LAN-2291', resolution: 'Works again.' };
    const outcome = await at.fixture.call('close_ticket', args, { task: await aTask() });
    const refused = await approve(approvalOf(outcome), ann, terms({ equalArguments: ['id'] }));
    expect(refused.code).toBe('task-grant-not-possible');
  });

  it('never cover a tool that became destructive', async () => {
    const { task } = await granted();
    await at.asOwner(`update tools set effect = 'destructive' where upstream_name = 'create_ticket'`, []);
    try {
      expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    } finally {
      await at.asOwner(`update tools set effect = 'write' where upstream_name = 'create_ticket'`, []);
    }
  });

  it('are not possible outside a task or where the step does not allow it', async () => {
    const outside = approvalOf(await at.fixture.call('create_ticket', { title: aTitle(), project: 'LAN' }));
    expect((await approve(outside, ann, terms())).code).toBe('task-grant-not-possible');
    const id = approvalOf(await create(await aTask(), { title: aTitle(), project: 'LAN', priority: 'high' }));
    expect((await approve(id, ann, terms())).code).toBe('task-grant-not-possible');
  });
});

describe('Rule 8: uses at the same time', () => {
  it('never exceed the number that was approved', async () => {
    const { task, approvalId } = await granted({ maxUses: 3 });
    const titles = Array.from({ length: 8 }, aTitle);
    const outcomes = await Promise.all(titles.map((title) => create(task, { title, project: 'LAN' })));
    expect(outcomes.filter(({ state }) => state === 'succeeded')).toHaveLength(3);
    expect(outcomes.filter(({ state }) => state === 'awaiting_approval')).toHaveLength(5);
    const arrived = await Promise.all(titles.map((title) => at.ticketCount(title)));
    expect(arrived.reduce((sum, one) => sum + one, 0)).toBe(3);
    expect(await grantOf(approvalId)).toMatchObject({ uses: 3 });
  });

  it('count the same call once', async () => {
    const { task, approvalId } = await granted({ maxUses: 3 });
    const args = { title: aTitle(), project: 'LAN' };
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => create(task, args)));
    expect(new Set(outcomes.map(({ callId }) => callId)).size).toBe(1);
    expect(await at.ticketCount(args.title)).toBe(1);
    expect(await grantOf(approvalId)).toMatchObject({ uses: 1 });
  });

  it('stop once the grant is revoked', async () => {
    const { task, id, approvalId } = await granted({ maxUses: 10 });
    const calls = Array.from({ length: 6 }, () => create(task, { title: aTitle(), project: 'LAN' }));
    const [outcomes] = await Promise.all([Promise.all(calls), revoke(id, ben)]);
    const { uses } = await grantOf(approvalId);
    expect(outcomes.filter(({ state }) => state === 'succeeded')).toHaveLength(uses);
    expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    expect(await grantOf(approvalId)).toMatchObject({ state: 'revoked', uses });
  });

  it('do not begin if the grant is revoked while the last approval is given', async () => {
    await at.fixture.publish('@approval("pair") permit (principal, action in Action::"write", resource);');
    const owner = new pg.Client(at.server.databaseUrl);
    await owner.connect();
    try {
      const task = await aTask();
      const id = approvalOf(await create(task, { title: aTitle(), project: 'LAN' }));
      await approve(id, ann, terms());
      const { id: grantId } = await grantOf(id);
      await owner.query('begin');
      await owner.query(`update task_grants set state = 'revoked', ended_at = now(), end_reason = 'x' where id = $1`, [
        grantId,
      ]);
      const decided = approve(id, ben);
      const waiting = () =>
        owner.query('select 1 from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))');
      await expect.poll(async () => (await waiting()).rowCount).toBe(1);
      await owner.query('commit');
      await decided;
      expect(await grantOf(id)).toMatchObject({ state: 'revoked', uses: 0 });
      expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    } finally {
      await owner.end();
      await at.fixture.publish(policies.join('\n'));
    }
  });

  it('count a call that was lost in a crash, and never send it again', async () => {
    const { task, approvalId } = await granted({ maxUses: 2 });
    const title = aTitle();
    const outcome = await create(task, { title, project: 'LAN' });
    await at.asOwner(
      `update tool_calls set state = 'executing', ended_at = null, code = null, reason = null, executing_until = now() - interval '1 second' where id = $1`,
      [outcome.callId],
    );
    const again = await create(task, { title, project: 'LAN' });
    expect(again).toMatchObject({ callId: outcome.callId, state: 'unsettled' });
    expect(await at.ticketCount(title)).toBe(1);
    expect(await grantOf(approvalId)).toMatchObject({ uses: 1 });
  });
});

describe('a use and its call', () => {
  it('are stored together or not at all', async () => {
    const { task, approvalId, callId } = await granted();
    const call = at.fixture.get(GateService).call(at.fixture.agent, {
      id: callId, // exists already: the database rejects the row after the use was taken
      configurationId: at.fixture.configurationId,
      tool: 'workplace__create_ticket',
      arguments: JSON.stringify({ title: aTitle(), project: 'LAN' }),
      task: { ...task, ref: newId() },
    });
    await expect(call).rejects.toThrow();
    expect(await grantOf(approvalId)).toMatchObject({ uses: 0, state: 'active' });
  });
});

describe('a grant for a call with two steps', () => {
  it('needs the votes of both, and covers calls that need both', async () => {
    await at.saveStep({ name: 'second', approverGroupId: groupId, position: 3, taskGrantMaxUses: 2 });
    const write = 'permit (principal, action in Action::"write", resource);';
    await at.fixture.publish(`@approval("board") ${write}\n@approval("second") ${write}`);
    try {
      const task = await aTask();
      const outcome = await create(task, { title: aTitle(), project: 'LAN' });
      const [first, second] = await at.stepsOf(outcome.callId);
      expect((await approve(first.id, ann, terms())).code).toBe('task-grant-not-possible'); // 3 are more than 2
      expect((await approve(first.id, ann, terms({ maxUses: 2 }))).state).toBe('approved');
      expect(await grantOf(second.id)).toMatchObject({ state: 'proposed' });
      expect((await approve(second.id, ben, terms({ maxUses: 2 }))).state).toBe('approved');
      expect(await grantOf(second.id)).toMatchObject({ state: 'active' });
      expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'succeeded' });
      await at.fixture.publish(`@approval("board") ${write}`);
      expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
    } finally {
      await at.fixture.publish(policies.join('\n'));
    }
  });
});

describe('an edit of a call with a proposed grant', () => {
  it('declines the grant, and its approvers can propose a new one', async () => {
    await at.saveStep({ name: 'pair', approverGroupId: groupId, quorum: 2, taskGrantMaxUses: 3, allowsEdit: true });
    await at.fixture.publish('@approval("pair") permit (principal, action in Action::"write", resource);');
    try {
      const task = await aTask();
      const title = aTitle();
      const outcome = await create(task, { title, project: 'LAN' });
      const id = approvalOf(outcome);
      await approve(id, ann, terms());
      const ask = await at.fixture.organization.as(cleo);
      const shown = await ask('query ($id: ID!) { approval(id: $id) { call { argumentsHash definitionHash } } }', {
        id,
      });
      const edited = await ask('mutation ($input: EditCallInput!) { editCall(input: $input) { approvalId } }', {
        input: { approvalId: id, arguments: JSON.stringify({ title, project: 'MOS' }), ...shown.data.approval.call },
      });
      const { approvalId } = edited.data.editCall;
      expect(await grantOf(approvalId)).toMatchObject({ state: 'declined' });
      await approve(approvalId, ann, terms());
      expect((await approve(approvalId, ben, terms())).state).toBe('approved');
      expect(await create(task, { title: aTitle(), project: 'LAN' })).toMatchObject({ state: 'awaiting_approval' });
      expect(await create(task, { title: aTitle(), project: 'MOS' })).toMatchObject({ state: 'succeeded' });
    } finally {
      await at.fixture.publish(policies.join('\n'));
    }
  });
});

describe('a read of a grant', () => {
  it('does not run again if its tool has become destructive', async () => {
    await at.fixture.publish(
      '@approval("board") permit (principal, action in [Action::"read", Action::"write", Action::"destructive"], resource);',
    );
    const setEffect = (effect: string) =>
      at.asOwner(`update tools set effect = $1 where upstream_name = 'list_tickets'`, [effect]);
    try {
      const task = await aTask();
      const read = (words: string) => at.fixture.call('list_tickets', { project: 'LAN', words }, { task });
      await approve(approvalOf(await read('before the change')), ann, terms());
      const { callId } = await read('lost in the change');
      await at.asOwner(
        `update tool_calls set state = 'executing', ended_at = null, delivered_at = null, result_sealed = null,
           executing_until = now() - interval '1 second', retry_key = 'lost in the change' where id = $1`,
        [callId],
      );
      await at.fixture.getInternal(BackgroundCallRunner).sweepLapsed();
      await setEffect('destructive');
      await at.fixture.getInternal(BackgroundCallRunner).execute(at.fixture.organization.tenant.id, callId);
      expect(await call(callId)).toMatchObject({ state: 'denied', code: 'approval-denied', attempts: 1 });
    } finally {
      await setEffect('read');
      await at.fixture.publish(policies.join('\n'));
    }
  });

  it('runs again within the same use if its process died', async () => {
    await at.fixture.publish(
      '@approval("board") permit (principal, action in [Action::"read", Action::"write"], resource);',
    );
    try {
      const task = await aTask();
      const read = (words: string) => at.fixture.call('list_tickets', { project: 'LAN', words }, { task });
      const id = approvalOf(await read('first'));
      await approve(id, ann, terms());
      const { callId } = await read('second');
      const lost = (state: string) =>
        at.asOwner(
          `update tool_calls set state = 'executing', ended_at = null, delivered_at = null, result_sealed = null,
             executing_until = now() - interval '1 second', retry_key = $2 where id = $1`,
          [callId, Buffer.from(state)],
        );
      await lost('lost read');
      await at.fixture.getInternal(BackgroundCallRunner).sweepLapsed();
      expect(await call(callId)).toMatchObject({ state: 'approved' });
      await at.fixture.getInternal(BackgroundCallRunner).execute(at.fixture.organization.tenant.id, callId);
      expect(await call(callId)).toMatchObject({ state: 'succeeded', attempts: 2 });
      expect(await grantOf(id)).toMatchObject({ uses: 1 });
      await lost('lost again');
      await at.fixture.getInternal(BackgroundCallRunner).sweepLapsed();
      await revoke((await grantOf(id)).id, ann);
      await at.fixture.getInternal(BackgroundCallRunner).execute(at.fixture.organization.tenant.id, callId);
      expect(await call(callId)).toMatchObject({ state: 'denied', code: 'approval-denied' });
    } finally {
      await at.fixture.publish(policies.join('\n'));
    }
  });
});

describe('revoking a grant', () => {
  it('is possible for approvers and administrators, not for others', async () => {
    const { id } = await granted();
    const outsider = await at.fixture.organization.member({ name: 'Olga Outsider' });
    expect((await revoke(id, outsider)).code).toBe('task-grant-not-found');
    expect((await revoke(id, at.fixture.organization.admin)).data.revokeTaskGrant.state).toBe('revoked');
    expect((await revoke(id, outsider)).code).toBe('task-grant-not-found');
    const own = await granted();
    expect((await revoke(own.id, cleo)).data.revokeTaskGrant).toMatchObject({
      state: 'revoked',
      endReason: 'Cleo Third revoked the grant.',
    });
    const other = await granted();
    expect((await revoke(other.id, at.fixture.reviewer)).data.revokeTaskGrant.state).toBe('revoked');
    expect((await revoke(newId(), at.fixture.reviewer)).code).toBe('task-grant-not-found');
  });
});

it('removes a grant and its hashes together with the call', async () => {
  const { callId } = await granted();
  const count = () => at.inTenant((tx) => runSql(tx, 'select id from task_grants where call_id = $1', [callId]));
  expect(await count()).toHaveLength(1);
  await at.asOwner(`update tool_calls set state = 'succeeded', ended_at = now() - interval '900 days' where id = $1`, [
    callId,
  ]);
  await at.fixture.getInternal(BackgroundCallRunner).sweepOld();
  expect(await count()).toHaveLength(0);
});

describe('the task of a grant', () => {
  it('lists the grant for those who can see the task', async () => {
    const wire = wireOf(at.fixture, at.server.url);
    const task = newTaskId();
    await wire.send(task, {
      tool: 'workplace__create_ticket',
      arguments: { title: 'First of a task', project: 'LAN' },
    });
    const waiting = await wire.until(task, 'input-required');
    const { approvalId } = waiting.status.metadata as { approvalId: string };
    await approve(approvalId, ann, terms());
    await wire.until(task, 'completed');
    const { taskId } = await at.load(approvalId);
    const query = `query ($id: ID!) { task(id: $id) { taskGrants { state endReason tool uses } } }`;
    const { data } = await (await at.fixture.organization.as())(query, { id: taskId });
    expect(data.task.taskGrants).toEqual([
      { state: 'ended', endReason: 'The task has ended.', tool: 'workplace__create_ticket', uses: 0 },
    ]);
    const outsiders = await (await at.fixture.organization.as(cleo))(query, { id: taskId });
    expect(outsiders.data?.task).toBeUndefined();
  });
});
