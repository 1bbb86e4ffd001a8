import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { MembersService } from '../src/access/members.service.js';
import type { Problem } from '../src/platform/errors/problem.js';
import { SubstitutionsService } from '../src/approvals/substitutions.service.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';

let at: ApprovalsFixture;
let lea: Member;
let finn: Member;
let legalId: string;
let financeId: string;

beforeAll(async () => {
  at = await ApprovalsFixture.start();
  const { fixture } = at;
  const groups = fixture.get(GroupsService);
  const admin = await fixture.principalOf();
  [legalId, financeId] = [(await groups.create(admin, 'Legal')).id, (await groups.create(admin, 'Finance')).id];
  lea = await fixture.organization.member({ name: 'Lea Legal', groupIds: [legalId] });
  finn = await fixture.organization.member({ name: 'Finn Finance', groupIds: [financeId] });
  await at.saveStep({ name: 'legal', approverGroupId: legalId, position: 1 });
  await at.saveStep({ name: 'finance', approverGroupId: financeId, position: 2 });
  await at.publish('legal', 'finance');
});
afterAll(() => at.close());

const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
const substitutions = () => at.fixture.getInternal(SubstitutionsService);
async function name(by: Member, substitute: Member): Promise<string> {
  const input = { substituteId: substitute.id, startsAt: hours(-1), endsAt: hours(8) };
  return (await substitutions().create(await at.fixture.principalOf(by), input)).id;
}
/** Ends the substitution afterwards. */
async function withSubstitute(by: Member, substitute: Member, run: () => Promise<unknown>): Promise<void> {
  const id = await name(by, substitute);
  try {
    await run();
  } finally {
    await substitutions().end(await at.fixture.principalOf(by), id);
  }
}
async function removeAndInviteAgain(member: Member, groupIds: string[] = []): Promise<void> {
  const { fixture } = at;
  await fixture.get(MemberStatusService).remove(await fixture.principalOf(fixture.reviewer), member.id);
  const { email, name } = member;
  const again = await fixture.get(MembersService).create(fixture.organization.system, { email, name, groupIds });
  expect(again.id).toBe(member.id);
}
const hasEnded = async (substitutionId: string) =>
  (await at.eventsOf(substitutionId)).some(({ kind }) => kind === 'substitution.ended');

describe('a member who was removed and invited again', () => {
  it('is no longer a substitute', async () => {
    const sam = await at.fixture.organization.member({ name: 'Sam Substitute' });
    const substitution = await name(lea, sam);
    const before = await at.request();
    await removeAndInviteAgain(sam);
    expect(await hasEnded(substitution)).toBe(true);
    // also if the removal was before substitutions ended with it
    await at.asOwner('update substitutions set ended_at = null where id = $1', [substitution]);
    const after = await at.request();
    for (const { id } of [before, after])
      await expect(at.decide(id, sam)).rejects.toMatchObject({ code: 'approval-not-found' });
    await substitutions().end(await at.fixture.principalOf(lea), substitution);
  });

  it('has no substitutes from before', async () => {
    const ada = await at.fixture.organization.member({ name: 'Ada Again', groupIds: [legalId] });
    const sam = await at.fixture.organization.member({ name: 'Sam Second' });
    const substitution = await name(ada, sam);
    await removeAndInviteAgain(ada, [legalId]);
    expect(await hasEnded(substitution)).toBe(true);
    const { id } = await at.request();
    expect((await at.load(id)).deciders).toContain(ada.id);
    await expect(at.decide(id, sam)).rejects.toMatchObject({ code: 'approval-not-found' });
    await at.suspend(ada);
  });
});

describe('one member', () => {
  it('cannot approve a step and then a later one as a substitute', () =>
    withSubstitute(finn, lea, async () => {
      const { callId, title } = await at.request();
      const [first, second] = await at.stepsOf(callId);
      await at.decide(first.id, lea);
      expect(await at.decidableBy(lea)).not.toContain(second.id);
      await expect(at.decide(second.id, lea)).rejects.toMatchObject({
        code: 'not-yours-to-decide',
        message: expect.stringContaining('You approved another step of this call.'),
      });
      expect(await at.ticketCount(title)).toBe(0);
      expect(await at.decide(second.id, finn)).toMatchObject({ state: 'approved' });
    }));

  it('cannot approve a step as a substitute and then a later one for themselves', () =>
    withSubstitute(lea, finn, async () => {
      const { callId } = await at.request();
      const [first, second] = await at.stepsOf(callId);
      await at.decide(first.id, finn);
      await expect(at.decide(second.id, finn)).rejects.toMatchObject({
        message: expect.stringMatching(/You approved another step of this call|already void/),
      });
      // no one else can decide on the second step
      await expect.poll(async () => (await at.load(second.id)).state).toBe('void');
    }));
});

describe('a substitute whose substitution begins while an approval is open', () => {
  it('is notified then', async () => {
    const sam = await at.fixture.organization.member({ name: 'Sam Later' });
    const input = { substituteId: sam.id, startsAt: hours(0.5), endsAt: hours(8) };
    const substitution = await substitutions().create(await at.fixture.principalOf(lea), input);
    const { id } = await at.request();
    expect(await at.recipientsOf('approval.requested', id)).toEqual([lea.id]);
    await at.asOwner(`update substitutions set starts_at = now() where id = $1`, [substitution.id]);
    await at.asOwner(
      `update graphile_worker._private_jobs set run_at = now() where payload ->> 'substitutionId' = $1`,
      [substitution.id],
    );
    await expect.poll(() => at.publishedCount('approval.substitution-started', id)).toBe(1);
    const more = { substitutionId: substitution.id };
    expect(await at.recipientsOf('approval.substitution-started', id, more)).toEqual([sam.id]);
    await substitutions().end(await at.fixture.principalOf(lea), substitution.id);
    expect(await at.recipientsOf('approval.substitution-started', id, more)).toEqual([]);
  });
});

describe('an approved step', () => {
  it('is voided with its call when its approver can no longer decide', async () => {
    const { callId } = await at.request();
    const [first, second] = await at.stepsOf(callId);
    await at.decide(first.id, lea);
    await at.suspend(lea);
    await expect.poll(async () => (await at.load(second.id)).state).toBe('void');
    expect(await at.load(first.id)).toMatchObject({
      state: 'void',
      reason: 'A member who approved this call can no longer decide on it.',
    });
    await at.reactivate(lea);
  });

  it('is checked before a vote on a later step counts', async () => {
    const { callId, title } = await at.request();
    const [first, second] = await at.stepsOf(callId);
    await at.decide(first.id, lea);
    // a change that nothing published
    await at.asOwner(`update members set status = 'suspended' where id = $1`, [lea.id]);
    // or a check that was queued before has voided it
    const after = await at.decide(second.id, finn).catch((error: Problem) => {
      expect(error.code).toBe('approval-decided');
      return at.load(second.id);
    });
    expect(after.state).toBe('void');
    await at.asOwner(`update members set status = 'active' where id = $1`, [lea.id]);
    expect(await at.ticketCount(title)).toBe(0);
  });
});

describe('a step that never opened', () => {
  it('publishes no decision', async () => {
    const { callId } = await at.request();
    const [first, second] = await at.stepsOf(callId);
    await at.decide(first.id, lea, 'deny');
    expect(await at.load(second.id)).toMatchObject({ state: 'void', openedAt: null });
    expect(await at.publishedCount('approval.decided', first.id)).toBe(1);
    expect(await at.publishedCount('approval.decided', second.id)).toBe(0);
  });
});

describe('an explanation of a call', () => {
  it('counts and lists the members of the escalation group', async () => {
    const step = { name: 'escalated', approverGroupId: legalId, quorum: 2 };
    await at.saveStep({ ...step, escalatesAfterSeconds: 600, escalationGroupId: financeId });
    await at.publish('escalated');
    const { data } = await (
      await at.fixture.organization.as()
    )(
      `query ($configurationId: ID!, $callerId: ID!) {
         explainCall(configurationId: $configurationId, callerKind: agent, callerId: $callerId,
           tool: "workplace__create_ticket", arguments: "{\\"title\\":\\"Belt\\"}") {
           approvalSteps { isReachable candidates { name mayDecide } } } }`,
      { configurationId: at.fixture.configurationId, callerId: at.fixture.agentId },
    );
    const [explained] = data.explainCall.approvalSteps;
    expect(explained.candidates).toContainEqual({ name: 'Finn Finance', mayDecide: true });
    expect(explained.isReachable).toBe(true);
    expect((await at.request()).id).toEqual(expect.any(String));
    await at.publish('legal', 'finance');
  });
});

describe('a group', () => {
  it.each([
    ['approvers', (groupId: string) => ({ approverGroupId: groupId })],
    ['escalation group', (groupId: string) => ({ escalatesAfterSeconds: 600, escalationGroupId: groupId })],
  ])('cannot be removed while a step uses it as its %s', async (role, use) => {
    const admin = await at.fixture.principalOf();
    const groups = at.fixture.get(GroupsService);
    const { id } = await groups.create(admin, `Used as ${role}`);
    await at.saveStep({ name: 'uses-group', ...use(id) });
    await expect(groups.remove(admin, id)).rejects.toMatchObject({ code: 'conflict' });
    await at.saveStep({ name: 'uses-group' });
    await groups.remove(admin, id);
  });
});

describe('members who can be named as a substitute', () => {
  const search = async (by: Member, text: string) =>
    (await at.fixture.organization.as(by))(
      'query ($search: String!) { possibleSubstitutes(search: $search) { name } }',
      { search: text },
    );

  it('are shown to approvers by at least three characters of the name, at most ten', async () => {
    for (let count = 0; count < 11; count++) await at.fixture.organization.member({ name: `Nora Number ${count}` });
    expect((await search(lea, 'no')).data.possibleSubstitutes).toEqual([]);
    expect((await search(lea, '')).data.possibleSubstitutes).toEqual([]);
    expect((await search(lea, 'nora')).data.possibleSubstitutes).toHaveLength(10);
  });

  it('are all shown to administrators', async () => {
    expect((await search(at.fixture.organization.admin, '')).data.possibleSubstitutes.length).toBeGreaterThan(10);
  });

  it('are not shown to others', async () => {
    const other = await at.fixture.organization.member({ name: 'Otto Other' });
    expect(await search(other, 'nora')).toMatchObject({ code: 'forbidden' });
  });
});
