import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import {
  type ActionRefusal,
  type ApprovalAction,
  type ApprovalFacts,
  countingVotes,
  isClosed,
  nextToOpen,
  transition,
  type Voter,
} from '../src/approvals/approval-state.js';
import type { Approval } from '../src/approvals/approval.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { SubstitutionsService } from '../src/approvals/substitutions.service.js';
import { OwnCallsService } from '../src/gate/own-calls.service.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';

/*
 * Random sequences of everything that can happen to the approvals of a call, against the server and its database. After
 * each action, the stored steps have to be those of the state machine in `approval-state.ts`.
 */

const runs = Number(process.env.APPROVAL_MODEL_RUNS ?? 12);
const seed = process.env.FUZZ_SEED ? Number(process.env.FUZZ_SEED) : undefined;

const names = ['ann', 'ben', 'cem', 'dia', 'sam', 'out'] as const;
type Name = (typeof names)[number];
/** Sam substitutes Ann. Cem approves both steps. Out is in no group. */
const firstGroup: Name[] = ['ann', 'ben', 'cem'];
const secondGroup: Name[] = ['dia'];
const lastGroup: Name[] = ['cem', 'dia'];

type Event =
  | { kind: 'decide'; step: 0 | 1; by: Name; decision: 'approve' | 'deny' }
  | { kind: 'expire' | 'escalate'; step: 0 | 1 }
  | { kind: 'leave'; who: Name }
  | { kind: 'publish'; isChange: boolean }
  | { kind: 'withdraw' | 'endSubstitution' };

const step = fc.constantFrom(0 as const, 0 as const, 1 as const);
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      step,
      by: fc.constantFrom(...names),
      decision: fc.constantFrom('approve' as const, 'approve' as const, 'approve' as const, 'deny' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('escalate' as const), step }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const), step }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('leave' as const), who: fc.constantFrom('ann', 'ben', 'cem', 'dia') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('publish' as const), isChange: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constantFrom<Event>({ kind: 'withdraw' }, { kind: 'endSubstitution' }) },
);

let at: ApprovalsFixture;
const members = {} as Record<Name, Member>;
const groupMembers = new Map<string, Name[]>();

beforeAll(async () => {
  at = await ApprovalsFixture.start();
  const admin = await at.fixture.principalOf();
  for (const name of names) members[name] = await at.fixture.organization.member({ name });
  const groups = at.fixture.get(GroupsService);
  const group = async (name: string, of: Name[]) => {
    const { id } = await groups.create(admin, name);
    groupMembers.set(id, of);
    for (const one of of) await groups.addMember(admin, id, members[one].id);
    return id;
  };
  const [first, second, last] = [
    await group('First', firstGroup),
    await group('Second', secondGroup),
    await group('Last', lastGroup),
  ];
  const escalation = { escalatesAfterSeconds: 600, escalationGroupId: second };
  await at.saveStep({ name: 'first', approverGroupId: first, quorum: 2, position: 1, ...escalation });
  await at.saveStep({ name: 'last', approverGroupId: last, position: 2 });
  await at.publish('first', 'last');
});
afterAll(() => at.close());

/** What the test expects of the steps of one call. */
class Model {
  /** Members who left their groups. */
  readonly gone = new Set<Name>();
  isSubstituted = true;

  constructor(readonly steps: ApprovalFacts[]) {}

  get isOver(): boolean {
    return this.steps.every(({ state }) => isClosed(state));
  }

  voters(nth: number): Voter[] {
    const asked = nth === 1 ? lastGroup : this.steps[0].escalatedAt ? [...firstGroup, ...secondGroup] : firstGroup;
    const voters = this.present(asked).map((name) => ({ memberId: members[name].id, approverId: members[name].id }));
    const [ann] = this.present(asked.filter((name) => name === 'ann'));
    if (ann && this.isSubstituted) voters.push({ memberId: members.sam.id, approverId: members.ann.id });
    return voters;
  }

  apply(nth: number, action: ApprovalAction): ActionRefusal | null {
    const next = transition(this.steps[nth], action, new Date());
    if ('refusal' in next) return next.refusal;
    Object.assign(this.steps[nth], next.change);
    const { state } = this.steps[nth];
    if (state === 'approved') {
      const following = nextToOpen(this.steps);
      if (following) this.apply(this.steps.indexOf(following), { kind: 'open' });
    } else if (isClosed(state)) this.voidAll();
    return null;
  }

  voidAll(): void {
    for (const [nth, { state }] of this.steps.entries())
      if (!isClosed(state) || state === 'approved') this.apply(nth, { kind: 'void', reason: '' });
  }

  /** Also ends the call if a vote on its approved step no longer counts. */
  voidUnreachable(): void {
    const [first, last] = this.steps;
    const hasLapsed = countingVotes(first, this.voters(0)).length < first.approvedBy.length;
    if (first.state === 'approved' && last.state === 'pending' && hasLapsed) this.voidAll();
    const reachable = [this.present([...firstGroup, ...secondGroup]), this.present(lastGroup)];
    for (const [nth, { state, quorum }] of this.steps.entries())
      if (!isClosed(state) && reachable[nth].length < quorum) this.apply(nth, { kind: 'void', reason: '' });
  }

  private present(among: readonly Name[]): Name[] {
    return among.filter((name) => !this.gone.has(name));
  }
}

const codes: Record<ActionRefusal, string[]> = {
  waiting: ['approval-waiting'],
  closed: ['approval-decided'],
  expired: ['approval-decided'],
  'already-approved': ['approval-decided'],
  'vote-used': ['not-yours-to-decide'],
  'not-a-decider': ['not-yours-to-decide', 'approval-not-found'],
  'not-due': [],
};

/** Applies the event to the server and to the model. */
async function apply(event: Event, model: Model, call: { callId: string; ids: string[] }): Promise<void> {
  const { fixture } = at;
  switch (event.kind) {
    case 'decide': {
      const { id: memberId } = members[event.by];
      const voters = model.voters(event.step);
      const refusal = model.apply(
        event.step,
        event.decision === 'approve'
          ? { kind: 'vote', memberId, voters }
          : { kind: 'deny', memberId, voters, reason: 'Not now.' },
      );
      const answer = await at.decide(call.ids[event.step], members[event.by], event.decision).then(
        () => null,
        (error: { code: string }) => error.code,
      );
      // whoever is not involved in a step does not see it, whatever its state is
      const possible = refusal && [...codes[refusal], ...(isInvolved(voters, memberId) ? [] : ['approval-not-found'])];
      return possible ? expect(possible).toContain(answer) : expect(answer).toBeNull();
    }
    case 'escalate':
    case 'expire': {
      const nth = event.step;
      const column = event.kind === 'escalate' ? 'escalatesAt' : 'expiresAt';
      const { state, escalatesAt } = model.steps[nth];
      if (state !== 'pending' || (event.kind === 'escalate' && escalatesAt === null)) return;
      model.steps[nth][column] = new Date(Date.now() - 1000);
      model.apply(nth, { kind: event.kind });
      await (event.kind === 'escalate' ? at.letEscalate(call.ids[nth]) : at.letExpireNow(call.ids[nth]));
      return;
    }
    case 'leave':
      model.gone.add(event.who);
      await changeGroups(event.who, 'removeMember');
      await fixture.get(ApprovalsService).voidUnreachable(fixture.organization.tenant.id);
      return model.voidUnreachable();
    case 'publish':
      await at.publish(...(event.isChange ? ['first'] : ['first', 'last']));
      if (event.isChange) {
        model.voidAll();
        await at.publish('first', 'last');
      }
      return;
    case 'withdraw':
      await fixture.getInternal(OwnCallsService).withdraw(fixture.agent, call.callId);
      return model.voidAll();
    case 'endSubstitution':
      model.isSubstituted = false;
      await endSubstitutions();
      await fixture.get(ApprovalsService).voidUnreachable(fixture.organization.tenant.id);
      return model.voidUnreachable();
  }
}

const isInvolved = (voters: readonly Voter[], memberId: string) => voters.some((voter) => voter.memberId === memberId);

async function changeGroups(name: Name, change: 'addMember' | 'removeMember'): Promise<void> {
  const admin = await at.fixture.principalOf();
  for (const [id, of] of groupMembers)
    if (of.includes(name)) await at.fixture.get(GroupsService)[change](admin, id, members[name].id);
}

async function endSubstitutions(): Promise<void> {
  const ann = await at.fixture.principalOf(members.ann);
  const service = at.fixture.getInternal(SubstitutionsService);
  for (const { id } of await service.list(ann)) await service.end(ann, id);
}

/** The part of a step that has to be equal. Reasons of void approvals depend on what is checked first. */
const shown = ({ state, approvedBy, approvedFor, decidedBy, decidedFor, openedAt, escalatedAt }: ApprovalFacts) => ({
  ...{ state, approvedBy, approvedFor, decidedBy, decidedFor },
  isOpened: openedAt !== null,
  isEscalated: escalatedAt !== null,
});

async function runSequence(events: readonly Event[]): Promise<void> {
  const substitution = { substituteId: members.sam.id, startsAt: new Date(), endsAt: new Date(Date.now() + 3_600_000) };
  await at.fixture.getInternal(SubstitutionsService).create(await at.fixture.principalOf(members.ann), substitution);
  const { callId, title } = await at.request();
  const stored = await at.stepsOf(callId);
  const model = new Model(stored.map((approval) => ({ ...approval })));
  try {
    for (const event of events) {
      await apply(event, model, { callId, ids: stored.map(({ id }) => id) });
      expect((await at.stepsOf(callId)).map(shown), JSON.stringify(event)).toEqual(model.steps.map(shown));
      // an approved call runs at once: what happens afterwards is not a matter of its approvals
      if (isApproved(model.steps)) break;
    }
    if (isApproved(model.steps)) await expect.poll(() => at.ticketCount(title)).toBe(1);
    else expect(await at.ticketCount(title)).toBe(0);
  } finally {
    if (!model.isOver) await at.fixture.getInternal(OwnCallsService).withdraw(at.fixture.agent, callId);
    for (const name of model.gone) await changeGroups(name, 'addMember');
    await endSubstitutions();
  }
}

const isApproved = (steps: readonly Pick<Approval, 'state'>[]) => steps.every(({ state }) => state === 'approved');

it('the approvals of a call are in the database as the state machine says, after every event', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyEvent, { minLength: 3, maxLength: 9 }), runSequence), {
    numRuns: runs,
    seed,
    endOnFailure: true,
  });
});

it('runs a call that a substitute, an approver and the second step have approved', () =>
  runSequence([
    { kind: 'decide', step: 0, by: 'sam', decision: 'approve' },
    { kind: 'decide', step: 0, by: 'ann', decision: 'approve' },
    { kind: 'escalate', step: 0 },
    { kind: 'decide', step: 1, by: 'dia', decision: 'approve' },
    { kind: 'publish', isChange: false },
    { kind: 'decide', step: 0, by: 'dia', decision: 'approve' },
    { kind: 'decide', step: 1, by: 'dia', decision: 'approve' },
  ]));
