import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { indexTerms } from './text/index-terms.js';
import { parseQuery } from './parse-query.js';
import { contributions, coverage, coverageFactor, type CorpusStatistics, termsOfWords } from './rank.js';

const corpus: CorpusStatistics = {
  chunks: 1000,
  averageLength: 100,
  frequencies: { vacat: 10, dai: 400, call: 30, oncal: 5 },
};
const found = (...terms: string[]) => new Map(terms.map((term) => [term, 1]));

describe('the ranking', () => {
  it('uses only the informative words of a query, unless there are none', () => {
    expect(parseQuery('How many days of vacation do I get?').terms).toEqual(['dai', 'vacat']);
    expect(parseQuery('Who is who').terms).toEqual(['who', 'is']);
    expect(parseQuery('…').terms).toEqual([]);
  });

  it('computes which share of the query a passage covers', () => {
    const query = parseQuery('days of vacation on Mars');
    expect(coverage(query, found('vacat', 'dai', 'mar'), corpus)).toBe(1);
    expect(coverage(query, found(), corpus)).toBe(0);
    const withoutMars = coverage(query, found('vacat', 'dai'), corpus);
    expect(withoutMars).toBeGreaterThan(0.3);
    expect(withoutMars).toBeLessThan(0.5); // the unknown term weighs the most
  });

  it('matches a compound as a whole or partly by its parts', () => {
    const query = parseQuery('on-call pay');
    expect(coverage(query, found('oncal', 'pai'), corpus)).toBe(1);
    expect(coverage(query, found('call', 'pai'), corpus)).toBe(1);
    expect(coverage(query, found('pai'), corpus)).toBeLessThan(1);
  });

  it('names the terms of the words that a passage contains, up to the last of 32', () => {
    const query = parseQuery(Array.from({ length: 40 }, (_, index) => `word${index}`).join(' '));
    expect([...termsOfWords(query, 2 ** 31 + 1)]).toEqual(['word0', 'word31']);
    expect(termsOfWords(query, 2 ** 32 - 1).size).toBe(32);
    expect(termsOfWords(query, 0).size).toBe(0);
  });

  it('lowers the score of a passage by up to half for the words that it lacks', () => {
    expect([0, 0.5, 1].map(coverageFactor)).toEqual([0.5, 0.75, 1]);
  });

  it('weights the title above headings and headings above text, and explains the score', () => {
    const { weights, length } = indexTerms(
      { title: 'Vacation', externalId: 'handbook/leave.md' },
      { heading: ['Days off'], text: 'You get thirty days.' },
    );
    expect(Object.fromEntries(weights)).toMatchObject({ vacat: 3, dai: 3, handbook: 1, leav: 1, thirti: 1 });
    expect(length).toBe(4);
    const why = contributions({ terms: ['vacat', 'dai', 'absent'], boosts: [1, 1, 1] }, { weights, length }, corpus);
    expect(why.map(({ term }) => term)).toEqual(['vacat', 'dai']);
    expect(why[0].score).toBeGreaterThan(why[1].score); // the rarer term
  });

  it('keeps the coverage between 0 and 1, and more terms never lower it', () => {
    const term = fc.constantFrom('vacation', 'days', 'on-call', 'restoreDatabase', 'what', 'e-mail', '1,320');
    fc.assert(
      fc.property(fc.array(term, { minLength: 1 }), fc.nat(), (words, pick) => {
        const query = parseQuery(words.join(' '));
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
