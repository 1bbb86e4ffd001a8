import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ApprovalAction,
  type ApprovalFacts,
  isClosed,
  membersWhoCanApprove,
  nextToOpen,
  secondsAfter,
  transition,
  type Voter,
} from './approval-state.js';

const start = new Date('2026-01-01T00:00:00Z');
const people = ['ann', 'ben', 'cem', 'dia'];
const anyVoters: fc.Arbitrary<Voter[]> = fc.uniqueArray(
  fc.record({ memberId: fc.constantFrom(...people), approverId: fc.constantFrom(...people) }),
  { selector: ({ memberId, approverId }) => `${memberId} for ${approverId}`, maxLength: 8 },
);
const anyAction: fc.Arbitrary<ApprovalAction> = fc.oneof(
  fc.record({ kind: fc.constant('vote' as const), memberId: fc.constantFrom(...people), voters: anyVoters }),
  fc.record({
    kind: fc.constant('deny' as const),
    memberId: fc.constantFrom(...people),
    voters: anyVoters,
    reason: fc.constant('No.'),
  }),
  fc.record({ kind: fc.constant('override' as const), memberId: fc.constantFrom(...people) }),
  fc.constantFrom<ApprovalAction>(
    { kind: 'open' },
    { kind: 'expire' },
    { kind: 'escalate' },
    { kind: 'void', reason: 'The policy changed.' },
  ),
);
const anyApproval: fc.Arbitrary<ApprovalFacts> = fc
  .record({
    state: fc.constantFrom('waiting' as const, 'pending' as const),
    quorum: fc.integer({ min: 1, max: 3 }),
    escalatesAfterSeconds: fc.option(fc.constant(60)),
  })
  .map(({ state, quorum, escalatesAfterSeconds }) => {
    const isWaiting = state === 'waiting';
    const escalatesAt = isWaiting || escalatesAfterSeconds === null ? null : secondsAfter(start, escalatesAfterSeconds);
    return {
      ...{ state, quorum, escalatesAfterSeconds, escalatesAt, escalatedAt: null, approvedBy: [], approvedFor: [] },
      ...{ expiresAfterSeconds: 600, openedAt: isWaiting ? null : start, expiresAt: secondsAfter(start, 600) },
      ...{ decidedAt: null, decidedBy: null, decidedFor: null, overriddenBy: null, reason: null },
    };
  });
const anySteps = fc.array(fc.tuple(anyAction, fc.integer({ min: 0, max: 200 })), { maxLength: 12 });

interface Moment {
  before: ApprovalFacts;
  after: ApprovalFacts;
  action: ApprovalAction;
  isRefused: boolean;
}

function run(approval: ApprovalFacts, steps: [ApprovalAction, number][]): Moment[] {
  let now = start;
  let before = approval;
  return steps.map(([action, seconds]) => {
    now = secondsAfter(now, seconds);
    const next = transition(before, action, now);
    const isRefused = 'refusal' in next;
    const after = isRefused ? before : { ...before, ...next.change };
    const moment = { before, after, action, isRefused };
    before = after;
    return moment;
  });
}

const always = (check: (moment: Moment) => void) =>
  fc.assert(fc.property(anyApproval, anySteps, (approval, steps) => run(approval, steps).forEach(check)));

describe('an approval', () => {
  it('leaves a closed state only from approved to void', () => {
    always(({ before, after }) => {
      if (isClosed(before.state) && after.state !== before.state)
        expect([before.state, after.state]).toEqual(['approved', 'void']);
    });
  });

  it('is approved by as many members as the quorum says, each with the vote of another approver', () => {
    always(({ after, action, before }) => {
      if (after.state !== 'approved' || before.state === 'approved' || action.kind === 'override') return;
      expect(after.approvedBy.length).toBe(after.quorum);
      expect(new Set(after.approvedBy).size).toBe(after.quorum);
      expect(new Set(after.approvedFor).size).toBe(after.quorum);
      if (action.kind !== 'vote') throw new Error(`approved by ${action.kind}`);
      for (const [nth, memberId] of after.approvedBy.entries())
        expect(action.voters).toContainEqual({ memberId, approverId: after.approvedFor[nth] });
    });
  });

  it('is overridden only while it is pending and not expired', () => {
    always(({ before, after, action, isRefused }) => {
      expect(after.overriddenBy !== null && before.overriddenBy === null).toBe(
        action.kind === 'override' && !isRefused,
      );
      if (action.kind !== 'override' || isRefused) return;
      expect(before.state).toBe('pending');
      expect(after).toMatchObject({ state: 'approved', decidedBy: action.memberId, approvedBy: before.approvedBy });
      expect(after.decidedAt!.getTime()).toBeLessThan(before.expiresAt.getTime());
    });
  });

  it('lets no one decide before it opens, after it expired, or without a vote', () => {
    always(({ before, action, isRefused }) => {
      if (isRefused || (action.kind !== 'vote' && action.kind !== 'deny')) return;
      expect(before.state).toBe('pending');
      expect(action.voters.map(({ memberId }) => memberId)).toContain(action.memberId);
      if (action.kind === 'vote') expect(membersWhoCanApprove(before, action.voters)).toContain(action.memberId);
    });
  });

  it('accepts the votes of exactly the members who can approve', () => {
    always(({ before, action, isRefused }) => {
      if (action.kind !== 'vote' || before.state !== 'pending' || isRefused) return;
      expect(membersWhoCanApprove(before, action.voters)).toContain(action.memberId);
    });
  });

  it('expires and escalates only when it is due, and escalates once', () => {
    always(({ before, after, action, isRefused }) => {
      if (isRefused) return;
      if (action.kind === 'expire')
        expect(after.decidedAt!.getTime()).toBeGreaterThanOrEqual(before.expiresAt.getTime());
      if (action.kind !== 'escalate') return;
      expect(before.escalatedAt).toBeNull();
      expect(after.escalatedAt!.getTime()).toBeGreaterThanOrEqual(before.escalatesAt!.getTime());
    });
  });

  it('has the columns that its state requires', () => {
    always(({ after: { state, decidedAt, decidedBy, decidedFor, openedAt, approvedBy, approvedFor } }) => {
      expect(decidedAt !== null).toBe(isClosed(state));
      if (state === 'approved' || state === 'denied') expect(decidedBy).not.toBeNull();
      if (decidedFor) expect(decidedFor).not.toBe(decidedBy);
      if (state !== 'waiting' && state !== 'void') expect(openedAt).not.toBeNull();
      expect(approvedFor.length).toBe(approvedBy.length);
    });
  });
});

describe('the steps of a call', () => {
  it('open one after the other, each after all before it are approved', () => {
    const anyState = fc.constantFrom('waiting', 'pending', 'approved', 'denied', 'expired', 'void');
    fc.assert(
      fc.property(fc.array(fc.tuple(anyState, anyApproval), { maxLength: 5 }), (drafts) => {
        const steps = drafts.map(([state, approval]) => ({ ...approval, state }) as ApprovalFacts);
        const next = nextToOpen(steps);
        if (!next) return;
        expect(next.state).toBe('waiting');
        expect(steps.slice(0, steps.indexOf(next)).every(({ state }) => state === 'approved')).toBe(true);
      }),
    );
  });
});
