import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProposedChangesService } from '../src/access/administration/proposed-changes.service.js';
import { TwoPersonAdministrationService } from '../src/access/administration/two-person-administration.service.js';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalOverridesService } from '../src/approvals/approval-overrides.service.js';
import { Approval } from '../src/approvals/approval.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { BreakGlassRightsService } from '../src/approvals/break-glass-rights.service.js';
import { CallReviewsService } from '../src/gate/call-reviews.service.js';
import { CallsService } from '../src/gate/calls.service.js';
import { NotificationSourceRegistry } from '../src/notifications/notification-source-registry.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import { createInvitedMember } from './kit/introductions.js';
import { runSql } from './kit/run-sql.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const patient = { timeout: 120_000 };
const reviewed = `
  permit (principal, action in Action::"read", resource);
  @approval("review") permit (principal, action in Action::"write", resource);`;
const twoSteps = `
  permit (principal, action in Action::"read", resource);
  @approval("review") permit (principal, action in Action::"write", resource);
  @approval("confirm") permit (principal, action in Action::"write", resource);`;
const refused = { code: 'override-refused' };

let count = 0;

interface Emergency {
  at: GateFixture;
  /** A member who is neither an administrator nor an approver, with break-glass rights from Rita. */
  bea: Member;
}

/** Ada is responsible for the agent; Rita reviews; Bea may override. */
async function emergency(policy = reviewed): Promise<Emergency> {
  const at = await GateFixture.create(server, workplace);
  await at.publish(policy);
  const bea = await at.organization.member({ name: 'Bea Break' });
  await grant(at, bea);
  return { at, bea };
}

const grant = async (at: GateFixture, member: Member, by: Member = at.reviewer) =>
  at.get(BreakGlassRightsService).grant(await at.principalOf(by), member.id);

interface Asked {
  title: string;
  callId: string;
  approvalId: string;
}

async function ask(at: GateFixture): Promise<Asked> {
  const title = `Conveyor ${++count} burns`;
  const outcome = await at.call('create_ticket', { title });
  if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
  return { title, callId: outcome.callId, approvalId: outcome.approvalId };
}

const reason = 'The line burns and nobody of the approvers answers.';
const override = async (at: GateFixture, { approvalId }: Asked, by: Member) =>
  at.get(ApprovalOverridesService).override(await at.principalOf(by), approvalId, reason);
const callOf = async (at: GateFixture, { callId }: Asked) => at.get(CallsService).get(await at.principalOf(), callId);
const approvalOf = (at: GateFixture, { approvalId }: Asked) =>
  at
    .get(DatabaseService)
    .tenant(at.organization.system, (tx) =>
      tx.findOneByOrFail(Approval, { tenantId: at.organization.tenant.id, id: approvalId }),
    );
const arrivalsOf = async ({ title }: Asked) =>
  (await workplace.arrivals()).filter(({ arguments: args }) => (args as { title?: string }).title === title);
const sql = <Row>(at: GateFixture, text: string, values: unknown[]) =>
  at.get(DatabaseService).tenant(at.organization.system, (tx) => runSql<Row>(tx, text, values));

/** The approval stays as it was, and the tool was not called. */
async function expectNothingRan(at: GateFixture, asked: Asked, state: unknown = 'pending'): Promise<void> {
  expect(await approvalOf(at, asked)).toMatchObject({ state, overriddenBy: null });
  expect(await callOf(at, asked)).toMatchObject({ attempts: 0, isOverridden: false });
  expect(await arrivalsOf(asked)).toEqual([]);
  expect(await sql(at, 'select from approval_overrides where approval_id = $1', [asked.approvalId])).toEqual([]);
}

const mutation = `mutation ($input: OverrideApprovalInput!) {
  overrideApproval(input: $input) { state overriddenBy override { reason reviewedAt by { id } } }
}`;
async function shownHashes(at: GateFixture, { approvalId }: Asked) {
  const { argumentsHash, definitionHash } = await at
    .get(CallReviewsService)
    .get(await at.principalOf(at.reviewer), approvalId);
  return { argumentsHash, definitionHash };
}

describe('a member with break-glass rights', () => {
  it('overrides a pending approval, and the call runs once, marked as overridden', async () => {
    const { at, bea } = await emergency();
    const asked = await ask(at);
    const send = await at.organization.as(bea);
    const before = await send('query ($id: ID!) { approval(id: $id) { viewerCanDecide viewerCanOverride } }', {
      id: asked.approvalId,
    });
    expect(before.data.approval).toEqual({ viewerCanDecide: false, viewerCanOverride: true });
    const { data } = await send(mutation, {
      input: { id: asked.approvalId, reason, ...(await shownHashes(at, asked)) },
    });
    expect(data.overrideApproval).toEqual({
      state: 'approved',
      overriddenBy: bea.id,
      override: { reason, reviewedAt: null, by: { id: bea.id } },
    });
    await expect.poll(async () => (await callOf(at, asked)).state, patient).toBe('succeeded');
    expect(await callOf(at, asked)).toMatchObject({ isOverridden: true });
    expect(await arrivalsOf(asked)).toHaveLength(1);
    // the caller that repeats the call receives its result
    expect(await at.call('create_ticket', { title: asked.title })).toMatchObject({
      state: 'succeeded',
      isOverridden: true,
    });
    expect(await arrivalsOf(asked)).toHaveLength(1);
    const events = await sql<{ kind: string; detail: { overrideReason?: string } }>(
      at,
      `select kind, detail from audit_events where kind like 'approval.over%' and subject->>'id' = $1`,
      [asked.approvalId],
    );
    expect(events).toMatchObject([{ kind: 'approval.overridden', detail: { overrideReason: reason } }]);
  });

  it('overrides one step of a call: the others keep their own decisions', async () => {
    const { at } = await emergency(twoSteps);
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    await grant(at, admin);
    const asked = await ask(at);
    await override(at, asked, admin);
    expect(await callOf(at, asked)).toMatchObject({ state: 'awaiting_approval' });
    expect(await arrivalsOf(asked)).toEqual([]);
  });

  it('notifies every other administrator and every approver, without the reason', async () => {
    const { at } = await emergency();
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    await grant(at, admin);
    const asked = await ask(at);
    await override(at, asked, admin);
    const content = await at
      .get(DatabaseService)
      .tenant(at.organization.system, (tx) =>
        at
          .get(NotificationSourceRegistry)
          .describe(tx, at.organization.tenant.id, 'approval.overridden', { approvalId: asked.approvalId }),
      );
    expect(content).toMatchObject({ kind: 'break_glass', path: `/approvals/${asked.approvalId}` });
    expect(content!.recipients.toSorted()).toEqual([at.organization.admin.id, at.reviewer.id].toSorted());
    expect(JSON.stringify(content)).not.toContain(reason);
  });
});

describe('an override is refused, and nothing runs,', () => {
  it('without the right, and after it was revoked', async () => {
    const { at } = await emergency();
    const asked = await ask(at);
    await expect(override(at, asked, at.reviewer)).rejects.toMatchObject(refused);
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    await grant(at, admin);
    const later = await ask(at);
    await at.get(BreakGlassRightsService).revoke(await at.principalOf(at.reviewer), admin.id);
    await expect(override(at, later, admin)).rejects.toMatchObject(refused);
    await expectNothingRan(at, asked);
    await expectNothingRan(at, later);
  });

  it('if the right was granted after the call was requested', async () => {
    const { at } = await emergency();
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    const asked = await ask(at);
    await grant(at, admin);
    await expect(override(at, asked, admin)).rejects.toMatchObject(refused);
    await expectNothingRan(at, asked);
  });

  it('by a requester, administrators included, and by accounts that a requester could use', async () => {
    const { at } = await emergency();
    const puppet = await createInvitedMember(at, at.organization.admin, 'Pia Puppet');
    await grant(at, at.organization.admin);
    await grant(at, puppet);
    const asked = await ask(at);
    await expect(override(at, asked, at.organization.admin)).rejects.toMatchObject(refused);
    await expect(override(at, asked, puppet)).rejects.toMatchObject(refused);
    await expectNothingRan(at, asked);
  });

  it('by a member who became a requester after the request', async () => {
    const { at } = await emergency();
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    await grant(at, admin);
    const asked = await ask(at);
    await at.get(MemberStatusService).suspend(await at.principalOf(admin), third.id);
    await expect(override(at, asked, admin)).rejects.toMatchObject(refused);
    await expectNothingRan(at, asked);
  });

  it('of a denied, an expired and a withdrawn call', async () => {
    const { at } = await emergency();
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    await grant(at, admin);
    const decided = { code: 'approval-decided' };
    const denied = await ask(at);
    await at.get(ApprovalsService).decide(await at.principalOf(at.reviewer), denied.approvalId, 'deny', 'No.');
    await expect(override(at, denied, admin)).rejects.toMatchObject(decided);
    await expectNothingRan(at, denied, 'denied');
    const overdue = await ask(at);
    await sql(at, `update approvals set expires_at = now() - interval '1 second' where id = $1`, [overdue.approvalId]);
    await expect(override(at, overdue, admin)).rejects.toMatchObject(decided);
    // the scheduler may have closed it already
    await expectNothingRan(at, overdue, expect.stringMatching(/^(pending|expired)$/));
    const voided = await ask(at);
    await at.publish('forbid (principal, action, resource);');
    await expect(override(at, voided, admin)).rejects.toMatchObject(decided);
    await expectNothingRan(at, voided, 'void');
  });

  it('of a call that policies deny or whose arguments are invalid: there is nothing to override', async () => {
    const { at } = await emergency('permit (principal, action in Action::"read", resource);');
    const denied = await at.call('create_ticket', { title: 'Denied' });
    expect(denied).toMatchObject({ state: 'denied' });
    await at.publish(reviewed);
    const invalid = await at.call('create_ticket', { title: 7 });
    expect(invalid).toMatchObject({ state: 'denied', code: 'invalid-arguments' });
    for (const { callId } of [denied, invalid])
      expect(await sql(at, 'select from approvals where call_id = $1', [callId])).toEqual([]);
  });

  it('of a step whose turn has not come', async () => {
    const { at } = await emergency(twoSteps);
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    await grant(at, admin);
    const asked = await ask(at);
    const [{ id }] = await sql<{ id: string }>(
      at,
      `select id from approvals where call_id = $1 and state = 'waiting'`,
      [asked.callId],
    );
    await expect(override(at, { ...asked, approvalId: id }, admin)).rejects.toMatchObject({ code: 'approval-waiting' });
    await expectNothingRan(at, asked);
  });

  it('without a reason, without a recent confirmation of identity, and without having seen the call', async () => {
    const { at } = await emergency();
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    await grant(at, admin);
    const asked = await ask(at);
    const hashes = await shownHashes(at, asked);
    const input = { id: asked.approvalId, reason, ...hashes };
    const [fresh, stale] = [await at.organization.as(admin), await at.organization.as(admin, { isFresh: false })];
    expect((await stale(mutation, { input })).code).toBe('reauthentication-required');
    expect((await fresh(mutation, { input: { ...input, reason: '  ' } })).code).toBe('reason-required');
    const unseen = { ...input, argumentsHash: '0'.repeat(64) };
    expect((await fresh(mutation, { input: unseen })).code).toBe('not-as-shown');
    await expectNothingRan(at, asked);
  });

  it('with an admin token, a key of an agent, and the principal of a token', async () => {
    const { at } = await emergency();
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    await grant(at, admin);
    const asked = await ask(at);
    const input = { id: asked.approvalId, reason, ...(await shownHashes(at, asked)) };
    const { token } = await at
      .get(AdminTokensService)
      .create(await at.principalOf(admin), { name: 'Terraform', expiresAt: new Date(Date.now() + 3_600_000) });
    for (const credential of [token, at.key])
      expect((await at.organization.withToken(credential)(mutation, { input })).code).toBeTruthy();
    const { sessionId: _, ...withoutSession } = await at.principalOf(admin);
    const overrides = at.get(ApprovalOverridesService);
    for (const principal of [withoutSession, { ...withoutSession, surface: 'slack' as const }, at.agent])
      await expect(overrides.override(principal, asked.approvalId, reason)).rejects.toMatchObject({
        code: 'session-required',
      });
    await expectNothingRan(at, asked);
  });

  it('on the page that links in notifications open', async () => {
    const { at, bea } = await emergency();
    const asked = await ask(at);
    const browser = await at.organization.browser(bea);
    const path = `/approvals/${asked.approvalId}`;
    const page = await (await browser.fetch(path)).text();
    expect(page).not.toMatch(/overrid/i);
    for (const decision of ['override', 'approve']) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.url };
      const answer = await browser.fetch(path, { method: 'POST', headers, body: `decision=${decision}&reason=fire` });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    await expectNothingRan(at, asked);
  });

  it('if the right ends before the call runs', async () => {
    const { at } = await emergency(twoSteps);
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    await grant(at, admin);
    const asked = await ask(at);
    await override(at, asked, admin);
    await at.get(BreakGlassRightsService).revoke(await at.principalOf(at.reviewer), admin.id);
    const [next] = await sql<{ id: string }>(at, `select id from approvals where call_id = $1 and state = 'pending'`, [
      asked.callId,
    ]);
    const decided = await at.get(ApprovalsService).decide(await at.principalOf(at.reviewer), next.id, 'approve');
    expect(decided).toMatchObject({ state: 'void' });
    expect(await arrivalsOf(asked)).toEqual([]);
  });

  it('twice: of two overrides and a denial at the same time, one decides', async () => {
    const { at } = await emergency();
    const admins = [
      await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] }),
      await at.organization.member({ name: 'Egon Emergency', roles: ['admin'] }),
    ];
    for (const admin of admins) await grant(at, admin);
    const asked = await ask(at);
    const deny = async () =>
      at.get(ApprovalsService).decide(await at.principalOf(at.reviewer), asked.approvalId, 'deny', 'No.');
    const results = await Promise.allSettled([...admins.map((admin) => override(at, asked, admin)), deny()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { overriddenBy } = await approvalOf(at, asked);
    const stored = await sql<{ member: string }>(
      at,
      'select member_id as member from approval_overrides where approval_id = $1',
      [asked.approvalId],
    );
    expect(stored).toEqual(overriddenBy ? [{ member: overriddenBy }] : []);
  });
});

describe('the review of an override', () => {
  it('is open until somebody else closes it with a note', async () => {
    const { at } = await emergency();
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    const puppet = await createInvitedMember(at, admin, 'Pia Puppet');
    await grant(at, admin);
    const asked = await ask(at);
    await override(at, asked, admin);
    const overrides = at.get(ApprovalOverridesService);
    const open = async (member: Member) => (await overrides.listOpen(await at.principalOf(member))).map(({ id }) => id);
    expect(await open(at.reviewer)).toEqual([asked.approvalId]);
    const review = async (member: Member, note = 'Justified: the fire brigade came.') =>
      overrides.review(await at.principalOf(member), asked.approvalId, note);
    for (const member of [admin, puppet, at.organization.admin])
      await expect(review(member)).rejects.toMatchObject({ code: 'override-review-refused' });
    await expect(review(at.reviewer, ' ')).rejects.toMatchObject({ code: 'reason-required' });
    await review(at.reviewer);
    expect(await open(at.reviewer)).toEqual([]);
    await expect(review(at.reviewer)).rejects.toMatchObject({ code: 'override-reviewed' });
    const send = await at.organization.as(at.reviewer);
    const { data } = await send(
      'query ($id: ID!) { approval(id: $id) { override { reviewNote reviewer { id } reviewRefusal } } }',
      { id: asked.approvalId },
    );
    expect(data.approval.override).toEqual({
      reviewNote: 'Justified: the fire brigade came.',
      reviewer: { id: at.reviewer.id },
      reviewRefusal: 'The review is closed.',
    });
  });
});

describe('the right', () => {
  it('is granted by another administrator in a recently confirmed session, and ends with the membership', async () => {
    const { at, bea } = await emergency();
    const rights = at.get(BreakGlassRightsService);
    await expect(grant(at, at.reviewer)).rejects.toMatchObject({ code: 'conflict' });
    const grantMutation = 'mutation ($input: BreakGlassInput!) { grantBreakGlassRight(input: $input) { memberId } }';
    const input = { memberId: at.organization.admin.id };
    const send = async (member: Member, isFresh = true) =>
      (await (await at.organization.as(member, { isFresh }))(grantMutation, { input })).code;
    expect(await send(bea)).toBe('forbidden');
    expect(await send(at.reviewer, false)).toBe('reauthentication-required');
    expect((await rights.list(await at.principalOf())).map(({ memberId }) => memberId)).toEqual([bea.id]);
    await at.get(MemberStatusService).remove(await at.principalOf(), bea.id);
    expect(await rights.list(await at.principalOf())).toEqual([]);
  });

  it('needs a second administrator if the organization requires one, but not to be revoked', async () => {
    const { at, bea } = await emergency();
    await at.get(TwoPersonAdministrationService).set(await at.principalOf(), 'break_glass', true);
    const rights = at.get(BreakGlassRightsService);
    const admin = await at.organization.member({ name: 'Eve Emergency', roles: ['admin'] });
    await expect(grant(at, admin)).rejects.toMatchObject({ code: 'change-proposed' });
    expect(await rights.revoke(await at.principalOf(), bea.id)).toBe(true);
    expect(await rights.list(await at.principalOf())).toEqual([]);
    const changes = at.get(ProposedChangesService);
    const [{ id }] = (await changes.list(await at.principalOf(), { first: 1 })).nodes;
    // the first administrator granted the right, and the second one confirms that
    await changes.confirm(await at.principalOf(admin), id);
    expect(await rights.list(await at.principalOf())).toMatchObject([
      { memberId: admin.id, grantedBy: at.reviewer.id },
    ]);
  });
});
