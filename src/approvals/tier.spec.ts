import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { isNotFourEyes, mayDecide, type Deciders } from './tier.js';

const people = ['ann', 'ben', 'cem', 'dia'];
const some = fc.subarray(people);
const anyDeciders: fc.Arbitrary<Deciders> = fc
  .record({
    tier: fc.constantFrom('confirm' as const, 'review' as const),
    byAgent: fc.boolean(),
    answerableId: fc.option(fc.constantFrom(...people)),
    requesters: some,
    invited: some,
    approvers: some,
    isAlone: fc.boolean(),
  })
  .map((given) => ({
    ...given,
    requesters: [...new Set([...given.requesters, ...(given.answerableId ? [given.answerableId] : [])])],
  }));
const requestersAmong = (given: Deciders) => mayDecide(given).filter((id) => given.requesters.includes(id));

describe('who may decide', () => {
  it('never lets a requester review', () => {
    fc.assert(
      fc.property(anyDeciders, (given) => void expect(requestersAmong({ ...given, tier: 'review' })).toEqual([])),
    );
  });

  it('asks somebody else about an agent as soon as there is somebody else', () => {
    fc.assert(
      fc.property(
        anyDeciders,
        (given) => void expect(requestersAmong({ ...given, byAgent: true, isAlone: false })).toEqual([]),
      ),
    );
  });

  it('asks whom a requester has just invited only where there is nobody else', () => {
    fc.assert(
      fc.property(anyDeciders, (given) => {
        const deciders = mayDecide({ ...given, tier: 'review' });
        const isInvited = (id: string) => given.invited.includes(id);
        expect(deciders.every(isInvited) || !deciders.some(isInvited)).toBe(true);
        expect(deciders.length > 0).toBe(given.approvers.some((id) => !given.requesters.includes(id)));
      }),
    );
  });

  it('names nobody but approvers and the one who answers for the call', () => {
    fc.assert(
      fc.property(anyDeciders, (given) => {
        const known = [...given.approvers, given.answerableId];
        expect(mayDecide(given).every((id) => known.includes(id))).toBe(true);
      }),
    );
  });

  it('lets a person confirm the own call, and nobody else', () => {
    const own = {
      tier: 'confirm' as const,
      byAgent: false,
      answerableId: 'ann',
      requesters: ['ann'],
      invited: [],
      approvers: people,
      isAlone: false,
    };
    expect(mayDecide(own)).toEqual(['ann']);
    expect(mayDecide({ ...own, answerableId: null })).toEqual([]);
  });

  it('lets the responsible member confirm for an agent only where there is nobody else', () => {
    const alone = {
      tier: 'confirm' as const,
      byAgent: true,
      answerableId: 'ann',
      requesters: ['ann'],
      invited: [],
      approvers: ['ann'],
      isAlone: true,
    };
    expect(mayDecide(alone)).toEqual(['ann']);
    expect(mayDecide({ ...alone, approvers: ['ann', 'ben'], isAlone: false })).toEqual(['ben']);
  });

  it('misses four eyes where only requesters could sign', () => {
    expect(isNotFourEyes(['ann'], ['ann'])).toBe(true);
    expect(isNotFourEyes(['ann', 'ben'], ['ann'])).toBe(false);
  });
});
