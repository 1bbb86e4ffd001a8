import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import { IntroductionsService } from '../src/access/independence/introductions.service.js';
import { ProposedChangesService } from '../src/access/administration/proposed-changes.service.js';
import { IntroducedReviewersService } from '../src/access/administration/introduced-reviewers.service.js';
import { VouchesService } from '../src/access/independence/vouches.service.js';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { ApprovalInboxService } from '../src/approvals/approval-inbox.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import type { CallOutcome } from '../src/gate/gate.service.js';
import { CallsService } from '../src/gate/calls.service.js';
import { ClientsService } from '../src/oauth/clients/clients.service.js';
import { SecretsService } from '../src/oauth/clients/secrets.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { statement } from '../src/platform/database/statement.js';
import type { Principal } from '../src/principal/principal.js';
import { colleagueWithProduct } from './kit/colleague-product.js';
import { GateFixture } from './kit/gate-fixture.js';
import { createInvitedMember, recordSignInProvider, resetPasswordBy } from './kit/introductions.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';

let server: TestServer;
let workplace: Workplace;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const reviewed = `
  permit (principal, action in Action::"read", resource);
  @approval("review") permit (principal, action in Action::"write", resource);`;
const notTheirs = { code: 'not-yours-to-decide' };
/** The decision is rejected, or the call has already ended because no approver is left. */
const ended = /^(not-yours-to-decide|approval-decided)$/;

let count = 0;
const aTicket = () => ({ title: `Conveyor ${++count} squeaks` });

/** Ada and Rita are administrators whom the operator invited; every write needs a review. */
async function organization(): Promise<GateFixture> {
  const at = await GateFixture.create(server, workplace);
  await at.publish(reviewed);
  return at;
}

function approvalOf(outcome: CallOutcome): string {
  if (outcome.state !== 'awaiting_approval') throw new Error(`is ${JSON.stringify(outcome)}`);
  return outcome.approvalId;
}
const ask = async (at: GateFixture, as?: Principal) => approvalOf(await at.call('create_ticket', aTicket(), { as }));
const approve = async (at: GateFixture, id: string, by: Member) =>
  at.get(ApprovalsService).decide(await at.principalOf(by), id, 'approve');

const inDatabase = (at: GateFixture, text: string, values: unknown[]) =>
  at.get(DatabaseService).tenant(at.organization.system, (tx) => runSql(tx, text, values));

describe('a call through a product', () => {
  it('is not reviewed by the person who registered the product and saw its secret', async () => {
    const at = await organization();
    const { principal } = await colleagueWithProduct(at, await at.principalOf());
    const id = await ask(at, principal);
    await expect(approve(at, id, at.organization.admin)).rejects.toMatchObject(notTheirs);
    await expect(approve(at, id, at.reviewer)).resolves.toMatchObject({ state: 'approved' });
  });

  it('is not reviewed by the person who rotated the secret after the call was requested', async () => {
    const at = await organization();
    const { principal, client } = await colleagueWithProduct(at, at.organization.system);
    const id = await ask(at, principal);
    await at.get(SecretsService).rotate(await at.principalOf(at.reviewer), client.id, { overlapSeconds: 60 });
    await expect(approve(at, id, at.reviewer)).rejects.toMatchObject(notTheirs);
  });

  it('is not reviewed by the person who changed the redirect URIs of the product', async () => {
    const at = await organization();
    const { principal, client } = await colleagueWithProduct(at, at.organization.system);
    await at.get(ClientsService).update(await at.principalOf(), {
      clientId: client.id,
      redirectUris: ['https://board.example/callback', 'https://elsewhere.example/callback'],
    });
    const id = await ask(at, principal);
    await expect(approve(at, id, at.organization.admin)).rejects.toMatchObject(notTheirs);
  });
});

describe('a member whom only a requester introduced', () => {
  it('cannot review after the other reviewer was suspended', async () => {
    const at = await organization();
    const puppet = await createInvitedMember(at, at.organization.admin, 'Pia Puppet');
    const id = await ask(at);
    await at.suspend(at.reviewer);
    await expect(approve(at, id, puppet)).rejects.toMatchObject({
      code: expect.stringMatching(ended),
    });
    expect(await at.call('create_ticket', aTicket())).toMatchObject({ state: 'denied', code: 'approval-unreachable' });
  });

  it('cannot review a day or a year later', async () => {
    const at = await organization();
    const puppet = await createInvitedMember(at, at.organization.admin, 'Pia Puppet');
    await inDatabase(at, `update links set used_at = used_at - interval '1 year'`, []);
    await expect(approve(at, await ask(at), puppet)).rejects.toMatchObject(notTheirs);
  });

  it('cannot review through a second puppet account', async () => {
    const at = await organization();
    const first = await createInvitedMember(at, at.organization.admin, 'Pia Puppet');
    const second = await createInvitedMember(at, first, 'Paul Puppet');
    await inDatabase(at, `update links set used_at = used_at - interval '1 year'`, []);
    await expect(approve(at, await ask(at), second)).rejects.toMatchObject(notTheirs);
  });

  it('cannot review after a requester reset their password, regardless of when', async () => {
    const at = await organization();
    await resetPasswordBy(at, at.organization.admin, at.reviewer);
    await inDatabase(at, `update links set used_at = used_at - interval '1 year'`, []);
    expect(await at.call('create_ticket', aTicket())).toMatchObject({ state: 'denied', code: 'approval-unreachable' });
  });
});

describe('a sign-in provider configured by a requester', () => {
  it('creates no reviewers for that requester', async () => {
    const at = await organization();
    const id = await ask(at);
    await recordSignInProvider(at, at.organization.admin, at.reviewer);
    await expect(approve(at, id, at.reviewer)).rejects.toMatchObject({ code: expect.stringMatching(ended) });
    expect(await at.call('create_ticket', aTicket())).toMatchObject({ code: 'approval-unreachable' });
  });

  it('makes the person who configured it a requester of its members’ calls', async () => {
    const at = await organization();
    await recordSignInProvider(at, at.reviewer, at.organization.admin);
    expect(await at.call('create_ticket', aTicket())).toMatchObject({ code: 'approval-unreachable' });
  });

  it('invalidates a vouch when it is changed later', async () => {
    const at = await organization();
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    await recordSignInProvider(at, at.organization.admin, at.reviewer);
    await at.get(VouchesService).vouch(await at.principalOf(third), at.reviewer.id);
    await expect(approve(at, await ask(at), at.reviewer)).resolves.toMatchObject({ state: 'approved' });
    await recordSignInProvider(at, at.organization.admin, at.reviewer);
    await expect(approve(at, await ask(at), at.reviewer)).rejects.toMatchObject(notTheirs);
  });
});

describe('a vouch', () => {
  it('has no effect from the requester or from members whom the requester introduced', async () => {
    const at = await organization();
    const puppet = await createInvitedMember(at, at.organization.admin, 'Pia Puppet');
    const other = await createInvitedMember(at, at.organization.admin, 'Paul Puppet');
    const vouches = at.get(VouchesService);
    const noEffect = { code: 'vouch-has-no-effect' };
    await expect(vouches.vouch(await at.principalOf(), puppet.id)).rejects.toMatchObject(noEffect);
    await expect(vouches.vouch(await at.principalOf(other), puppet.id)).rejects.toMatchObject(noEffect);
    await expect(vouches.vouch(await at.principalOf(puppet), puppet.id)).rejects.toMatchObject(noEffect);
    await inDatabase(
      at,
      `insert into vouches (tenant_id, id, member_id, made_by, at) values ($1, $2, $3, $4, now()), ($1, $5, $4, $3, now())`,
      [at.organization.tenant.id, newId(), puppet.id, other.id, newId()],
    );
    await expect(approve(at, await ask(at), puppet)).rejects.toMatchObject(notTheirs);
    await vouches.vouch(await at.principalOf(at.reviewer), puppet.id);
    await expect(approve(at, await ask(at), puppet)).resolves.toMatchObject({ state: 'approved' });
  });

  it('requires a recent confirmation of identity', async () => {
    const at = await organization();
    const puppet = await createInvitedMember(at, at.organization.admin, 'Pia Puppet');
    const mutation = 'mutation ($input: MemberInput!) { vouchForMember(input: $input) { id madeBy } }';
    const input = { memberId: puppet.id };
    const stale = await at.organization.as(at.reviewer, { isFresh: false });
    expect((await stale(mutation, { input })).code).toBe('reauthentication-required');
    const fresh = await at.organization.as(at.reviewer);
    expect((await fresh(mutation, { input })).data.vouchForMember.madeBy).toBe(at.reviewer.id);
    const shown = `query ($id: ID!) { memberIndependence(id: $id) { introductions { kind by { name } } vouches { by { name } } dependsOn { name } canVouch } }`;
    expect((await fresh(shown, { id: puppet.id })).data.memberIndependence).toEqual({
      introductions: [{ kind: 'invitation', by: { name: at.organization.admin.name } }],
      vouches: [{ by: { name: at.reviewer.name } }],
      dependsOn: [],
      canVouch: false,
    });
  });

  it('by the operator makes the second member of an organization of two a reviewer', async () => {
    const at = await GateFixture.create(server, workplace, { isAlone: true });
    await at.publish(reviewed);
    const second = await createInvitedMember(at, at.organization.admin, 'Sia Second');
    expect(await at.call('create_ticket', aTicket())).toMatchObject({ code: 'approval-unreachable' });
    await at.get(VouchesService).vouch(at.organization.system, second.id);
    await expect(approve(at, await ask(at), second)).resolves.toMatchObject({ state: 'approved', selfApproved: false });
  });
});

describe('the setting that lets introduced members review', () => {
  it('needs two independent administrators to enable and one to withdraw', async () => {
    const at = await organization();
    const puppet = await createInvitedMember(at, at.organization.admin, 'Pia Puppet');
    const setting = at.get(IntroducedReviewersService);
    await expect(setting.propose(await at.principalOf())).rejects.toMatchObject({ code: 'change-proposed' });
    const changes = at.get(ProposedChangesService);
    const [{ id }] = (await changes.list(await at.principalOf(), { first: 1 })).nodes;
    const notIndependent = { code: 'confirmation-not-independent' };
    await expect(changes.confirm(await at.principalOf(), id)).rejects.toMatchObject(notIndependent);
    await expect(changes.confirm(await at.principalOf(puppet), id)).rejects.toMatchObject(notIndependent);
    await expect(approve(at, await ask(at), puppet)).rejects.toMatchObject(notTheirs);
    await changes.confirm(await at.principalOf(at.reviewer), id);
    await expect(approve(at, await ask(at), puppet)).resolves.toMatchObject({ state: 'approved' });
    await expect(approve(at, await ask(at), at.organization.admin)).rejects.toMatchObject(notTheirs);
    const waiting = await ask(at);
    await setting.withdraw(await at.principalOf(puppet));
    await expect(approve(at, waiting, puppet)).rejects.toMatchObject(notTheirs);
  });
});

describe('a requester', () => {
  it('is the person who suspended or reactivated an approver after the call was requested', async () => {
    const at = await organization();
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    const id = await ask(at);
    await at.get(MemberStatusService).suspend(await at.principalOf(at.reviewer), third.id);
    await expect(approve(at, id, at.reviewer)).rejects.toMatchObject({ code: expect.stringMatching(ended) });
    await expect(approve(at, await ask(at), at.reviewer)).resolves.toMatchObject({ state: 'approved' });
  });

  it.each(['expired', 'revoked'] as const)('is the creator of a key that is %s', async (what) => {
    const at = await organization();
    const { a2aKey } = await at.get(KeysService).create(await at.principalOf(at.reviewer), at.agentId);
    const column = what === 'expired' ? 'expires_at' : 'revoked_at';
    await inDatabase(at, `update a2a_keys set ${column} = now() - interval '1 minute' where id = $1`, [a2aKey.id]);
    expect(await at.call('create_ticket', aTicket())).toMatchObject({ state: 'denied', code: 'approval-unreachable' });
  });

  it('is the person who invited the acting member, without a time limit', async () => {
    const at = await organization();
    const group = await at.get(GroupsService).create(await at.principalOf(), 'Desk');
    const guest = await createInvitedMember(at, at.reviewer, 'Gus Guest');
    await at.get(GroupsService).addMember(await at.principalOf(), group.id, guest.id);
    await at
      .get(ConfigurationsService)
      .update(await at.principalOf(), { configurationId: at.configurationId, groupIds: [group.id] });
    await inDatabase(at, `update links set used_at = used_at - interval '1 year'`, []);
    const id = await ask(at, await at.principalOf(guest));
    await expect(approve(at, id, at.reviewer)).rejects.toMatchObject(notTheirs);
    await expect(approve(at, id, at.organization.admin)).resolves.toMatchObject({ state: 'approved' });
  });
});

describe('a call whose outcome is unknown', () => {
  it('is not executed again without a new decision', async () => {
    const at = await organization();
    const asked = aTicket();
    const outcome = await at.call('create_ticket', asked);
    // before the approval: its job may run at once
    await workplace.fail({ fault: 'drop', times: 1, containing: asked.title });
    await approve(at, approvalOf(outcome), at.reviewer);
    await expect
      .poll(async () => (await at.get(CallsService).get(await at.principalOf(), outcome.callId)).state, {
        timeout: 120_000,
      })
      .toBe('unsettled');
    const again = await at.get(CallsService).resolveOutcome(await at.principalOf(), outcome.callId, 'run_again');
    expect(again.state).toBe('awaiting_approval');
    expect(
      (await workplace.arrivals()).filter(({ arguments: args }) => (args as { title: string }).title === asked.title),
    ).toHaveLength(1);
  });

  it('stays unsettled if the retry is denied, and runs once more if another person approves', async () => {
    const at = await organization();
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    const asked = aTicket();
    const outcome = await at.call('create_ticket', asked);
    // before the approval: its job may run at once
    await workplace.fail({ fault: 'drop', times: 1, containing: asked.title });
    await approve(at, approvalOf(outcome), at.reviewer);
    const call = async () => at.get(CallsService).get(await at.principalOf(), outcome.callId);
    await expect.poll(async () => (await call()).state, { timeout: 120_000 }).toBe('unsettled');

    const approvals = at.get(ApprovalsService);
    const waiting = async () =>
      (await at.get(ApprovalInboxService).list(await at.principalOf(), { first: 10 }, { isPending: true })).nodes.find(
        ({ callId }) => callId === outcome.callId,
      )!;
    await at.get(CallsService).resolveOutcome(await at.principalOf(at.reviewer), outcome.callId, 'run_again');
    const first = await waiting();
    expect(first).toMatchObject({ round: 2, state: 'pending' });
    await expect(approve(at, first.id, at.reviewer)).rejects.toMatchObject(notTheirs); // requested it
    await approvals.decide(await at.principalOf(third), first.id, 'deny', 'It is there already.');
    expect(await call()).toMatchObject({ state: 'unsettled', attempts: 1 });

    await at.get(CallsService).resolveOutcome(await at.principalOf(), outcome.callId, 'run_again');
    const second = await waiting();
    expect(second).toMatchObject({ round: 3 });
    await approve(at, second.id, at.reviewer);
    await expect.poll(async () => (await call()).state, { timeout: 120_000 }).toBe('succeeded');
    const arrivals = (await workplace.arrivals()).filter(
      ({ arguments: args }) => (args as { title: string }).title === asked.title,
    );
    expect(arrivals.map(({ key }) => key)).toEqual([outcome.callId, outcome.callId]);
  });
});

describe('eligibility', () => {
  it('waits for a concurrent change of accounts to commit', async () => {
    const at = await organization();
    const id = await ask(at);
    const { id: tenantId } = at.organization.tenant;
    const { promise: isOpen, resolve: commit } = Promise.withResolvers<void>();
    const introductions = at.getInternal(IntroductionsService);
    const { promise: isMade, resolve: made } = Promise.withResolvers<void>();
    const change = at.get(DatabaseService).tenant(at.organization.system, async (tx) => {
      const by = at.organization.admin.id;
      await introductions.record(tx, { tenantId, memberId: at.reviewer.id, kind: 'reset', by });
      made();
      await isOpen;
    });
    await isMade;
    const decision = approve(at, id, at.reviewer).then(
      () => 'approved',
      (error: { code: string }) => error.code,
    );
    // neither decided nor rejected: the decision waits for the lock
    const waiting = statement<[], { n: number }>(
      `select count(*)::int as n from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and not granted`,
    );
    const waits = async () => (await at.get(DatabaseService).systemPool.one(waiting))!.n;
    await expect.poll(waits, { timeout: 120_000 }).toBeGreaterThan(0);
    commit();
    await change;
    expect(await decision).toMatch(ended);
  });
});
