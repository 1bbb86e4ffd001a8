import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { indexTerms } from './index-terms.js';
import { contributions, coverage, parseQuery, type CorpusStatistics } from './rank.js';

const corpus: CorpusStatistics = {
  chunks: 1000,
  averageLength: 100,
  frequencies: { vacat: 10, dai: 400, call: 30, oncal: 5 },
};
const found = (...terms: string[]) => new Map(terms.map((term) => [term, 1]));

describe('rank', () => {
  it('asks for the informative words only, unless there are none', () => {
    expect(parseQuery('How many days of vacation do I get?').terms).toEqual(['dai', 'vacat']);
    expect(parseQuery('Who is who').terms).toEqual(['who', 'is']);
    expect(parseQuery('…').terms).toEqual([]);
  });

  it('says how much of the question a passage has', () => {
    const query = parseQuery('days of vacation on Mars');
    expect(coverage(query, found('vacat', 'dai', 'mar'), corpus)).toBe(1);
    expect(coverage(query, found(), corpus)).toBe(0);
    const withoutMars = coverage(query, found('vacat', 'dai'), corpus);
    expect(withoutMars).toBeGreaterThan(0.3);
    expect(withoutMars).toBeLessThan(0.5); // nobody knows Mars, and that weighs the most
  });

  it('takes a compound as met by itself, or in part by its parts', () => {
    const query = parseQuery('on-call pay');
    expect(coverage(query, found('oncal', 'pai'), corpus)).toBe(1);
    expect(coverage(query, found('call', 'pai'), corpus)).toBe(1);
    expect(coverage(query, found('pai'), corpus)).toBeLessThan(1);
  });

  it('weighs title over heading over text, and explains itself', () => {
    const { weights, length } = indexTerms(
      { title: 'Vacation', externalId: 'handbook/leave.md' },
      { heading: ['Days off'], text: 'You get thirty days.' },
    );
    expect(Object.fromEntries(weights)).toMatchObject({ vacat: 3, dai: 3, handbook: 1, leav: 1, thirti: 1 });
    expect(length).toBe(4);
    const why = contributions(['vacat', 'dai', 'absent'], { weights, length }, corpus);
    expect(why.map(({ term }) => term)).toEqual(['vacat', 'dai']);
    expect(why[0].score).toBeGreaterThan(why[1].score); // the rarer one
  });

  it('covers between nothing and everything, and more terms never cover less', () => {
    const term = fc.constantFrom('vacation', 'days', 'on-call', 'restoreDatabase', 'what', 'e-mail', '1,320');
    fc.assert(
      fc.property(fc.array(term, { minLength: 1 }), fc.nat(), (asked, pick) => {
        const query = parseQuery(asked.join(' '));
        const some = found(...query.terms.filter((_, index) => (pick >> index) & 1));
        const share = coverage(query, some, corpus);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1 + 1e-9);
        expect(coverage(query, found(...query.terms), corpus)).toBeCloseTo(1);
        expect(coverage(query, found(...some.keys(), query.terms[0]), corpus)).toBeGreaterThanOrEqual(share - 1e-9);
      }),
    );
  });
});
