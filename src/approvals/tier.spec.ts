import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { type EligibilityFacts, eligibleDeciders, isSelfApproved, remainingDeciders } from './tier.js';

const people = ['ann', 'ben', 'cem', 'dia'];
const some = fc.subarray(people);
const anyCandidates: fc.Arbitrary<EligibilityFacts> = fc
  .record({
    tier: fc.constantFrom('confirm' as const, 'review' as const),
    byAgent: fc.boolean(),
    responsibleId: fc.option(fc.constantFrom(...people)),
    requesters: some,
    independent: some,
    approvers: some,
    hasSingleMember: fc.boolean(),
  })
  .map(({ independent, ...given }) => ({
    ...given,
    requesters: [...new Set([...given.requesters, ...(given.responsibleId ? [given.responsibleId] : [])])],
    isIndependent: (id: string) => independent.includes(id),
  }));
const requestersAmong = (given: EligibilityFacts) =>
  eligibleDeciders(given).filter((id) => given.requesters.includes(id));

describe('the eligibility of deciders', () => {
  it('never lets a requester review', () => {
    fc.assert(
      fc.property(anyCandidates, (given) => void expect(requestersAmong({ ...given, tier: 'review' })).toEqual([])),
    );
  });

  it('never lets a member review if a requester could use their account', () => {
    fc.assert(
      fc.property(anyCandidates, (given) => {
        const deciders = eligibleDeciders({ ...given, tier: 'review' });
        expect(deciders.filter((id) => !given.isIndependent(id))).toEqual([]);
      }),
    );
  });

  it('never lets a requester decide for an agent if the tenant has other members', () => {
    fc.assert(
      fc.property(
        anyCandidates,
        (given) => void expect(requestersAmong({ ...given, byAgent: true, hasSingleMember: false })).toEqual([]),
      ),
    );
  });

  it('lets a dependent member confirm for an agent only if no one is independent, and marks it self-approved', () => {
    fc.assert(
      fc.property(anyCandidates, (given) => {
        const forAgent = { ...given, tier: 'confirm' as const, byAgent: true, hasSingleMember: false };
        const deciders = eligibleDeciders(forAgent);
        const isDependent = (id: string) => !given.isIndependent(id);
        expect(deciders.every(isDependent) || !deciders.some(isDependent)).toBe(true);
        expect(deciders.length > 0).toBe(given.approvers.some((id) => !forAgent.requesters.includes(id)));
        if (deciders.length) expect(isSelfApproved(deciders, forAgent)).toBe(deciders.some(isDependent));
      }),
    );
  });

  it('includes only approvers and the member responsible for the call', () => {
    fc.assert(
      fc.property(anyCandidates, (given) => {
        const known = [...given.approvers, given.responsibleId];
        expect(eligibleDeciders(given).every((id) => known.includes(id))).toBe(true);
      }),
    );
  });

  it('only shrinks after the request, and in tier "review" keeps only members who are eligible now', () => {
    fc.assert(
      fc.property(some, anyCandidates, fc.boolean(), (stored, now, needsIndependence) => {
        const left = remainingDeciders(stored, { ...now, needsIndependence });
        expect(left.filter((id) => !stored.includes(id))).toEqual([]);
        const inReview = remainingDeciders(stored, { ...now, tier: 'review', needsIndependence });
        expect(inReview.filter((id) => now.requesters.includes(id) || !now.isIndependent(id))).toEqual([]);
      }),
    );
  });

  it('lets only the acting person confirm their own call', () => {
    const own = {
      tier: 'confirm' as const,
      byAgent: false,
      responsibleId: 'ann',
      requesters: ['ann'],
      isIndependent: () => true,
      approvers: people,
      hasSingleMember: false,
    };
    expect(eligibleDeciders(own)).toEqual(['ann']);
    expect(eligibleDeciders({ ...own, responsibleId: null })).toEqual([]);
  });

  it('lets the responsible member confirm for an agent only if the tenant has no other member', () => {
    const alone = {
      tier: 'confirm' as const,
      byAgent: true,
      responsibleId: 'ann',
      requesters: ['ann'],
      isIndependent: () => true,
      approvers: ['ann'],
      hasSingleMember: true,
    };
    expect(eligibleDeciders(alone)).toEqual(['ann']);
    expect(eligibleDeciders({ ...alone, approvers: ['ann', 'ben'], hasSingleMember: false })).toEqual(['ben']);
  });

  it('marks an approval self-approved if all deciders are requesters or dependent on them', () => {
    const isIndependent = (id: string) => id === 'ben';
    expect(isSelfApproved(['ann'], { requesters: ['ann'], isIndependent })).toBe(true);
    expect(isSelfApproved(['cem'], { requesters: ['ann'], isIndependent })).toBe(true);
    expect(isSelfApproved(['ann', 'ben'], { requesters: ['ann'], isIndependent })).toBe(false);
  });
});
