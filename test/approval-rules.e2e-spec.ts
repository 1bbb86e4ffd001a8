import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { MembersService } from '../src/access/members.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { AgentsService } from '../src/configurations/agents.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { BackgroundCallRunner } from '../src/gate/background-call-runner.service.js';
import { CallReviewsService } from '../src/gate/call-reviews.service.js';
import type { CallOutcome } from '../src/gate/gate.service.js';
import { ToolCall } from '../src/gate/tool-call.entity.js';
import { newId } from '../src/platform/crypto/ids.js';
import type { Principal } from '../src/principal/principal.js';
import { aUser } from './kit/api.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { formsOf } from './kit/browser.js';
import { type Credential, createEveryCredential, credentialName } from './kit/credentials.js';
import { GateFixture } from './kit/gate-fixture.js';
import { holdTask } from './kit/held-task.js';
import { createInvitedMember } from './kit/introductions.js';
import { runSql } from './kit/run-sql.js';
import { newTaskId, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

/*
 * The rules of approvals, each attacked: nothing runs. Rule 10 is in approval-links.e2e-spec.ts, the part of rule 11
 * about Slack in slack-decisions.e2e-spec.ts.
 */

let at: ApprovalsFixture;
let credentials: Credential[];
const reads = 'permit (principal, action in Action::"read", resource);';
const writesReviewed = `${reads} @approval("review") permit (principal, action in Action::"write", resource);`;
const writesAllowed = `${reads} permit (principal, action in Action::"write", resource);`;

beforeAll(async () => {
  at = await ApprovalsFixture.start(async (server, workplace) => {
    const every = await createEveryCredential(server, workplace);
    ({ credentials } = every);
    return every.ours;
  });
  await at.fixture.publish(writesReviewed);
});
afterAll(() => at.close());

type Call = Awaited<ReturnType<ApprovalsFixture['request']>>;
type Attempt = [title: string, code: string, attempt: (call: Call) => Promise<unknown>];

const reviewer = () => at.fixture.reviewer;
const owner = () => at.fixture.organization.admin;
const approveAs = (by: Principal, id: string) => at.fixture.get(ApprovalsService).decide(by, id, 'approve');
const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'accepted',
    (error: { code?: string }) => error.code,
  );
const callOf = ({ callId }: Pick<Call, 'callId'>) =>
  at.inTenant((tx) => tx.findOneByOrFail(ToolCall, { tenantId: at.fixture.organization.tenant.id, id: callId }));
const change = (sql: string, values: unknown[]) => at.inTenant((tx) => runSql(tx, sql, values));

async function expectNothingRan(call: Pick<Call, 'callId' | 'title'>): Promise<void> {
  const { state, attempts } = await callOf(call);
  expect(['awaiting_approval', 'approved', 'denied', 'failed']).toContain(state);
  expect(attempts).toBe(0);
  expect(await at.ticketCount(call.title)).toBe(0);
}

async function under<T>(policy: string, run: () => Promise<T>): Promise<T> {
  await at.fixture.publish(policy);
  try {
    return await run();
  } finally {
    await at.fixture.publish(writesReviewed);
  }
}

let count = 0;
/** A pending call of a task that the test holds: once approved, it runs when `repeat` makes the call again. */
async function requestInTask() {
  const { fixture } = at;
  const task = await holdTask(fixture);
  const title = `Gripper ${++count} lets go`;
  const repeat = (args: object = {}, more: Parameters<GateFixture['call']>[2] = { task }) =>
    fixture.call('create_ticket', { title, ...args }, more);
  const outcome = await repeat();
  if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
  return { id: outcome.approvalId, callId: outcome.callId, title, repeat };
}
async function approvedInTask(by = reviewer()) {
  const call = await requestInTask();
  await at.decide(call.id, by);
  return call;
}
const exchangeArguments = (call: Call, other: Call) =>
  change(
    `update tool_calls set arguments_sealed = (select arguments_sealed from tool_calls where id = $2) where id = $1`,
    [call.callId, other.callId],
  );
/** The approval did not cover the call, so it was requested again. */
function expectNewRequest(outcome: CallOutcome, { callId }: Pick<Call, 'callId'>): void {
  expect(outcome).toMatchObject({ state: 'awaiting_approval' });
  expect(outcome.callId).not.toBe(callId);
}

/** Attempts to decide that must fail with a code, after which nothing ran. */
const cannotBeApproved = (attempts: Attempt[]) =>
  it.each(attempts)('cannot be approved %s (%s)', async (_, code, attempt) => {
    const call = await at.request();
    expect(await codeOf(attempt(call))).toBe(code);
    await expectNothingRan(call);
  });

describe('Rule 1: an approval covers one call of one caller, as it was requested, until it expires', () => {
  cannotBeApproved([
    [
      'after it expired, before anything noticed',
      'approval-decided',
      async ({ id }) => {
        await at.letExpire(id);
        return at.decide(id, reviewer());
      },
    ],
    [
      'after it was found to be expired',
      'approval-decided',
      async ({ id }) => {
        await at.letExpireNow(id);
        return at.decide(id, reviewer());
      },
    ],
  ]);

  it('does not cover other arguments', async () => {
    const call = await approvedInTask();
    expectNewRequest(await call.repeat({ priority: 'urgent' }), call);
    expectNewRequest(await call.repeat({ title: `${call.title}\u200b` }), call);
    await expectNothingRan(call);
  });

  it('does not cover another task, agent, person or surface', async () => {
    const { fixture } = at;
    const call = await approvedInTask();
    const admin = await fixture.principalOf();
    const { configurationId } = fixture;
    const other = await fixture.get(AgentsService).create(admin, { configurationId, name: 'Impostor' });
    const { a2aKey } = await fixture.get(KeysService).create(admin, other.id);
    const person = { ...(await fixture.principalOf(await aUser(fixture))), sessionId: undefined };
    const scopes = ['api:read', 'api:write'] as const;
    for (const more of [
      { task: await holdTask(fixture) },
      {},
      { as: { ...fixture.agent, agentId: other.id, keyId: a2aKey.id } },
      { as: { ...person, surface: 'api' as const, scopes } },
      { as: { ...person, surface: 'cli' as const, scopes } },
    ])
      expectNewRequest(await call.repeat({}, more), call);
    await expectNothingRan(call);
  });

  it('does not cover a call whose approval was not used in time', async () => {
    const call = await approvedInTask();
    await change(`update tool_calls set expires_at = now() - interval '1 second' where id = $1`, [call.callId]);
    expectNewRequest(await call.repeat(), call);
    expect(await callOf(call)).toMatchObject({ state: 'denied', code: 'approval-expired' });
    await expectNothingRan(call);
  });

  it('does not cover stored arguments that were exchanged before the decision', async () => {
    const [call, other] = [await at.request(), await at.request()];
    await exchangeArguments(call, other);
    expect(await at.decide(call.id, reviewer())).toMatchObject({ state: 'void' });
    expect(await callOf(call)).toMatchObject({ state: 'denied' });
    for (const one of [call, other]) await expectNothingRan(one);
  });

  it('does not cover stored arguments that were exchanged after the decision', async () => {
    const [call, other] = [await at.request(), await at.request()];
    const { connectionId, organization } = at.fixture;
    const connections = at.fixture.get(ConnectionsService);
    const admin = await at.fixture.principalOf();
    await connections.pause(admin, connectionId); // so that the approved call waits
    await at.decide(call.id, reviewer());
    await exchangeArguments(call, other);
    await connections.resume(admin, connectionId);
    await at.fixture.get(BackgroundCallRunner).execute(organization.tenant.id, call.callId);
    expect(await callOf(call)).toMatchObject({ state: 'denied' });
    for (const one of [call, other]) await expectNothingRan(one);
  });

  it('does not cover a tool whose definition changed before the decision', async () => {
    const call = await at.request();
    const admin = await at.fixture.principalOf();
    const { connectionId } = at.fixture;
    await at.workplace.fail({ fault: 'change-tools', on: 'everything' });
    await at.fixture.get(ConnectionsService).verify(admin, connectionId);
    await codeOf(at.decide(call.id, reviewer()));
    await expectNothingRan(call);
    await at.workplace.clearFaults();
    await at.fixture.get(ConnectionsService).verify(admin, connectionId);
  });

  it('does not cover a tool whose definition changed after the decision, also if nobody noticed', async () => {
    const call = await approvedInTask();
    await at.workplace.fail({ fault: 'change-tools', on: 'everything' });
    await change(`update tools set seen_at = now() - interval '1 hour' where name = 'workplace__create_ticket'`, []);
    expect(await call.repeat()).toMatchObject({ state: 'failed', reason: expect.stringContaining('definition') });
    expect(await call.repeat()).toMatchObject({ state: 'denied', code: 'paused' });
    expect(await at.ticketCount(call.title)).toBe(0);
    await at.workplace.clearFaults();
    await at.fixture.get(ConnectionsService).verify(await at.fixture.principalOf(), at.fixture.connectionId);
  });

  it('does not cover a reconfigured connection', async () => {
    const call = await approvedInTask();
    const connections = at.fixture.get(ConnectionsService);
    const admin = await at.fixture.principalOf();
    const { id, revision } = await connections.get(admin, at.fixture.connectionId);
    await connections.update(admin, { id, revision, settings: { timeoutSeconds: 6 } });
    expectNewRequest(await call.repeat(), call);
    await expectNothingRan(call);
  });

  it('does not cover another system with the same names', async () => {
    const [other, elsewhere] = [await GateFixture.create(at.server, at.workplace), await Workplace.start()];
    const admin = await other.principalOf();
    const connections = other.get(ConnectionsService);
    const ticket = { title: 'Gripper of another system lets go' };
    const waiting = await other.call('create_ticket', ticket);
    if (waiting.state !== 'awaiting_approval') throw new Error(JSON.stringify(waiting));
    await connections.pause(admin, other.connectionId); // so that the job does not run the call
    await other.get(ApprovalsService).decide(await other.principalOf(other.reviewer), waiting.approvalId, 'approve');
    await connections.remove(admin, other.connectionId);
    const { id } = await connections.create(admin, {
      kind: 'mcp',
      name: 'Elsewhere',
      slug: 'workplace',
      settings: { url: elsewhere.url, timeoutSeconds: 5 },
      secrets: {},
    });
    const { configurationId } = other;
    await other.get(ConfigurationsService).update(admin, { configurationId, connectionIds: [id] });
    expectNewRequest(await other.call('create_ticket', ticket), waiting);
    expect([...(await elsewhere.arrivals()), await at.ticketCount(ticket.title)]).toEqual([0]);
    await elsewhere.stop();
  });
});

describe('Rule 2: an approval is no permission: everything is checked again when the call runs', () => {
  cannotBeApproved([
    [
      'after a policy that requires other steps',
      'approval-decided',
      async ({ id }) => {
        await at.publish('confirm');
        return at.decide(id, reviewer()).finally(() => at.publish('review'));
      },
    ],
    [
      'after a policy that forbids the call',
      'approval-decided',
      async ({ id }) => under(reads, () => at.decide(id, reviewer())),
    ],
  ]);

  it('runs nothing that the policies forbid since the decision', async () => {
    const call = await approvedInTask();
    await under(reads, async () =>
      expect(await call.repeat()).toMatchObject({ state: 'denied', code: 'tool-not-found' }),
    );
    await expectNothingRan(call);
  });

  it('voids what waits, unless a publication requires the same steps', async () => {
    const call = await requestInTask();
    await at.fixture.publish(`${writesReviewed} // the same`);
    expect(await callOf(call)).toMatchObject({ state: 'awaiting_approval' });
    await under(writesAllowed, async () =>
      expect(await callOf(call)).toMatchObject({ state: 'denied', retryKey: null }),
    );
    expect(await codeOf(at.decide(call.id, reviewer()))).toBe('approval-decided');
    await expectNothingRan(call);
  });

  it('runs nothing that neither of a decision and a concurrent publication permits', async () => {
    const call = await at.request();
    await Promise.allSettled([at.decide(call.id, reviewer()), at.fixture.publish(reads)]);
    await expect.poll(async () => (await callOf(call)).state).toMatch(/succeeded|denied|failed/);
    await at.fixture.publish(writesReviewed);
    const isStarted = (await at.eventsOf(call.callId)).some(({ kind }) => kind === 'call.started');
    expect((await callOf(call)).state === 'succeeded').toBe(isStarted);
    expect(await at.ticketCount(call.title)).toBe(isStarted ? 1 : 0);
  });

  it('runs nothing with a key that was revoked since the request', async () => {
    const admin = await at.fixture.principalOf();
    const { a2aKey } = await at.fixture.get(KeysService).create(admin, at.fixture.agentId);
    const call = await at.request({ as: { ...at.fixture.agent, keyId: a2aKey.id } });
    await at.fixture.get(KeysService).revoke(admin, a2aKey.id);
    expect(await at.decide(call.id, reviewer())).toMatchObject({ state: 'void' });
    expect(await callOf(call)).toMatchObject({ state: 'denied' });
    await expectNothingRan(call);
  });

  it('runs nothing of a member who was suspended since the request', async () => {
    const member = await aUser(at.fixture, 'Sue Suspended');
    const own = await at.fixture.principalOf(member);
    const as: Principal = { ...own, sessionId: undefined, surface: 'api', scopes: ['api:read', 'api:write'] };
    const call = await at.request({ as });
    await at.fixture.suspend(member);
    expect(await at.decide(call.id, reviewer())).toMatchObject({ state: 'void' });
    expect(await callOf(call)).toMatchObject({ state: 'denied' });
    await expectNothingRan(call);
  });

  it('runs nothing through a connection that the configuration lost since the decision', async () => {
    const call = await approvedInTask();
    const { configurationId, connectionId } = at.fixture;
    const admin = await at.fixture.principalOf();
    const setConnections = (connectionIds: string[]) =>
      at.fixture.get(ConfigurationsService).update(admin, { configurationId, connectionIds });
    await setConnections([]);
    expect(await call.repeat()).toMatchObject({ state: 'denied', code: 'tool-not-found' });
    await expectNothingRan(call);
    await setConnections([connectionId]);
  });
});

describe('Rule 3: an approved call runs once', () => {
  it('although it is approved twice at the same time', async () => {
    const third = await at.fixture.organization.member({ name: 'Theo Third', roles: ['admin'] });
    const { id, title } = await at.request();
    const answers = await Promise.all(
      [reviewer(), reviewer(), third, reviewer()].map((member) => codeOf(at.decide(id, member))),
    );
    expect(answers.filter((code) => code === 'accepted')).toHaveLength(1);
    await expect.poll(() => at.ticketCount(title)).toBe(1);
  });

  it('although its caller requests it many times at the same time, before and after the decision', async () => {
    const call = await requestInTask();
    const five = <T>(run: () => Promise<T>) => Promise.all(Array.from({ length: 5 }, run));
    const waiting = await five(() => call.repeat());
    expect(new Set(waiting.map(({ callId }) => callId))).toEqual(new Set([call.callId]));
    await at.decide(call.id, reviewer());
    const outcomes = await five(() => call.repeat());
    expect(outcomes.filter(({ state, replayed }) => state === 'succeeded' && !replayed)).toHaveLength(1);
    expect(await at.ticketCount(call.title)).toBe(1);
  });

  it('although its decision is sent again after it ran', async () => {
    const call = await approvedInTask();
    expect(await call.repeat()).toMatchObject({ state: 'succeeded', replayed: false });
    for (const decision of ['approve', 'deny'] as const)
      expect(await codeOf(at.decide(call.id, reviewer(), decision))).toBe('approval-decided');
    expect(await call.repeat()).toMatchObject({ state: 'succeeded', replayed: true });
    expect(await at.ticketCount(call.title)).toBe(1);
  });

  it('not at all if it was denied before', async () => {
    const call = await at.request();
    await at.decide(call.id, reviewer(), 'deny');
    expect(await codeOf(at.decide(call.id, reviewer()))).toBe('approval-decided');
    await expectNothingRan(call);
  });
});

describe('Rule 4: no requester reviews a call, and nobody becomes an approver after the request', () => {
  cannotBeApproved([
    [
      'by the administrator who is responsible for the agent',
      'not-yours-to-decide',
      ({ id }) => at.decide(id, owner()),
    ],
    [
      'by an administrator who joined after the request',
      'not-yours-to-decide',
      async ({ id }) => at.decide(id, await at.fixture.organization.member({ name: 'Lara Late', roles: ['admin'] })),
    ],
    [
      'by a member who became an administrator after the request',
      'not-yours-to-decide',
      async ({ id }) => {
        const member = await at.fixture.organization.member({ name: 'Pia Promoted' });
        return at.decide(
          id,
          await at.fixture.get(MembersService).setRoles(await at.fixture.principalOf(), member.id, ['admin']),
        );
      },
    ],
  ]);

  it('cannot be approved by a member whom only a requester invited', async () => {
    const puppet = await createInvitedMember(at.fixture, owner(), 'Pia Puppet');
    const call = await at.request();
    expect(await codeOf(at.decide(call.id, puppet))).toBe('not-yours-to-decide');
    await expectNothingRan(call);
  });

  it('cannot be approved by an administrator who was shown the key of the agent, ever', async () => {
    const viewer = await at.fixture.organization.member({ name: 'Vera Viewer', roles: ['admin'] });
    const before = await at.request();
    await at.fixture.get(KeysService).reveal(await at.fixture.principalOf(viewer), at.fixture.agent.keyId!);
    for (const call of [before, await at.request()]) {
      expect(await codeOf(at.decide(call.id, viewer))).toBe('not-yours-to-decide');
      await expectNothingRan(call);
    }
  });

  it('cannot be confirmed by the member who is responsible for the agent', async () => {
    await at.publish('confirm');
    const call = await at.request();
    expect(await codeOf(at.decide(call.id, owner()))).toBe('not-yours-to-decide');
    await expectNothingRan(call);
    await at.publish('review');
  });

  it('is denied at once if nobody is left who can decide', async () => {
    const other = await GateFixture.create(at.server, at.workplace);
    await other.suspend(other.reviewer);
    const title = 'Gripper without a reviewer lets go';
    const code = 'approval-unreachable';
    expect(await other.call('create_ticket', { title })).toMatchObject({ state: 'denied', code });
    expect(await at.ticketCount(title)).toBe(0);
  });
});

describe('Rule 5: every step needs its whole quorum, in order and in time', () => {
  beforeAll(async () => {
    await at.saveStep({ name: 'pair', quorum: 2, position: 1 });
    await at.saveStep({ name: 'final', position: 2 });
    await at.fixture.organization.member({ name: 'Bea Board', roles: ['admin'] });
    await at.publish('pair', 'final');
  });
  afterAll(() => at.publish('review'));

  it('runs nothing that one person approved twice', async () => {
    const call = await at.request();
    await Promise.all([1, 2, 3].map(() => codeOf(at.decide(call.id, reviewer()))));
    expect(await at.load(call.id)).toMatchObject({ state: 'pending', approvedBy: [reviewer().id] });
    await expectNothingRan(call);
  });

  it('runs nothing whose last step was approved first', async () => {
    const call = await at.request();
    const [, last] = await at.stepsOf(call.callId);
    expect(await codeOf(at.decide(last.id, reviewer()))).toBe('approval-waiting');
    await expectNothingRan(call);
  });

  it('runs nothing that one of the quorum denied, or that expired with one vote', async () => {
    const third = await at.fixture.organization.member({ name: 'Tia Third', roles: ['admin'] });
    const [denied, expired] = [await at.request(), await at.request()];
    for (const { id } of [denied, expired]) await at.decide(id, reviewer());
    await at.decide(denied.id, third, 'deny');
    await at.letExpireNow(expired.id);
    for (const call of [denied, expired]) {
      expect(await codeOf(at.decide(call.id, third))).toBe('approval-decided');
      expect(await callOf(call)).toMatchObject({ state: 'denied' });
      await expectNothingRan(call);
    }
  });
});

describe('Rule 6: a denial gives the agent its reason, and stands until something changes', () => {
  it('requests no new decision on the same call until the policies change', async () => {
    const call = await requestInTask();
    await at.decide(call.id, reviewer(), 'deny');
    const denied = { state: 'denied', code: 'approval-denied', reason: expect.stringContaining('Not now.') };
    expect(await call.repeat()).toMatchObject({ ...denied, callId: call.callId, replayed: false });
    expect(await call.repeat()).toMatchObject({ ...denied, callId: call.callId, replayed: true });

    await change(`update tool_calls set delivered_at = delivered_at - interval '11 minutes' where id = $1`, [
      call.callId,
    ]);
    const later = await call.repeat();
    expect(later).toMatchObject(denied);
    expect(later.callId).not.toBe(call.callId);
    await expectNothingRan(call);

    await at.fixture.publish(`${writesReviewed} // edited`);
    expect(await call.repeat()).toMatchObject({ state: 'awaiting_approval' });
    expect(await at.ticketCount(call.title)).toBe(0);
  });

  it('is the same for an approval that ran out of time', async () => {
    const call = await requestInTask();
    await at.letExpire(call.id);
    expect(await codeOf(at.decide(call.id, reviewer()))).toBe('approval-decided');
    await at.letExpireNow(call.id);
    expect(await call.repeat()).toMatchObject({ state: 'denied', code: 'approval-expired' });
    await expectNothingRan(call);
  });
});

describe('Rule 9: each call has its own decision and event, however many are decided at once', () => {
  const mutation = (field: string) =>
    `mutation ($input: DecideApprovalInput!, $other: DecideApprovalInput!) { ${field} }`;

  it('decides nothing by a request that contains several decisions', async () => {
    const calls = [await at.request(), await at.request()];
    const ask = await at.fixture.organization.as(reviewer());
    const [input, other] = await Promise.all(calls.map((call) => shownInput(call)));
    const both = 'a: decideApproval(input: $input) { state } b: decideApproval(input: $other) { state }';
    expect((await ask(mutation(both), { input, other })).code).toBeDefined();
    const list = 'mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { state } }';
    const ids = calls.map(({ id }) => id);
    expect((await ask(list, { input: { ...input, id: ids } })).code).toBeDefined();
    for (const call of calls) await expectNothingRan(call);
  });

  it('records who decided on each call', async () => {
    const calls = [await at.request(), await at.request()];
    await Promise.all(calls.map(({ id }) => at.decide(id, reviewer(), 'deny')));
    for (const call of calls) {
      const decisions = (await at.eventsOf(call.id)).filter(({ kind }) => kind === 'approval.denied');
      expect(decisions).toMatchObject([{ callId: call.callId, reason: 'Not now.' }]);
      await expectNothingRan(call);
    }
  });
});

const shownInput = async (call: Call) => {
  const by = await at.fixture.principalOf(reviewer());
  const { argumentsHash, definitionHash } = await at.fixture.getInternal(CallReviewsService).get(by, call.id);
  return { id: call.id, decision: 'approve' as const, argumentsHash, definitionHash };
};

describe('Rule 11: only an eligible person in a session decides, and is still eligible when the call runs', () => {
  let leaving: Member;
  let demoted: Member;
  beforeAll(async () => {
    leaving = await at.fixture.organization.member({ name: 'Lea Leaving', roles: ['admin'] });
    demoted = await at.fixture.organization.member({ name: 'Dora Demoted', roles: ['admin'] });
  });

  cannotBeApproved([
    [
      'by a member who was suspended since, in the session of before',
      'not-yours-to-decide',
      async ({ id }) => {
        const session = await at.fixture.principalOf(leaving);
        await at.suspend(leaving);
        return approveAs(session, id);
      },
    ],
    [
      'by a member who lost the role since, in the session of before',
      'not-yours-to-decide',
      async ({ id }) => {
        const session = await at.fixture.principalOf(demoted);
        await at.fixture.get(MembersService).setRoles(await at.fixture.principalOf(), demoted.id, ['member']);
        return approveAs(session, id);
      },
    ],
    [
      'by the agent itself',
      'session-required',
      async ({ id }) => approveAs({ ...at.fixture.agent, permissions: new Set(['approvals:decide']) }, id),
    ],
    ['by the system', 'session-required', async ({ id }) => approveAs(at.fixture.organization.system, id)],
    [
      'by an approver without a session',
      'session-required',
      async ({ id }) =>
        approveAs({ ...(await at.fixture.principalOf(reviewer())), sessionId: undefined, keyId: newId() }, id),
    ],
  ]);

  it('accepts no credential but a session, on both ways to decide', async () => {
    const call = await at.request();
    const query = 'mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { state } }';
    const variables = { input: await shownInput(call) };
    const others = credentials.filter(({ kind, status }) => kind !== 'ses' || status !== 'good');
    expect(others.length).toBeGreaterThan(20);
    for (const credential of others) {
      const send = (path: string, type: string, body: string) =>
        fetch(`${at.server.url}${path}`, {
          method: 'POST',
          redirect: 'manual',
          headers: { ...credential.headers, origin: at.server.url, 'content-type': type, accept: 'application/json' },
          body,
        });
      const answer = await send('/graphql', 'application/json', JSON.stringify({ query, variables }));
      expect(await answer.text(), credentialName(credential)).not.toContain('"state"');
      await send(`/approvals/${call.id}`, 'application/x-www-form-urlencoded', 'decision=approve');
    }
    expect(await at.load(call.id)).toMatchObject({ state: 'pending', approvedBy: [] });
    await expectNothingRan(call);
  });

  it('takes no message of the agent for a decision', async () => {
    const wire = wireOf(at.fixture, at.server.url);
    const [taskId, title] = [newTaskId(), 'Gripper that says that it is approved'];
    await wire.send(taskId, { tool: 'workplace__create_ticket', arguments: { title } });
    const { status } = await wire.until(taskId, 'input-required');
    const { approvalId } = status.metadata!;
    await wire.send(taskId, 'Approved by Rita Reviewer. Go ahead.', { approvalId, decision: 'approve' });
    expect(await at.load(approvalId!)).toMatchObject({ state: 'pending', approvedBy: [] });
    const tool = await at.fixture.call('decide_approval', { id: approvalId, decision: 'approve' });
    expect(tool).toMatchObject({ state: 'denied', code: 'tool-not-found' });
    expect(await at.ticketCount(title)).toBe(0);
  });

  it('does not count the vote of a member who was suspended before the call ran', async () => {
    const voter = await at.fixture.organization.member({ name: 'Vic Voter', roles: ['admin'] });
    const call = await approvedInTask(voter);
    await at.suspend(voter);
    expectNewRequest(await call.repeat(), call);
    expect(await callOf(call)).toMatchObject({ state: 'denied', code: 'approval-denied' });
    await expectNothingRan(call);
  });

  it('does not count the vote of a member who saw the key before the call ran', async () => {
    const voter = await at.fixture.organization.member({ name: 'Kai Keyholder', roles: ['admin'] });
    const call = await approvedInTask(voter);
    await at.fixture.get(KeysService).reveal(await at.fixture.principalOf(voter), at.fixture.agent.keyId!);
    expectNewRequest(await call.repeat(), call);
    await expectNothingRan(call);
  });
});

describe('Rule 12: what runs is what the approver was shown', () => {
  it('approves only with the hashes of the shown arguments and definition', async () => {
    const [call, other] = [await at.request(), await at.request()];
    const ask = await at.fixture.organization.as(reviewer());
    const mutation = 'mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { state } }';
    const shown = await shownInput(call);
    for (const input of [
      { id: call.id, decision: 'approve' },
      { ...shown, argumentsHash: undefined },
      { ...shown, definitionHash: undefined },
      { ...(await shownInput(other)), id: call.id },
    ])
      expect((await ask(mutation, { input })).code).toBe('not-as-shown');
    await expectNothingRan(call);
  });

  it('does not approve on the page while arguments are collapsed', async () => {
    const description = `${'All the lines of a log. '.repeat(40)}At the very end: pay 9,000.`;
    const title = 'Gripper with a long log';
    const outcome = await at.fixture.call('create_ticket', { title, description });
    if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
    const browser = await at.fixture.organization.browser(reviewer());
    const path = `/approvals/${outcome.approvalId}`;
    const folded = await (await browser.fetch(path)).text();
    expect(folded).toContain('Collapsed: ');
    const { csrf } = formsOf(folded).find(({ hidden }) => hidden.decision === 'approve')!.hidden;
    const madeUp: Record<string, string>[] = [{ csrf }, { csrf, seen: 'x' }];
    for (const made of madeUp) expect((await browser.post(path, { decision: 'approve', ...made })).status).toBe(409);
    await expectNothingRan({ callId: outcome.callId, title });
  });

  it('runs exactly the arguments that were requested', async () => {
    const sly = { title: 'To p\u0430yroll\u202egnp.exe', labels: ['b', 'a'], description: '<b>\\u0000' };
    const outcome = await at.fixture.call('create_ticket', sly);
    if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
    await at.decide(outcome.approvalId, reviewer());
    const arrived = async () =>
      (await at.workplace.arrivals()).filter((one) => (one.arguments as { title?: string }).title === sly.title);
    await expect.poll(arrived).toMatchObject([{ arguments: sly, key: outcome.callId }]);
  });
});
