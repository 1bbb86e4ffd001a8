import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { type EligibilityFacts, eligibleDeciders, isSelfApproved, remainingDeciders } from './tier.js';

const people = ['ann', 'ben', 'cem', 'dia'];
const some = fc.subarray(people);
const anyCandidates: fc.Arbitrary<EligibilityFacts> = fc
  .record({
    tier: fc.constantFrom('confirm' as const, 'review' as const),
    byAgent: fc.boolean(),
    answerableId: fc.option(fc.constantFrom(...people)),
    requesters: some,
    independent: some,
    approvers: some,
    hasSingleMember: fc.boolean(),
  })
  .map(({ independent, ...given }) => ({
    ...given,
    requesters: [...new Set([...given.requesters, ...(given.answerableId ? [given.answerableId] : [])])],
    isIndependent: (id: string) => independent.includes(id),
  }));
const requestersAmong = (given: EligibilityFacts) =>
  eligibleDeciders(given).filter((id) => given.requesters.includes(id));

describe('who may decide', () => {
  it('never lets a requester review', () => {
    fc.assert(
      fc.property(anyCandidates, (given) => void expect(requestersAmong({ ...given, tier: 'review' })).toEqual([])),
    );
  });

  it('never lets somebody review whom a requester could be', () => {
    fc.assert(
      fc.property(anyCandidates, (given) => {
        const deciders = eligibleDeciders({ ...given, tier: 'review' });
        expect(deciders.filter((id) => !given.isIndependent(id))).toEqual([]);
      }),
    );
  });

  it('asks somebody else about an agent as soon as there is somebody else', () => {
    fc.assert(
      fc.property(
        anyCandidates,
        (given) => void expect(requestersAmong({ ...given, byAgent: true, hasSingleMember: false })).toEqual([]),
      ),
    );
  });

  it('lets somebody dependent confirm for an agent only if nobody is independent, and marks it', () => {
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

  it('names nobody but approvers and the one who answers for the call', () => {
    fc.assert(
      fc.property(anyCandidates, (given) => {
        const known = [...given.approvers, given.answerableId];
        expect(eligibleDeciders(given).every((id) => known.includes(id))).toBe(true);
      }),
    );
  });

  it('only shrinks after the request, and never to somebody who could not decide now in review', () => {
    fc.assert(
      fc.property(some, anyCandidates, fc.boolean(), (stored, now, needsIndependence) => {
        const left = remainingDeciders(stored, { ...now, needsIndependence });
        expect(left.filter((id) => !stored.includes(id))).toEqual([]);
        const inReview = remainingDeciders(stored, { ...now, tier: 'review', needsIndependence });
        expect(inReview.filter((id) => now.requesters.includes(id) || !now.isIndependent(id))).toEqual([]);
      }),
    );
  });

  it('lets a person confirm the own call, and nobody else', () => {
    const own = {
      tier: 'confirm' as const,
      byAgent: false,
      answerableId: 'ann',
      requesters: ['ann'],
      isIndependent: () => true,
      approvers: people,
      hasSingleMember: false,
    };
    expect(eligibleDeciders(own)).toEqual(['ann']);
    expect(eligibleDeciders({ ...own, answerableId: null })).toEqual([]);
  });

  it('lets the responsible member confirm for an agent only where there is nobody else', () => {
    const alone = {
      tier: 'confirm' as const,
      byAgent: true,
      answerableId: 'ann',
      requesters: ['ann'],
      isIndependent: () => true,
      approvers: ['ann'],
      hasSingleMember: true,
    };
    expect(eligibleDeciders(alone)).toEqual(['ann']);
    expect(eligibleDeciders({ ...alone, approvers: ['ann', 'ben'], hasSingleMember: false })).toEqual(['ben']);
  });

  it('misses four eyes where only requesters, or whom they could be, could sign', () => {
    const isIndependent = (id: string) => id === 'ben';
    expect(isSelfApproved(['ann'], { requesters: ['ann'], isIndependent })).toBe(true);
    expect(isSelfApproved(['cem'], { requesters: ['ann'], isIndependent })).toBe(true);
    expect(isSelfApproved(['ann', 'ben'], { requesters: ['ann'], isIndependent })).toBe(false);
  });
});
