import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AdminTokensService } from '../src/access/admin-tokens.service.js';
import { VouchesService } from '../src/access/independence/vouches.service.js';
import { InvitationsService } from '../src/access/invitations.service.js';
import { PasswordsService } from '../src/access/passwords.service.js';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { MembersService } from '../src/access/members.service.js';
import { Approval } from '../src/approvals/approval.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import type { CallOutcome } from '../src/gate/gate.service.js';
import { ToolCall } from '../src/gate/tool-call.entity.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import type { Principal } from '../src/principal/principal.js';
import { newId } from '../src/platform/crypto/ids.js';
import { Browser, formsOf } from './kit/browser.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { countStatements } from './kit/count-statements.js';
import { newTaskId, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

let count = 0;
const aTicket = (more: object = {}) => ({ title: `Gripper ${++count} lets go`, ...more });
async function pending(
  more: object = {},
  at = fixture,
): Promise<{ id: string; callId: string; title: string; path: string }> {
  const ticket = aTicket(more);
  const outcome = await at.call('create_ticket', ticket);
  const id = approvalOf(outcome);
  return { id, callId: outcome.callId, title: ticket.title, path: `/approvals/${id}` };
}
function approvalOf(outcome: CallOutcome): string {
  if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
  return outcome.approvalId;
}
const stateOf = async (id: string, at = fixture) =>
  (
    await at
      .get(DatabaseService)
      .tenant(at.organization.system, (tx) => tx.findOneByOrFail(Approval, { id, tenantId: at.organization.tenant.id }))
  ).state;
const rowOf = (id: string, at = fixture) =>
  at
    .get(DatabaseService)
    .tenant(at.organization.system, (tx) => tx.findOneByOrFail(ToolCall, { id, tenantId: at.organization.tenant.id }));
const decide = async (id: string, by: Member, decision: 'approve' | 'deny' = 'approve', at = fixture) =>
  at.get(ApprovalsService).decide(await at.principalOf(by), id, decision, 'Not now.');
const events = async (id: string, at = fixture) =>
  (await at.get(AuditLogService).list(at.organization.system, { first: 200 })).nodes
    .filter(({ subject }) => (subject as { id?: string } | null)?.id === id)
    .reverse();
const browse = (member: Member = fixture.reviewer) => fixture.organization.browser(member);
const text = async (response: Response) => response.text();
const approveForm = (page: string) => formsOf(page).find(({ hidden }) => hidden.decision === 'approve')!;

describe('the page of an approval', () => {
  it('shows the tool, the arguments, the requester and the policy that requires the approval', async () => {
    const { path, title } = await pending({ priority: 'urgent', labels: ['belt', 'night'] });
    const page = await text(await (await browse()).fetch(path));
    for (const words of [
      'workplace__create_ticket',
      title,
      'urgent',
      'labels[1]',
      'night',
      'the agent Helper',
      'through A2A',
      'Ada Admin',
      'review',
      'writes need approval, revision 1',
      'Create a ticket',
      'Opens a new ticket in one of the projects.',
    ]) {
      expect(page).toContain(words);
    }
    expect(page).not.toContain('Self-approval');
  });

  it('shows the destination, the configuration, the deciders and earlier decisions', async () => {
    const earlier = await pending({ title: 'Asked before' });
    await decide(earlier.id, fixture.reviewer, 'deny');
    const { path } = await pending({ title: 'Asked after' });
    const page = await text(await (await browse()).fetch(path));
    for (const words of [
      `Address: ${workplace.url}`,
      'Desk',
      'Administrators: step review',
      `href="${earlier.path}"`,
      ': Not now.',
    ]) {
      expect(page).toContain(words);
    }
  });

  it('decides by its form, once', async () => {
    const { id, path } = await pending();
    const browser = await browse();
    const page = await text(await browser.fetch(path));
    const { action, hidden } = approveForm(page);
    const answer = await browser.post(action, hidden);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, path]);
    expect(await stateOf(id)).toBe('approved');
    expect(await text(await browser.fetch(path))).toMatch(
      /Approved[\s\S]*by Rita Reviewer[\s\S]*The call (is about to run|is running|ran once)\./,
    );

    const again = await browser.post(action, hidden);
    expect(again.status).toBe(409);
    await expect(text(again)).resolves.toContain('This approval is already approved.');
    expect((await events(id)).map(({ kind }) => kind)).toEqual([
      'approval.requested',
      'approval.viewed',
      'approval.approved',
    ]);
  });

  it('requires a reason for a denial', async () => {
    const { id, path } = await pending();
    const browser = await browse();
    const deny = formsOf(await text(await browser.fetch(path))).find(({ hidden }) => hidden.decision === 'deny')!;
    for (const reason of ['', '   ', 'x'.repeat(1001)]) {
      const refused = await browser.post(deny.action, { ...deny.hidden, reason });
      expect(refused.status).toBe(400);
      expect(await stateOf(id)).toBe('pending');
    }
    expect((await browser.post(deny.action, { ...deny.hidden, reason: 'Ask <b>Monday</b>' })).status).toBe(303);
    expect(await stateOf(id)).toBe('denied');
    expect(await text(await browser.fetch(path))).toContain('Ask &lt;b&gt;Monday&lt;/b&gt;');
    expect((await events(id)).at(-1)).toMatchObject({
      kind: 'approval.denied',
      detail: { reason: 'Ask <b>Monday</b>', notFourEyes: false },
    });
  });

  it('decides nothing when it is only opened', async () => {
    const { id, path } = await pending();
    const browser = await browse();
    const { hidden } = approveForm(await text(await browser.fetch(path)));
    const query = new URLSearchParams({ ...hidden, open: 'all' }).toString();
    for (const method of ['GET', 'HEAD'])
      expect((await browser.fetch(`${path}?${query}`, { method })).status).toBe(200);
    for (const method of ['PUT', 'DELETE', 'PATCH'])
      expect((await browser.fetch(path, { method, headers: { origin: server.url } })).status).toBe(404);
    expect(await stateOf(id)).toBe('pending');
  });

  it('rejects forms of another origin or session, and forged ones', async () => {
    const { id, path } = await pending();
    const browser = await browse();
    const { hidden } = approveForm(await text(await browser.fetch(path)));
    expect((await browser.post(path, hidden, 'https://elsewhere.example')).status).toBe(403);
    expect((await browser.post(path, { ...hidden, csrf: 'made-up' })).status).toBe(403);
    expect((await (await browse()).post(path, hidden)).status).toBe(403);
    expect((await browser.post(path, { ...hidden, decision: 'maybe' })).status).toBe(400);
    expect(await stateOf(id)).toBe('pending');
  });

  it('redirects to the sign-in page and back', async () => {
    const { id, path } = await pending();
    const stranger = new Browser(server.url);
    const answer = await stranger.fetch(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`]);
    expect((await stranger.post(path, { decision: 'approve' })).status).toBe(401);
    const keyed = await stranger.fetch(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${fixture.key}`, origin: server.url },
    });
    expect(keyed.status).toBe(401);
    expect(await stateOf(id)).toBe('pending');
  });

  it('does not approve a call while arguments are collapsed', async () => {
    const { id, path } = await pending({
      description: `${'All the lines of a log. '.repeat(40)}At the very end: pay 9,000.`,
    });
    const browser = await browse();
    const folded = await text(await browser.fetch(path));
    expect(folded).toMatch(/Collapsed: 987 characters, 1 lines/);
    expect(folded).toContain('<button disabled>Approve</button>');
    expect(approveForm(folded).hidden).not.toHaveProperty('seen');
    const { csrf } = approveForm(folded).hidden;
    const madeUp: Record<string, string>[] = [{ csrf }, { csrf, seen: 'x' }];
    for (const made of madeUp) {
      const refused = await browser.post(path, { decision: 'approve', ...made });
      expect(refused.status).toBe(409);
    }
    expect(await stateOf(id)).toBe('pending');

    const open = await text(await browser.fetch(`${path}?open=all`));
    expect(open).toContain('At the very end: pay 9,000.');
    expect((await browser.post(path, approveForm(open).hidden)).status).toBe(303);
    expect(await stateOf(id)).toBe('approved');
  });

  it('rejects the hashes of another call', async () => {
    const [one, other] = [await pending(), await pending()];
    const browser = await browse();
    const { hidden } = approveForm(await text(await browser.fetch(other.path)));
    expect((await browser.post(one.path, hidden)).status).toBe(409);
    expect(await stateOf(one.id)).toBe('pending');
  });

  it('makes deceptive characters visible and executes no markup', async () => {
    const sly = 'To p\u0430yroll\u202Egnp.exe\u200B <script>alert(1)</script>';
    const { path } = await pending({ description: sly });
    const response = await (await browse()).fetch(path);
    const page = await text(response);
    for (const mark of ['U+0430', 'U+202E', 'U+200B', '&lt;script&gt;']) expect(page).toContain(mark);
    expect(page).not.toContain('\u202E');
    expect(page).not.toContain('<script');
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('opens, and so does the console, although the arguments of an earlier call can no longer be read', async () => {
    const [unreadable, next] = [await pending(), await pending()];
    await decide(unreadable.id, fixture.reviewer, 'deny');
    await fixture
      .get(DatabaseService)
      .tenant(fixture.organization.system, (tx) =>
        runSql(tx, `update tool_calls set arguments_sealed = '\\x00' where id = $1`, [unreadable.callId]),
      );
    expect(await text(await (await browse()).fetch(next.path))).toContain(next.title);
    const ask = await fixture.organization.as(fixture.reviewer);
    const query = 'query ($id: ID!) { approval(id: $id) { call { arguments } earlier { id call { argumentsHash } } } }';
    const { approval } = (await ask(query, { id: next.id })).data;
    expect(approval.call.arguments).toContain(next.title);
    expect(approval.earlier[0].id).toBe(unreadable.id);
  });

  it('tells requesters that they cannot decide', async () => {
    const { id, path } = await pending();
    const ada = await browse(fixture.organization.admin);
    const page = await text(await ada.fetch(path));
    expect(page).toContain("You can't decide this");
    expect(page).toContain('You requested this call, are responsible for the agent');
    expect(page).toMatch(/Rita Reviewer:\s+can decide/);
    expect(approveForm(page)).toBeUndefined();
    await expect(decide(id, fixture.organization.admin)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
  });

  it('does not exist for uninvolved members and other organizations', async () => {
    const { id, path } = await pending();
    const other = await GateFixture.create(server, workplace);
    for (const browser of [await browse(await fixture.organization.member()), await other.organization.browser()]) {
      const answer = await browser.fetch(path);
      expect(answer.status).toBe(404);
      await expect(text(answer)).resolves.not.toContain('create_ticket');
    }
    expect((await (await browse()).fetch(`/approvals/${newId()}`)).status).toBe(404);
    expect((await (await browse()).fetch('/approvals/nonsense')).status).toBe(404);
    await expect(decide(id, other.reviewer, 'approve', other)).rejects.toMatchObject({ code: 'approval-not-found' });
  });
});

describe('an approval', () => {
  it('is decided once, despite concurrent attempts', async () => {
    const { id, callId } = await pending();
    const third = await fixture.organization.member({ name: 'Theo Third', roles: ['admin'] });
    const fresh = await pending();
    const tries = await Promise.allSettled([
      ...Array.from({ length: 4 }, (_, index) => decide(id, fixture.reviewer, index % 2 ? 'approve' : 'deny')),
      decide(fresh.id, third, 'approve'),
    ]);
    expect(tries.slice(0, 4).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(tries.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code)).toEqual(
      Array(3).fill('approval-decided'),
    );
    expect((await events(id)).filter(({ kind }) => kind !== 'approval.requested')).toHaveLength(1);
    expect(
      (await events(callId)).filter(({ kind }) => kind === 'call.started' || kind === 'call.denied').length,
    ).toBeLessThanOrEqual(1);
  });

  it('cannot be decided by a member who joined after the request', async () => {
    const { id } = await pending();
    const late = await fixture.organization.member({ name: 'Lara Late', roles: ['admin'] });
    await expect(decide(id, late)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
    const promoted = await fixture.organization.member({ name: 'Pia Promoted' });
    const next = await pending();
    const admin = await fixture.get(MembersService).setRoles(await fixture.principalOf(), promoted.id, ['admin']);
    await expect(decide(next.id, admin)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
  });

  it('cannot be decided by a member who lost the role', async () => {
    const leaving = await fixture.organization.member({ name: 'Lea Leaving', roles: ['admin'] });
    const { id } = await pending();
    const session = await fixture.principalOf(leaving);
    await fixture.get(MembersService).setRoles(await fixture.principalOf(), leaving.id, ['member']);
    await expect(fixture.get(ApprovalsService).decide({ ...session }, id, 'approve')).rejects.toMatchObject({
      code: 'not-yours-to-decide',
    });
  });

  it('cannot be decided by a token, a key, an agent or the system', async () => {
    const { id } = await pending();
    const person = await fixture.principalOf(fixture.reviewer);
    for (const principal of [
      { ...person, sessionId: undefined, keyId: newId() },
      fixture.agent,
      fixture.organization.system,
    ]) {
      for (const attempt of [
        fixture.get(ApprovalsService).decide.bind(fixture.get(ApprovalsService), principal, id, 'approve'),
        fixture.get(ApprovalsService).get.bind(fixture.get(ApprovalsService), principal, id),
      ]) {
        await expect((async () => attempt())()).rejects.toMatchObject({ code: 'session-required' });
      }
    }
    expect(await stateOf(id)).toBe('pending');
  });

  it('is decided by the only member of an organization, and marked as self-approved', async () => {
    const alone = await GateFixture.create(server, workplace, { isAlone: true });
    const outcome = await alone.call('create_ticket', aTicket());
    expect(outcome).toMatchObject({ state: 'awaiting_approval', selfApproved: true });
    const page = await text(await (await alone.organization.browser()).fetch(`/approvals/${approvalOf(outcome)}`));
    expect(page).toContain('Self-approval');
    const approved = await decide(approvalOf(outcome), alone.organization.admin, 'approve', alone);
    expect(approved).toMatchObject({ state: 'approved', tier: 'confirm', selfApproved: true });
    expect((await events(approved.id, alone)).at(-1)).toMatchObject({
      kind: 'approval.approved',
      detail: { notFourEyes: true },
    });
  });

  it('is decided by another member as soon as there is one', async () => {
    const growing = await GateFixture.create(server, workplace, { isAlone: true });
    const before = await pending({}, growing);
    const second = await growing.organization.member({ name: 'Sam Second', roles: ['admin'] });
    // the new member joined after the request, and the first member is no longer the only one
    await vi.waitFor(async () => expect(await stateOf(before.id, growing)).toBe('void'), { timeout: 120_000 });
    expect(await rowOf(before.callId, growing)).toMatchObject({ state: 'denied', code: 'approval-unreachable' });
    const after = await pending({}, growing);
    await expect(decide(after.id, growing.organization.admin, 'approve', growing)).rejects.toMatchObject({
      code: 'not-yours-to-decide',
    });
    expect(await decide(after.id, second, 'approve', growing)).toMatchObject({
      state: 'approved',
      selfApproved: false,
    });
  });

  it('is decided by the group that the step names', async () => {
    const group = await fixture.get(GroupsService).create(await fixture.principalOf(), 'Maintenance');
    const mechanic = await fixture.organization.member({ name: 'Mia Mechanic', groupIds: [group.id] });
    const ask = await fixture.organization.as();
    const saved = await ask(
      `mutation ($input: SaveApprovalStepInput!) { saveApprovalStep(input: $input) { name tier approverGroupId } }`,
      {
        input: { name: 'maintenance', tier: 'review', approverGroupId: group.id, expiresAfterSeconds: 3600 },
      },
    );
    expect(saved.data.saveApprovalStep).toEqual({ name: 'maintenance', tier: 'review', approverGroupId: group.id });
    const unknown = { name: 'maintenance', tier: 'review', approverGroupId: newId() };
    const saving = `mutation ($input: SaveApprovalStepInput!) { saveApprovalStep(input: $input) { name } }`;
    expect((await ask(saving, { input: unknown })).code).toBe('not-found');
    await fixture.publish(
      `permit (principal, action in Action::"read", resource); @approval("maintenance") permit (principal, action in Action::"write", resource);`,
    );
    const { id } = await pending();
    await expect(decide(id, fixture.reviewer)).rejects.toMatchObject({ code: 'not-yours-to-decide' });

    const hers = await fixture.organization.as(mechanic);
    const { data } = await hers(
      `{ approvals(state: pending) { nodes { id viewerCanDecide stepName call { tool arguments } } } }`,
    );
    expect(data.approvals.nodes).toMatchObject([
      { id, viewerCanDecide: true, stepName: 'maintenance', call: { tool: 'workplace__create_ticket' } },
    ]);
    expect(await decide(id, mechanic)).toMatchObject({ state: 'approved' });

    const waiting = await pending();
    await ask(`mutation ($input: SaveApprovalStepInput!) { saveApprovalStep(input: $input) { name } }`, {
      input: { name: 'maintenance', tier: 'review' },
    });
    expect(await stateOf(waiting.id)).toBe('void');
    await fixture.publish(
      `permit (principal, action in Action::"read", resource); @approval("review") permit (principal, action in Action::"write", resource);`,
    );
  });

  it('is required for every step that the policies name', async () => {
    const both = `permit (principal, action in Action::"read", resource);
      @approval("review") permit (principal, action in Action::"write", resource);
      @approval("maintenance") permit (principal, action in Action::"write", resource);`;
    await fixture.publish(both);
    const { callId } = await pending();
    const steps = await fixture
      .get(DatabaseService)
      .tenant(fixture.organization.system, (tx) =>
        fixture.get(ApprovalsService).listOfCall(tx, fixture.organization.tenant.id, callId),
      );
    expect(steps.map(({ stepName }) => stepName).sort()).toEqual(['maintenance', 'review']);
    await decide(steps[0].id, fixture.reviewer);
    expect((await events(callId)).map(({ kind }) => kind)).toEqual(['call.requested']);
    await decide(steps[1].id, fixture.reviewer, 'deny');
    expect(await stateOf(steps[0].id)).toBe('void');
    expect((await events(callId)).map(({ kind }) => kind)).toEqual(['call.requested', 'call.denied']);
    await fixture.publish(
      `permit (principal, action in Action::"read", resource); @approval("review") permit (principal, action in Action::"write", resource);`,
    );
  });

  it('is voided with the other pending steps of its call when a publication changes the steps', async () => {
    await fixture.publish(
      `permit (principal, action in Action::"read", resource);
      @approval("review") permit (principal, action in Action::"write", resource);
      @approval("confirm") permit (principal, action in Action::"write", resource);`,
    );
    const { callId } = await pending();
    await fixture.publish(
      `permit (principal, action in Action::"read", resource); @approval("review") permit (principal, action in Action::"write", resource);`,
    );
    const steps = await fixture
      .get(DatabaseService)
      .tenant(fixture.organization.system, (tx) =>
        fixture.get(ApprovalsService).listOfCall(tx, fixture.organization.tenant.id, callId),
      );
    expect(steps.map(({ state }) => state)).toEqual(['void', 'void']);
    expect(await rowOf(callId)).toMatchObject({ state: 'denied' });
  });
});

describe('a member whose account a requester could use', () => {
  const passwords = () => server.app.get(PasswordsService);
  const password = 'a long enough phrase 42';
  const resetBy = async (maker: Principal, member: Member) => {
    const { url } = await passwords().issueReset(maker, member.id);
    return () => passwords().reset(new URL(url).searchParams.get('link'), { password });
  };
  const refused = { code: 'not-yours-to-decide' };

  it('cannot review after a requester issued the link that reset their password', async () => {
    const at = await GateFixture.create(server, workplace);
    const [one, other] = [await pending({}, at), await pending({}, at)];
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    const { id } = await pending({}, at);
    const use = await resetBy(await at.principalOf(), at.reviewer);
    await use();
    // no one is left to decide on the calls that were requested before the third administrator joined
    for (const { id: lost, callId } of [one, other]) {
      await vi.waitFor(async () => expect(await stateOf(lost, at)).toBe('void'), { timeout: 120_000 });
      expect(await rowOf(callId, at)).toMatchObject({ state: 'denied', code: 'approval-unreachable' });
    }
    await expect(decide(id, at.reviewer, 'approve', at)).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(
        /^You depend on Ada Admin, who is a requester: .*can vouch for you\. The call then/,
      ),
    });
    await expect(decide(id, third, 'approve', at)).resolves.toMatchObject({ state: 'approved' });
    await (
      await resetBy(at.organization.system, at.reviewer)
    )(); // a link from the operator does not change what a requester may know
    const later = await pending({}, at);
    await expect(decide(later.id, at.reviewer, 'approve', at)).rejects.toMatchObject(refused);
    await at.get(VouchesService).vouch(await at.principalOf(third), at.reviewer.id);
    const vouched = await pending({}, at);
    await expect(decide(vouched.id, at.reviewer, 'approve', at)).resolves.toMatchObject({ state: 'approved' });
    // the deciders of this approval were determined before the vouch
    await expect(decide(later.id, at.reviewer, 'approve', at)).rejects.toMatchObject(refused);
  });

  it('loses the vote that they gave before', async () => {
    const at = await GateFixture.create(server, workplace);
    const ticket = aTicket();
    const task = await aWaitingTask(at);
    const waiting = await at.call('create_ticket', ticket, { task });
    await decide(approvalOf(waiting), at.reviewer, 'approve', at);
    await (
      await resetBy(await at.principalOf(), at.reviewer)
    )();
    expect(await at.call('create_ticket', ticket, { task })).toMatchObject({ code: 'approval-unreachable' });
    expect((await workplace.arrivals()).map(({ arguments: args }) => (args as { title: string }).title)).not.toContain(
      ticket.title,
    );
  });

  it('cannot review after an invitation by a requester until another member vouches for them', async () => {
    const at = await GateFixture.create(server, workplace);
    const invitations = server.app.get(InvitationsService);
    const { url } = await invitations.invite(await at.principalOf(), { email: 'ivy@example.org', roles: ['admin'] });
    const { session } = await invitations.accept(new URL(url).searchParams.get('link'), {
      name: 'Ivy Invited',
      password,
    });
    const ivy = await at.get(MembersService).get(at.organization.system, session.memberId);
    const { id, callId } = await pending({}, at);
    await expect(decide(id, ivy, 'approve', at)).rejects.toMatchObject(refused);
    await at.get(VouchesService).vouch(await at.principalOf(at.reviewer), ivy.id);
    await expect(decide(id, ivy, 'approve', at)).rejects.toMatchObject(refused);
    await at.suspend(at.reviewer);
    await vi.waitFor(async () => expect(await stateOf(id, at)).toBe('void'), { timeout: 120_000 });
    expect(await rowOf(callId, at)).toMatchObject({ state: 'denied', code: 'approval-unreachable' });
    const later = await pending({}, at);
    await expect(decide(later.id, ivy, 'approve', at)).resolves.toMatchObject({ state: 'approved' });
  });
});

/** A task that no process claims before this test ends. */
async function aWaitingTask(at: GateFixture) {
  const id = newId();
  await at.get(DatabaseService).tenant(at.organization.system, (tx) =>
    runSql(
      tx,
      `insert into tasks (tenant_id, id, owner_id, external_id, configuration_id, key_id, principal, state, status, last_event, items, turns,
                          is_tainted, is_woken, due_at, lease_epoch, attempts, worked_ms, created_at, updated_at)
       values ($1, $2, $3, $5, $4, $6, '{}', 'working', '{}', 1, 1, 0, false, false, now() + interval '1 hour', 1, 1, 0, now(), now())`,
      [at.organization.tenant.id, id, at.agentId, at.configurationId, id, at.agent.keyId],
    ),
  );
  return { id, leaseEpoch: 1, tainted: false };
}

describe('the approvals inbox in GraphQL', () => {
  const query = `query ($id: ID!) { approval(id: $id) { id state tier requesters viewerCanDecide call { title arguments argumentsHash caller policyRevision } } }`;
  const mutation = `mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { state reason decidedBy } }`;

  it('lets a person in a session read and decide approvals', async () => {
    const { id, title } = await pending();
    const ask = await fixture.organization.as(fixture.reviewer);
    const { data } = await ask(query, { id });
    expect(data.approval).toMatchObject({
      id,
      state: 'pending',
      tier: 'review',
      viewerCanDecide: true,
      call: { arguments: JSON.stringify({ title }), caller: { name: 'Helper' } },
    });
    expect((await ask(mutation, { input: { id, decision: 'deny' } })).code).toBe('reason-required');
    const decided = await ask(mutation, { input: { id, decision: 'deny', reason: 'Not this one.' } });
    expect(decided.data.decideApproval).toEqual({
      state: 'denied',
      reason: 'Not this one.',
      decidedBy: fixture.reviewer.id,
    });
    expect((await ask(mutation, { input: { id, decision: 'deny', reason: 'Twice.' } })).code).toBe('approval-decided');
  });

  it('lists for each person what they can decide, and links the task only for people who may see it', async () => {
    const at = await GateFixture.create(server, workplace);
    const wire = wireOf(at, server.url);
    const taskId = newTaskId();
    await wire.send(taskId, 'Please open this:', { tool: 'workplace__create_ticket', arguments: { title: 'Linked' } });
    await wire.until(taskId, 'input-required');
    await pending({}, at);
    const list = '{ approvalsToDecide { totalCount nodes { state viewerCanDecide task { externalId question } } } }';
    const reviewer = await at.organization.as(at.reviewer);
    const { approvalsToDecide } = (await reviewer(list)).data;
    expect(approvalsToDecide).toEqual({
      totalCount: 2,
      nodes: [
        { state: 'pending', viewerCanDecide: true, task: null },
        { state: 'pending', viewerCanDecide: true, task: { externalId: taskId, question: 'Please open this:' } },
      ],
    });
    const auditor = await at.organization.as(await at.organization.member({ roles: ['auditor'] }));
    expect((await auditor(list)).data.approvalsToDecide).toEqual({ totalCount: 0, nodes: [] });
    expect((await auditor('{ approvals(isPending: true) { totalCount } }')).data.approvals.totalCount).toBe(2);

    const group = await at.get(GroupsService).create(at.organization.system, 'Deciders');
    const decider = await at.organization.member({ name: 'Dora Decider', groupIds: [group.id] });
    await at.organization.as().then((ask) =>
      ask('mutation ($input: SaveApprovalStepInput!) { saveApprovalStep(input: $input) { name } }', {
        input: { name: 'review', tier: 'review', approverGroupId: group.id, expiresAfterSeconds: 3600 },
      }),
    );
    await wire.send(newTaskId(), { tool: 'workplace__create_ticket', arguments: { title: 'For the group' } });
    const hers = await at.organization.as(decider);
    await expect
      .poll(async () => (await hers(list)).data.approvalsToDecide)
      // the first task requests its call again under the changed step
      .toEqual({ totalCount: 2, nodes: Array(2).fill({ state: 'pending', viewerCanDecide: true, task: null }) });
  });

  it('approves only with the hashes of the shown call', async () => {
    const [one, other] = [await pending(), await pending()];
    const ask = await fixture.organization.as(fixture.reviewer);
    const shown = async ({ id }: { id: string }) =>
      (await ask('query ($id: ID!) { approval(id: $id) { call { argumentsHash definitionHash } } }', { id })).data
        .approval.call as { argumentsHash: string; definitionHash: string };
    const approve = (more: object) => ask(mutation, { input: { id: one.id, decision: 'approve', ...more } });
    const { argumentsHash, definitionHash } = await shown(one);
    for (const unseen of [{}, { argumentsHash }, { definitionHash }, await shown(other)])
      expect((await approve(unseen)).code).toBe('not-as-shown');
    expect(await stateOf(one.id)).toBe('pending');
    const { data } = await approve({ argumentsHash, definitionHash });
    expect(data.decideApproval).toMatchObject({ state: 'approved', decidedBy: fixture.reviewer.id });
  });

  it('runs as many statements for a long list as for a short one', async () => {
    const at = await GateFixture.create(server, workplace);
    const ask = await at.organization.as(at.reviewer);
    const count = async () => {
      let nodes: { viewerCanDecide: boolean; call: { tool: string } }[] = [];
      const statements = await countStatements(server.app.getHttpServer() as Server, async () => {
        const { data } = await ask('{ approvals(first: 100) { nodes { viewerCanDecide call { tool arguments } } } }');
        nodes = data.approvals.nodes as typeof nodes;
      });
      expect(
        nodes.every(({ viewerCanDecide, call }) => viewerCanDecide && call.tool === 'workplace__create_ticket'),
      ).toBe(true);
      return { nodes: nodes.length, statements };
    };
    await pending({}, at);
    const short = await count();
    for (let more = 0; more < 9; more++) await pending({}, at);
    expect(await count()).toEqual({ nodes: 10, statements: short.statements });
  });

  it('rejects admin tokens', async () => {
    const { id } = await pending();
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { token } = await fixture
      .get(AdminTokensService)
      .create(await fixture.principalOf(fixture.reviewer), { name: 'ci', expiresAt });
    const ask = fixture.organization.withToken(token);
    for (const answer of [
      await ask(query, { id }),
      await ask('{ approvals { totalCount } }'),
      await ask('{ approvalsToDecide { totalCount } }'),
      await ask(mutation, { input: { id, decision: 'approve' } }),
    ]) {
      expect(answer.code).toBe('unauthenticated');
    }
    expect(await stateOf(id)).toBe('pending');
  });

  it('rejects invalid ids and cursors', async () => {
    const ask = await fixture.organization.as();
    const cursor = Buffer.from('["x"]').toString('base64url');
    for (const query of [
      '{ approval(id: "x") { id } }',
      '{ toolCall(id: "x") { id } }',
      `{ approvals(after: "${cursor}") { totalCount } }`,
      `{ toolCalls(after: "${cursor}") { totalCount } }`,
      '{ toolCalls(configurationId: "x") { totalCount } }',
      '{ toolCalls(taskId: "a\\u0000") { totalCount } }',
    ])
      expect(['invalid-request', 'approval-not-found', 'call-not-found']).toContain((await ask(query)).code);
  });

  it('shows the ledger with arguments only to auditors', async () => {
    const { callId, title } = await pending();
    const auditor = await fixture.organization.as(
      await fixture.organization.member({ name: 'Aud Itor', roles: ['auditor'] }),
    );
    const ledger = `query ($id: ID!) { toolCall(id: $id) { id tool state arguments redactedArguments caller policyIds } }`;
    expect((await auditor(ledger, { id: callId })).data.toolCall).toMatchObject({
      state: 'awaiting_approval',
      arguments: JSON.stringify({ title }),
      redactedArguments: { title: expect.stringMatching(/^\[text, \d+\]$/) },
    });
    const member = await fixture.organization.as(await fixture.organization.member());
    expect((await member(ledger, { id: callId })).code).toBe('forbidden');
    expect((await member('{ toolCalls { totalCount } }')).code).toBe('forbidden');
    const listed = await auditor(
      '{ toolCalls(first: 2, state: awaiting_approval) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } }',
    );
    expect(listed.data.toolCalls.nodes[0].id).toBe(callId);
    const next = await auditor('query ($after: String) { toolCalls(first: 2, after: $after) { nodes { id } } }', {
      after: listed.data.toolCalls.pageInfo.endCursor,
    });
    expect(next.data.toolCalls.nodes.map(({ id }: { id: string }) => id)).not.toContain(callId);
  });
});
