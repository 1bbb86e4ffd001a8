import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { MembersService } from '../src/access/members.service.js';
import { VouchesService } from '../src/access/independence/vouches.service.js';
import { PasskeysService } from '../src/access/passkeys/passkeys.service.js';
import { ApprovalExpiryScheduler } from '../src/approvals/approval-expiry-scheduler.service.js';
import { ApprovalOverride } from '../src/approvals/approval-override.entity.js';
import { ApprovalOverridesService } from '../src/approvals/approval-overrides.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { BreakGlassRightsService } from '../src/approvals/break-glass-rights.service.js';
import { SubstitutionsService } from '../src/approvals/substitutions.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { ToolCall } from '../src/gate/tool-call.entity.js';
import type { Principal } from '../src/principal/principal.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { type Browser, formsOf } from './kit/browser.js';
import { createInvitedMember, resetPasswordBy } from './kit/introductions.js';
import { type GraphqlRequest, graphqlOf } from './kit/organization.js';
import { type PasskeyOptions, registerPasskey } from './kit/passkeys.js';
import { SoftPasskey } from './kit/soft-passkey.js';

/* Rule 11 of governance: where the step says so, a decision is signed with a passkey. */

const patient = { timeout: 120_000, interval: 100 };
let at: ApprovalsFixture;
/** An approver with a passkey. */
let kim: Keyholder;
let lou: Keyholder;

beforeAll(async () => {
  at = await ApprovalsFixture.start(undefined, { HOST: 'localhost' });
  [kim, lou] = [await aKeyholder('Kim Keyholder'), await aKeyholder('Lou Keyholder')];
  await at.saveStep({ name: 'review', requiresPasskey: true });
  await at.publish('review');
});
afterAll(() => at.close());

interface Keyholder {
  member: Member;
  browser: Browser;
  key: SoftPasskey;
  graphql: GraphqlRequest;
}
async function withPasskey(member: Member): Promise<Keyholder> {
  const browser = await at.fixture.organization.browser(member);
  const key = new SoftPasskey(at.server.url);
  expect((await registerPasskey(browser, key)).status).toBe(303);
  return { member, browser, key, graphql: graphqlOf(browser, at.server.url) };
}
const anAdmin = (name: string) => at.fixture.organization.member({ name, roles: ['admin'] });
const aKeyholder = async (name: string) => withPasskey(await anAdmin(name));

/** A caller has at most 20 calls that wait. */
const open: Asked[] = [];
afterEach(async () => {
  const waiting = open.splice(0);
  for (const { id } of waiting) await at.letExpire(id);
  await at.fixture.getInternal(ApprovalExpiryScheduler).sweep();
});
async function request(): Promise<Asked> {
  const asked = await at.request();
  open.push(asked);
  return asked;
}
async function withSteps(steps: string[], run: () => Promise<unknown>): Promise<void> {
  await at.publish(...steps);
  try {
    await run();
  } finally {
    await at.publish('review');
  }
}

interface Asked {
  id: string;
  callId: string;
  title: string;
}
const requestMutation = `mutation ($input: RequestApprovalPasskeyInput!) { requestApprovalPasskey(input: $input) { options } }`;
const decideMutation = `mutation ($input: DecideApprovalInput!) { decideApproval(input: $input) { state approvedBy { id } } }`;
type Decision = 'approve' | 'deny';

async function hashesOf({ callId }: Asked) {
  const call = await at.inTenant((tx) => tx.findOneByOrFail(ToolCall, { tenantId: kim.member.tenantId, id: callId }));
  return { argumentsHash: call.argumentsHash!.toString('hex'), definitionHash: call.definitionHash! };
}
async function optionsFor(asked: Asked, by = kim, decision: Decision = 'approve'): Promise<PasskeyOptions> {
  const input = { id: asked.id, decision, ...(await hashesOf(asked)) };
  const { data, errors } = await by.graphql(requestMutation, { input });
  expect(errors).toBeUndefined();
  return JSON.parse(data.requestApprovalPasskey.options as string) as PasskeyOptions;
}
async function send(asked: Asked, response: object | undefined, by = kim, decision: Decision = 'approve') {
  const more = decision === 'deny' ? { reason: 'Not today.' } : await hashesOf(asked);
  const passkeyResponse = response && JSON.stringify(response);
  return by.graphql(decideMutation, { input: { id: asked.id, decision, passkeyResponse, ...more } });
}
async function decide(asked: Asked, by = kim, decision: Decision = 'approve') {
  return send(asked, by.key.get(await optionsFor(asked, by, decision)), by, decision);
}
const executions = ({ title }: Asked) => at.ticketCount(title);
const expectExecuted = (asked: Asked) => expect.poll(() => executions(asked), patient).toBe(1);
async function expectUndecided(asked: Asked) {
  expect(await at.load(asked.id)).toMatchObject({ state: 'pending', approvedBy: [], decidedBy: null });
  const { tenantId } = kim.member;
  const call = await at.inTenant((tx) => tx.findOneByOrFail(ToolCall, { tenantId, id: asked.callId }));
  expect(call).toMatchObject({ state: 'awaiting_approval', attempts: 0 });
  expect(await evidenceOf(asked)).toEqual([]);
  expect(await executions(asked)).toBe(0);
}
const evidenceQuery = `query ($id: ID!) { approvalAssertions(approvalId: $id) {
  memberId decision credentialId publicKey statement clientData authenticatorData signature isSynced } }`;
async function evidenceOf({ id }: Asked) {
  const admin = await at.fixture.organization.as();
  const { data } = await admin(evidenceQuery, { id });
  return data.approvalAssertions as Record<string, string>[];
}
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const bytes = (text: string) => Buffer.from(text, 'base64url');

describe('a step that requires a passkey', () => {
  it('is approved with an assertion, whose evidence an auditor verifies with standard tools', async () => {
    const asked = await request();
    const options = await optionsFor(asked);
    expect(options).toMatchObject({
      rpId: 'localhost',
      userVerification: 'required',
      allowCredentials: [{ id: kim.key.id }],
    });
    const { data } = await send(asked, kim.key.get(options));
    expect(data.decideApproval).toMatchObject({ state: 'approved', approvedBy: [{ id: kim.member.id }] });
    await expectExecuted(asked);

    const [evidence, ...more] = await evidenceOf(asked);
    expect(more).toEqual([]);
    expect(evidence).toMatchObject({ memberId: kim.member.id, decision: 'approve', credentialId: kim.key.id });
    expect(JSON.parse(evidence.statement)).toEqual({
      ...(await hashesOf(asked)),
      tenantId: kim.member.tenantId,
      memberId: kim.member.id,
      approvalId: asked.id,
      step: 'review',
      decision: 'approve',
    });
    const clientData = JSON.parse(bytes(evidence.clientData).toString()) as Record<string, string>;
    expect(clientData).toMatchObject({ type: 'webauthn.get', origin: at.server.url });
    expect(bytes(clientData.challenge).subarray(32)).toEqual(sha256(evidence.statement));
    const authenticatorData = bytes(evidence.authenticatorData);
    expect(authenticatorData.subarray(0, 32)).toEqual(sha256('localhost'));
    expect(authenticatorData[32] & 0x05).toBe(0x05); // present and verified
    const cose = bytes(evidence.publicKey); // P-256: x and y are the last two fields
    const [x, y] = [cose.subarray(-67, -35), cose.subarray(-32)].map((one) => one.toString('base64url'));
    const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    const signed = Buffer.concat([authenticatorData, sha256(bytes(evidence.clientData))]);
    expect(verify('sha256', signed, publicKey, bytes(evidence.signature))).toBe(true);

    const event = (await at.eventsOf(asked.id)).find(({ kind }) => kind === 'approval.approved')!;
    const hashed = ['authenticatorData', 'clientData', 'credentialId', 'publicKey', 'signature', 'statement'];
    const text = JSON.stringify(Object.fromEntries(hashed.map((name) => [name, evidence[name]])));
    expect(event.passkey).toMatchObject({
      credentialId: kim.key.id,
      isSynced: false,
      evidenceHash: sha256(text).toString('hex'),
    });
  });

  it('is denied with an assertion', async () => {
    const asked = await request();
    const { data } = await decide(asked, kim, 'deny');
    expect(data.decideApproval.state).toBe('denied');
    expect(await evidenceOf(asked)).toMatchObject([{ memberId: kim.member.id, decision: 'deny' }]);
    expect(await executions(asked)).toBe(0);
  });

  it('keeps the evidence of every vote of a quorum', async () => {
    await at.saveStep({ name: 'two', requiresPasskey: true, quorum: 2 });
    await withSteps(['two'], async () => {
      const asked = await request();
      expect((await decide(asked, kim)).data.decideApproval.state).toBe('pending');
      expect((await send(asked, undefined, lou)).code).toBe('approval-passkey-required');
      expect((await decide(asked, lou)).data.decideApproval.state).toBe('approved');
      expect((await evidenceOf(asked)).map(({ memberId }) => memberId)).toEqual([kim.member.id, lou.member.id]);
      await expectExecuted(asked);
    });
  });

  it('is not decided without an assertion, on any surface', async () => {
    const asked = await request();
    expect((await send(asked, undefined)).code).toBe('approval-passkey-required');
    expect((await send(asked, undefined, kim, 'deny')).code).toBe('approval-passkey-required');
    const session = await at.fixture.principalOf(kim.member);
    const approvals = at.fixture.get(ApprovalsService);
    await expect(approvals.decide(session, asked.id, 'approve')).rejects.toMatchObject({
      code: 'approval-passkey-required',
    });
    // a chat that is accepted otherwise
    const chat: Principal = { ...session, sessionId: undefined, surface: 'slack' };
    await expect(
      approvals.decide(chat, asked.id, 'approve', undefined, { authorizeChat: async () => undefined }),
    ).rejects.toMatchObject({ code: 'approval-passkey-required' });
    const page = await (await kim.browser.fetch(`/approvals/${asked.id}`)).text();
    const [{ action, hidden }] = formsOf(page);
    expect(hidden).toMatchObject({ decision: 'approve', credential: '' });
    const { credential: _, ...fields } = hidden;
    for (const form of [fields, { ...fields, credential: '' }])
      expect((await kim.browser.post(action, form)).status).toBe(403);
    await expectUndecided(asked);
  });

  it('is decided on the page with the options of the decision', async () => {
    const asked = await request();
    const page = await (await kim.browser.fetch(`/approvals/${asked.id}`)).text();
    const all = [...page.matchAll(/data-options="([^"]+)"/g)].map(
      ([, text]) => JSON.parse(text.replaceAll('&quot;', '"')) as PasskeyOptions,
    );
    expect(all).toHaveLength(2);
    const [{ action, hidden }] = formsOf(page);
    const post = (options: PasskeyOptions) =>
      kim.browser.post(action, { ...hidden, credential: JSON.stringify(kim.key.get(options)) });
    expect((await post(all[1])).status).toBe(403); // signed the denial
    await expectUndecided(asked);
    expect((await post(all[0])).status).toBe(303);
    await expectExecuted(asked);
  });

  it('is denied with a passkey on the page if no one can read the call, and not without one', async () => {
    const asked = await request();
    await at.asOwner(`update tool_calls set arguments_sealed = '\\x00' where id = $1`, [asked.callId]);
    const page = await (await kim.browser.fetch(`/approvals/${asked.id}`)).text();
    expect(page).toContain("The arguments can't be decrypted");
    expect(page.replaceAll(/\s+/g, ' ')).toContain('Passkeys need JavaScript. If no one decides, the call is denied');
    const [{ action, hidden }, ...others] = formsOf(page).filter(({ hidden: { decision } }) => decision);
    expect(others).toEqual([]);
    expect(hidden).toMatchObject({ decision: 'deny' });
    const denial = { ...hidden, reason: 'No one can read it.' };
    expect((await kim.browser.post(action, denial)).status).toBe(403);
    await expectUndecided(asked);
    const options = [...page.matchAll(/data-options="([^"]+)"/g)].map(
      ([, text]) => JSON.parse(text.replaceAll('&quot;', '"')) as PasskeyOptions,
    );
    expect(options).toHaveLength(1);
    const credential = JSON.stringify(kim.key.get(options[0]));
    expect((await kim.browser.post(action, { ...denial, credential })).status).toBe(303);
    expect(await at.load(asked.id)).toMatchObject({ state: 'denied', reason: 'No one can read it.' });
    expect(await executions(asked)).toBe(0);
  });
});

describe('an assertion decides nothing', () => {
  const expectRefused = async (asked: Asked, response: object, by = kim, decision: Decision = 'approve') => {
    expect((await send(asked, response, by, decision)).code).toBe('approval-passkey-refused');
    await expectUndecided(asked);
    const kinds = (await at.eventsOf(asked.id)).map(({ kind }) => kind);
    expect(kinds).toContain('approval.passkey_refused');
  };

  it('a second time', async () => {
    const [asked, other] = [await request(), await request()];
    const response = kim.key.get(await optionsFor(asked));
    expect((await send(asked, response)).data.decideApproval.state).toBe('approved');
    expect((await send(asked, response)).code).toMatch(/approval-passkey-refused/);
    await expectRefused(other, response);
    await expectExecuted(asked);
    expect(await evidenceOf(asked)).toHaveLength(1);
  });

  it('after it was refused once', async () => {
    const asked = await request();
    const options = await optionsFor(asked);
    await expectRefused(asked, kim.key.get(options, { isForged: true }));
    await expectRefused(asked, kim.key.get(options));
  });

  it('when two requests use it at the same time, more than once', async () => {
    const asked = await request();
    const response = kim.key.get(await optionsFor(asked));
    const codes = await Promise.all([send(asked, response), send(asked, response)]);
    expect(codes.filter(({ code }) => code === undefined)).toHaveLength(1);
    expect(await evidenceOf(asked)).toHaveLength(1);
    await expectExecuted(asked);
  });

  it('on another approval', async () => {
    const [asked, other] = [await request(), await request()];
    await expectRefused(other, kim.key.get(await optionsFor(asked)));
    await expectUndecided(asked);
  });

  it('of another kind', async () => {
    const asked = await request();
    await expectRefused(asked, kim.key.get(await optionsFor(asked, kim, 'deny')));
  });

  it('by another member, with their own passkey or with the one that signed', async () => {
    const asked = await request();
    await expectRefused(asked, kim.key.get(await optionsFor(asked)), lou);
    await expectRefused(asked, lou.key.get(await optionsFor(asked)), kim);
    await expectRefused(asked, lou.key.get(await optionsFor(asked)), lou);
  });

  it('in another session of the same member', async () => {
    const asked = await request();
    const browser = await at.fixture.organization.browser(kim.member);
    const elsewhere = { ...kim, browser, graphql: graphqlOf(browser, at.server.url) };
    await expectRefused(asked, kim.key.get(await optionsFor(asked)), elsewhere);
  });

  it('after the arguments or the definition of the call changed', async () => {
    const changed = async (change: string) => {
      const asked = await request();
      const approval = kim.key.get(await optionsFor(asked));
      const denial = kim.key.get(await optionsFor(asked, kim, 'deny'));
      await at.asOwner(`update tool_calls set ${change} where id = $1`, [asked.callId]);
      return { asked, approval, denial };
    };
    const redefined = await changed(`definition_hash = repeat('0', 64)`);
    await expectRefused(redefined.asked, redefined.approval);
    await expectRefused(redefined.asked, redefined.denial, kim, 'deny');
    // the sealed arguments are bound to their hash, so nobody can see these
    const other = await changed(`arguments_hash = sha256('other')`);
    expect((await send(other.asked, other.approval)).code).toBe('arguments-unreadable');
    await expectUndecided(other.asked);
    await expectRefused(other.asked, other.denial, kim, 'deny');
  });

  it('after five minutes', async () => {
    const asked = await request();
    const response = kim.key.get(await optionsFor(asked));
    const challenges = `update challenges set expires_at = expires_at - interval '5 minutes'
      where purpose = 'passkey-statement' and context ->> 'memberId' = $1`;
    await at.asOwner(challenges, [kim.member.id]);
    await expectRefused(asked, response);
  });

  it.each<[string, Parameters<SoftPasskey['get']>[1]]>([
    ['without user verification', { isVerified: false }],
    ['without user presence', { isPresent: false }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['for another server', { rpId: 'evil.example' }],
    ['of another ceremony', { type: 'webauthn.create' }],
    ['in a frame of another site', { crossOrigin: true }],
    ['with the user handle of another account', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['with a forged signature', { isForged: true }],
    ['over a challenge that was never issued', { challenge: Buffer.alloc(64).toString('base64url') }],
  ])('%s', async (_, change) => {
    const asked = await request();
    await expectRefused(asked, kim.key.get(await optionsFor(asked), change));
  });

  it('over a challenge of sign-in or of a confirmation', async () => {
    const asked = await request();
    for (const path of ['/sign-in/passkey', '/confirm']) {
      const page = await (await kim.browser.fetch(path)).text();
      const options = JSON.parse(/data-options="([^"]+)"/.exec(page)![1].replaceAll('&quot;', '"')) as PasskeyOptions;
      await expectRefused(asked, kim.key.get(options));
    }
  });

  it('if the counter went back, which is recorded as for sign-in', async () => {
    const asked = await request();
    const options = await optionsFor(asked);
    const { counter } = kim.key;
    kim.key.counter = 0;
    await expectRefused(asked, kim.key.get(options));
    kim.key.counter = counter;
    expect((await at.eventsOf(kim.member.id)).map(({ kind }) => kind)).toContain('passkey.counter_went_back');
  });

  it('if it is no assertion', async () => {
    const asked = await request();
    for (const response of [{}, { id: 'x' }, []]) await expectRefused(asked, response);
  });
});

describe('only passkeys count that', () => {
  const candidateQuery = `query ($id: ID!) { approval(id: $id) { viewerCanDecide candidates { id mayDecide reason nextStep } } }`;
  async function viewOf({ id }: Asked, by: Member, graphql?: GraphqlRequest) {
    const ask = graphql ?? (await at.fixture.organization.as(by));
    const { data } = await ask(candidateQuery, { id });
    const { viewerCanDecide, candidates } = data.approval as {
      viewerCanDecide: boolean;
      candidates: { id: string; mayDecide: boolean; reason: string | null; nextStep: string | null }[];
    };
    return { viewerCanDecide, own: candidates.find((one) => one.id === by.id)! };
  }

  it('exist: the page explains to a member without one how to add it', async () => {
    const nora = await anAdmin('Nora None');
    const asked = await request();
    expect(await viewOf(asked, nora)).toMatchObject({
      viewerCanDecide: false,
      own: {
        mayDecide: false,
        reason: 'You have no passkey, and this step requires one.',
        nextStep: expect.stringContaining('Add a passkey on your account page') as string,
      },
    });
    const input = { id: asked.id, decision: 'approve', ...(await hashesOf(asked)) };
    const graphql = await at.fixture.organization.as(nora);
    expect((await graphql(requestMutation, { input })).code).toBe('not-yours-to-decide');
    expect((await at.load(asked.id)).deciders).not.toContain(nora.id);
    expect(await at.recipientsOf('approval.requested', asked.id)).not.toContain(nora.id);
  });

  it('were registered before the call was requested', async () => {
    const nico = await anAdmin('Nico New');
    const before = await request();
    const { graphql, key } = await withPasskey(nico);
    expect(await viewOf(before, nico, graphql)).toMatchObject({
      viewerCanDecide: false,
      own: { reason: 'You added your passkey after the call was requested.' },
    });
    const late = await aSecondPasskey(kim);
    const options = await optionsFor(before);
    expect(options.allowCredentials).toEqual([expect.objectContaining({ id: kim.key.id })]);
    expect((await send(before, late.get(options))).code).toBe('approval-passkey-refused');
    await expectUndecided(before);
    const after = await request();
    expect((await decide(after, { ...kim, key: late })).data.decideApproval.state).toBe('approved');
    const third = await request();
    expect((await decide(third, { member: nico, browser: kim.browser, graphql, key })).data.decideApproval.state).toBe(
      'approved',
    );
  });

  it('no requester could have registered, even if somebody vouched for the member later', async () => {
    const { fixture } = at;
    const { admin } = fixture.organization; // responsible for the agent
    const invited = await createInvitedMember(fixture, admin, 'Ines Invited');
    const first = await withPasskey(invited);
    const reset = await aKeyholder('Remy Reset');
    await resetPasswordBy(fixture, admin, reset.member);
    const again = await fixture.organization.browser(reset.member);
    const foreign = new SoftPasskey(at.server.url);
    expect((await registerPasskey(again, foreign)).status).toBe(303);

    const before = await request();
    for (const member of [invited, reset.member])
      expect((await viewOf(before, member)).own.reason).toContain('You depend on Ada Admin');
    for (const { id } of [invited, reset.member])
      await fixture.get(VouchesService).vouch(await fixture.principalOf(kim.member), id);
    const asked = await request();
    expect(await viewOf(asked, invited)).toMatchObject({
      viewerCanDecide: false,
      own: {
        reason: 'Your passkey was added when Ada Admin, who is a requester, could have used your account.',
        nextStep: expect.stringContaining('Remove the passkey and add it again.') as string,
      },
    });
    // the passkey from before the reset counts, and the one that was registered after it does not
    const remy = { ...reset, browser: again, graphql: graphqlOf(again, at.server.url) };
    const options = await optionsFor(asked, remy);
    expect(options.allowCredentials).toEqual([expect.objectContaining({ id: reset.key.id })]);
    expect((await send(asked, foreign.get(options), remy)).code).toBe('approval-passkey-refused');
    await expectUndecided(asked);
    expect((await decide(asked, remy)).data.decideApproval.state).toBe('approved');

    const own = await aSecondPasskey(first);
    expect((await decide(await request(), { ...first, key: own })).data.decideApproval.state).toBe('approved');
  });

  it('belong to the member who decides: the escalation group and substitutes need their own', async () => {
    const { fixture } = at;
    const [{ id: first }, { id: second }] = [await createGroup('First line'), await createGroup('Second line')];
    const [ann, late, sub] = await Promise.all(
      [['Ann First', [first]] as const, ['Lars Later', [second]] as const, ['Sue Substitute', []] as const].map(
        ([name, groupIds]) => fixture.organization.member({ name, groupIds: [...groupIds] }),
      ),
    );
    await withPasskey(ann);
    const escalation = { escalatesAfterSeconds: 60, escalationGroupId: second };
    const substitutions = fixture.getInternal(SubstitutionsService);
    const hour = 3_600_000;
    const times = { startsAt: new Date(Date.now() - hour), endsAt: new Date(Date.now() + hour) };
    await substitutions.create(await fixture.principalOf(ann), { substituteId: sub.id, ...times });
    expect(
      (await at.saveStep({ name: 'lines', requiresPasskey: true, approverGroupId: first, ...escalation })).errors,
    ).toBeUndefined();
    await withSteps(['lines'], async () => {
      const before = await request();
      await at.letEscalate(before.id);
      expect(await at.load(before.id)).toMatchObject({ deciders: [ann.id], escalationDeciders: [] });
      for (const member of [late, sub]) {
        const session = await fixture.principalOf(member);
        const attempt = fixture.get(ApprovalsService).decide(session, before.id, 'approve');
        await expect(attempt).rejects.toMatchObject({
          code: expect.stringMatching(/not-yours-to-decide|approval-not-found/) as string,
        });
      }
      const [lateKey, subKey] = [await withPasskey(late), await withPasskey(sub)];
      const asked = await request();
      expect((await decide(asked, subKey)).data.decideApproval.state).toBe('approved');
      expect(await at.load(asked.id)).toMatchObject({ decidedBy: sub.id, decidedFor: ann.id });
      const escalated = await request();
      await at.letEscalate(escalated.id);
      expect((await decide(escalated, lateKey)).data.decideApproval.state).toBe('approved');
    });
  });

  it('are missing: the page shows the approval to a substitute, and how to add a passkey', async () => {
    const { fixture } = at;
    const { id: groupId } = await createGroup('Substituted');
    const ann = await fixture.organization.member({ name: 'Ann Away', groupIds: [groupId] });
    const sub = await fixture.organization.member({ name: 'Sid Substitute' });
    await withPasskey(ann);
    const hour = 3_600_000;
    const times = { startsAt: new Date(Date.now() - hour), endsAt: new Date(Date.now() + hour) };
    const principal = await fixture.principalOf(ann);
    await fixture.getInternal(SubstitutionsService).create(principal, { substituteId: sub.id, ...times });
    await at.saveStep({ name: 'substituted', requiresPasskey: true, approverGroupId: groupId });
    await withSteps(['substituted'], async () => {
      const without = {
        viewerCanDecide: false,
        own: {
          reason: 'You have no passkey, and this step requires one.',
          nextStep: expect.stringContaining('Add a passkey on your account page') as string,
        },
      };
      const asked = await request();
      expect(await viewOf(asked, sub)).toMatchObject(without);
      expect(await at.recipientsOf('approval.requested', asked.id)).toEqual([ann.id]);
      const signer = await withPasskey(sub);
      expect(await viewOf(asked, sub, signer.graphql)).toMatchObject({
        viewerCanDecide: false,
        own: { reason: 'You added your passkey after the call was requested.' },
      });
      const input = { id: asked.id, decision: 'approve', ...(await hashesOf(asked)) };
      expect((await signer.graphql(requestMutation, { input })).code).toBe('not-yours-to-decide');
      await expectUndecided(asked);
      const later = await request();
      expect((await viewOf(later, sub, signer.graphql)).viewerCanDecide).toBe(true);
      await removePasskeys(sub);
      expect(await viewOf(later, sub)).toMatchObject(without);
    });
  });

  it('are still registered when the decision is made and when the call runs', async () => {
    const rae = await aKeyholder('Rae Removed');
    const asked = await request();
    const response = rae.key.get(await optionsFor(asked, rae));
    await removePasskeys(rae.member);
    expect((await send(asked, response, rae)).code).toBe('not-yours-to-decide');
    await expectUndecided(asked);

    const sam = await aKeyholder('Sam Second');
    await aSecondPasskey(sam);
    await at.saveStep({ name: 'two', requiresPasskey: true, quorum: 2 });
    await withSteps(['two'], async () => {
      const voted = await request();
      expect((await decide(voted, sam)).data.decideApproval.state).toBe('pending');
      const { data } = await decide(voted, kim);
      expect(data.decideApproval.state).toBe('approved');
      await expectExecuted(voted);
      const lapsed = await request();
      await decide(lapsed, sam);
      await removePasskeys(sam.member, 1);
      await decide(lapsed, kim);
      await expect.poll(async () => (await callOf(lapsed)).state, patient).toBe('denied');
      expect(await executions(lapsed)).toBe(0);
    });
  });
});

const callOf = ({ callId }: Asked) =>
  at.inTenant((tx) => tx.findOneByOrFail(ToolCall, { tenantId: kim.member.tenantId, id: callId }));
async function aSecondPasskey({ member }: Keyholder): Promise<SoftPasskey> {
  const key = new SoftPasskey(at.server.url);
  expect((await registerPasskey(await at.fixture.organization.browser(member), key)).status).toBe(303);
  return key;
}
/** The oldest ones. */
async function removePasskeys(member: Member, count = Infinity): Promise<void> {
  const principal = await at.fixture.principalOf(member);
  const passkeys = at.fixture.getInternal(PasskeysService);
  const { tenantId, id: memberId } = member;
  // another sign-in method remains
  await at.asOwner(`update members set password_hash = 'x' where id = $1`, [memberId]);
  const own = await at.inTenant((tx) => passkeys.listOf(tx, { tenantId, memberId }));
  for (const { id } of own.slice(0, count)) await passkeys.remove(principal, id);
}

describe('a step that nobody can decide', () => {
  const stepsQuery = '{ approvalSteps { name requiresPasskey passkeyWarning } }';

  it('is reported when it is saved and denies the call at once', async () => {
    const { id: groupId } = await createGroup('Empty handed');
    const gil = await at.fixture.organization.member({ name: 'Gil Group', groupIds: [groupId] });
    const saved = await at.saveStep({ name: 'bare', requiresPasskey: true, approverGroupId: groupId });
    expect(saved.errors).toBeUndefined();
    const { data } = await (await at.fixture.organization.as())(stepsQuery);
    const steps = data.approvalSteps as { name: string; passkeyWarning: string | null }[];
    expect(steps.find(({ name }) => name === 'bare')!.passkeyWarning).toContain(
      'Approvers with a passkey: 0 of 1; needed: 1.',
    );
    expect(steps.find(({ name }) => name === 'review')!.passkeyWarning).toBeNull();
    await withSteps(['bare'], async () => {
      const outcome = await at.fixture.call('create_ticket', { title: 'Nobody can decide' });
      expect(outcome).toMatchObject({ state: 'denied', code: 'approval-unreachable' });
      expect((outcome as { reason: string }).reason).toContain('has no passkey that counts');

      const only = await withPasskey(gil);
      const asked = await request();
      await removePasskeys(gil);
      await expect.poll(async () => (await callOf(asked)).code, patient).toBe('approval-unreachable');
      expect((await send(asked, only.key.get({ challenge: 'AA' }), only)).code).toBe('approval-passkey-refused');
    });
  });

  it('cannot also be decided in Slack', async () => {
    const { code, errors } = await at.saveStep({ name: 'chat', requiresPasskey: true, decidableInSlack: true });
    expect([code, errors![0].extensions.errors]).toEqual([
      'invalid-request',
      [expect.objectContaining({ pointer: '/input/decidableInSlack' })],
    ]);
  });

  it('cannot also allow further calls in the same task', async () => {
    const { code, errors } = await at.saveStep({ name: 'further', requiresPasskey: true, taskGrantMaxUses: 3 });
    expect([code, errors![0].extensions.errors]).toEqual([
      'invalid-request',
      [expect.objectContaining({ pointer: '/input/taskGrantMaxUses' })],
    ]);
  });

  it('is not ended by an edit that the policies deny, and an edited call needs new signatures', async () => {
    const { fixture } = at;
    const mia = await aKeyholder('Mia Second');
    await at.saveStep({ name: 'edited', requiresPasskey: true, allowsEdit: true, quorum: 2 });
    const forbidden = 'context.arguments has priority && context.arguments.priority == "urgent"';
    await fixture.publish(
      `@approval("edited") permit (principal, action in Action::"write", resource);
       forbid (principal, action == Action::"workplace__create_ticket", resource) when { ${forbidden} };`,
    );
    try {
      const asked = await request();
      const edit = async (args: object) =>
        lou.graphql('mutation ($input: EditCallInput!) { editCall(input: $input) { approvalId } }', {
          input: { approvalId: asked.id, arguments: JSON.stringify(args), ...(await hashesOf(asked)) },
        });
      const signed = kim.key.get(await optionsFor(asked));
      expect((await send(asked, signed)).data.decideApproval.state).toBe('pending');
      const unused = mia.key.get(await optionsFor(asked, mia));
      expect((await edit({ title: asked.title, priority: 'urgent' })).code).toBe('call-not-editable');
      expect(await at.load(asked.id)).toMatchObject({ state: 'pending', approvedBy: [kim.member.id] });

      const title = `${asked.title}, edited`;
      const { approvalId } = (await edit({ title })).data.editCall;
      const edited = { ...asked, id: approvalId as string, title };
      expect(await at.load(edited.id)).toMatchObject({ state: 'pending', approvedBy: [], requiresPasskey: true });
      expect((await send(edited, unused, mia)).code).toBe('approval-passkey-refused');
      expect((await send(edited, signed)).code).toBe('approval-passkey-refused');
      const input = { id: edited.id, decision: 'approve', ...(await hashesOf(edited)) };
      expect((await lou.graphql(requestMutation, { input })).code).toBe('not-yours-to-decide');
      expect((await decide(edited)).data.decideApproval.state).toBe('pending');
      expect((await decide(edited, mia)).data.decideApproval.state).toBe('approved');
      await expectExecuted(edited);
      expect(await executions(asked)).toBe(0);
    } finally {
      await at.publish('review');
    }
  });

  it('cannot also be overridden with break-glass rights', async () => {
    const bea = await at.fixture.organization.member({ name: 'Bea Break' });
    await at.fixture.get(BreakGlassRightsService).grant(await at.fixture.principalOf(), bea.id);
    const asked = await request();
    const principal = await at.fixture.principalOf(bea);
    await expect(
      at.fixture.get(ApprovalOverridesService).override(principal, asked.id, 'Nobody answers.'),
    ).rejects.toMatchObject({ code: 'override-refused', message: expect.stringContaining('passkey') as string });
    await expectUndecided(asked);
    expect(await at.inTenant((tx) => tx.countBy(ApprovalOverride, { approvalId: asked.id }))).toBe(0);
  });

  it('is loosened only after a recent confirmation of identity, and then the waiting calls are void', async () => {
    await at.saveStep({ name: 'loose', requiresPasskey: true });
    await withSteps(['loose'], async () => {
      const asked = await request();
      const stale = await at.fixture.organization.as(undefined, { isFresh: false });
      const mutation = 'mutation ($input: SaveApprovalStepInput!) { saveApprovalStep(input: $input) { name } }';
      const input = { name: 'loose', tier: 'review', expiresAfterSeconds: 3600 };
      expect((await stale(mutation, { input })).code).toBe('reauthentication-required');
      await expectUndecided(asked);
      expect((await at.saveStep({ name: 'loose' })).errors).toBeUndefined();
      expect(await at.load(asked.id)).toMatchObject({ state: 'void' });
    });
  });
});

const createGroup = async (name: string) => {
  const admin = await at.fixture.organization.as();
  const mutation = 'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { id } }';
  return (await admin(mutation, { input: { name } })).data.createGroup as { id: string };
};

it('a confirmation by the acting person is signed with their passkey', async () => {
  const { fixture } = at;
  const { id: groupId } = await createGroup('Callers');
  const access = { configurationId: fixture.configurationId, groupIds: [groupId] };
  await fixture.get(ConfigurationsService).update(await fixture.principalOf(), access);
  const [pat, bea] = [
    await fixture.organization.member({ name: 'Pat Person', groupIds: [groupId] }),
    await fixture.organization.member({ name: 'Bea Bare', groupIds: [groupId] }),
  ];
  const signer = await withPasskey(pat);
  const call = async (title: string, by: Member) => {
    const session = await fixture.principalOf(by);
    const person: Principal = { ...session, sessionId: undefined, surface: 'mcp', scopes: ['api:write'] };
    return fixture.call('create_ticket', { title }, { as: person });
  };
  await at.saveStep({ name: 'own', tier: 'confirm', requiresPasskey: true });
  await withSteps(['own'], async () => {
    const title = 'Confirmed by the person';
    const outcome = await call(title, pat);
    if (outcome.state !== 'awaiting_approval') throw new Error(JSON.stringify(outcome));
    const asked = { id: outcome.approvalId, callId: outcome.callId, title };
    expect((await send(asked, undefined, signer)).code).toBe('approval-passkey-required');
    expect((await decide(asked, signer)).data.decideApproval.state).toBe('approved');
    await expectExecuted(asked);
    expect(await call('No passkey', bea)).toMatchObject({ code: 'approval-unreachable' });
  });
});

it('members who can see an approval, but not the audit log, do not see the evidence', async () => {
  const asked = await request();
  await decide(asked);
  const member = await at.fixture.get(MembersService).get(at.fixture.organization.system, kim.member.id);
  expect(member.roles).toContain('admin');
  const other = await at.fixture.organization.member({ name: 'Mo Member' });
  expect((await (await at.fixture.organization.as(other))(evidenceQuery, { id: asked.id })).code).toBe('forbidden');
});
