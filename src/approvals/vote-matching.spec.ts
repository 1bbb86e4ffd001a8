import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApprovalFacts, transition } from './approval-state.js';
import { maxVotes, type Voter } from './vote-matching.js';

const now = new Date('2026-01-01T00:00:00Z');
const approvers = ['ann', 'ben', 'cem', 'dia'];
const substitutes = [...approvers, 'sam', 'tim', 'uma'];
/** Some of the approvers can decide themselves, and some have substitutes. */
const anyVoters: fc.Arbitrary<Voter[]> = fc
  .record({
    own: fc.subarray(approvers),
    others: fc.uniqueArray(
      fc.record({ memberId: fc.constantFrom(...substitutes), approverId: fc.constantFrom(...approvers) }),
      { selector: ({ memberId, approverId }) => `${memberId} for ${approverId}`, maxLength: 8 },
    ),
  })
  .map(({ own, others }) => [
    ...own.map((id) => ({ memberId: id, approverId: id })),
    ...others.filter(({ memberId, approverId }) => memberId !== approverId),
  ]);

/** How many votes are given if these members vote in this order. */
function votesOfAll(memberIds: readonly string[], voters: readonly Voter[]): number {
  let approval: ApprovalFacts = {
    ...{ state: 'pending', quorum: 100, approvedBy: [], approvedFor: [], expiresAfterSeconds: 600, openedAt: now },
    ...{ expiresAt: new Date(now.getTime() + 600_000), escalatesAfterSeconds: null, escalatesAt: null },
    ...{ escalatedAt: null, decidedAt: null, decidedBy: null, decidedFor: null, overriddenBy: null, reason: null },
  };
  for (const memberId of memberIds) {
    const next = transition(approval, { kind: 'vote', memberId, voters }, now);
    if (!('refusal' in next)) approval = { ...approval, ...next.change };
  }
  return approval.approvedBy.length;
}

/** By trying every assignment. */
function maxVotesByTrying([memberId, ...rest]: readonly string[], voters: readonly Voter[]): number {
  if (memberId === undefined) return 0;
  const given = voters
    .filter((one) => one.memberId === memberId)
    .map(
      ({ approverId }) =>
        1 +
        maxVotesByTrying(
          rest,
          voters.filter((one) => one.approverId !== approverId),
        ),
    );
  return Math.max(maxVotesByTrying(rest, voters), ...given);
}

describe('the votes of substitutes', () => {
  it('reach the greatest possible number, in whatever order the members vote', () => {
    fc.assert(
      fc.property(anyVoters, fc.shuffledSubarray(substitutes, { minLength: substitutes.length }), (voters, order) => {
        expect(votesOfAll(order, voters)).toBe(maxVotesByTrying(substitutes, voters));
        expect(maxVotes(voters)).toBe(maxVotesByTrying(substitutes, voters));
      }),
    );
  });

  it('reach it without the members who have a substitute', () => {
    fc.assert(
      fc.property(anyVoters, fc.shuffledSubarray(substitutes, { minLength: substitutes.length }), (voters, order) => {
        const away = voters.flatMap((one) => (one.memberId === one.approverId ? [] : [one.approverId]));
        const present = order.filter((id) => !away.includes(id));
        expect(votesOfAll(present, voters)).toBe(maxVotesByTrying(present, voters));
      }),
    );
  });

  it('leave a vote to a substitute of fewer approvers', () => {
    const voters = [
      ...['ann', 'ben'].map((id) => ({ memberId: id, approverId: id })),
      ...['ann', 'ben'].map((approverId) => ({ memberId: 'sam', approverId })),
      { memberId: 'tim', approverId: 'ann' },
    ];
    expect(votesOfAll(['sam', 'tim'], voters)).toBe(2);
  });
});
