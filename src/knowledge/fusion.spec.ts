import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { fuse } from './fusion.js';
import { collapse, isNearDuplicate, shapeOf } from './near-duplicates.js';
import { authority, freshness } from './signals.js';

describe('fusion', () => {
  it('puts a passage that is best by words and by meaning above one that is best by one of them', () => {
    const [both, words, meaning, unknown] = fuse([
      { score: 9, similarity: 0.8 },
      { score: 10, similarity: 0.2 },
      { score: 0, similarity: 0.85 },
      { score: 1, similarity: null },
    ]);
    expect(both).toBeGreaterThan(words);
    expect(words).toBeGreaterThan(meaning);
    expect(meaning).toBeGreaterThan(unknown);
  });

  it('keeps the order of BM25 if nothing has a vector', () => {
    const fused = fuse([3, 2, 1].map((score) => ({ score, similarity: null })));
    expect([...fused].sort((a, b) => b - a)).toEqual(fused);
    expect(fuse([{ score: 0, similarity: null }])).toEqual([0]);
  });

  it('stays between 0 and 1', () => {
    const candidate = fc.record({
      score: fc.double({ min: 0, max: 100, noNaN: true }),
      similarity: fc.option(fc.double({ min: -1, max: 1, noNaN: true })),
    });
    fc.assert(
      fc.property(fc.array(candidate), (candidates) => {
        for (const value of fuse(candidates)) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1 + 1e-9);
        }
      }),
    );
  });
});

describe('signals', () => {
  const now = Date.parse('2026-11-28T00:00:00Z');
  it('take away at most a tenth for age, and nothing if it is unknown', () => {
    expect(freshness(null, now)).toBe(1);
    expect(freshness(new Date(now + 1), now)).toBe(1);
    expect(freshness(new Date('2024-11-28'), now)).toBeCloseTo(0.95, 3);
    expect(freshness(new Date(0), now)).toBeGreaterThan(0.9);
  });

  it('take away a little for drafts and documents that are no longer valid', () => {
    expect(authority({ title: 'Vacation', externalId: 'handbook/leave.md', container: null })).toBe(1);
    expect(authority({ title: 'Vacation', externalId: 'archive/leave.md', container: null })).toBe(0.85);
    expect(authority({ title: 'DRAFT: vacation', externalId: '1', container: 'People' })).toBe(0.9);
  });
});

describe('near duplicates', () => {
  const text = 'Everybody has thirty days of vacation a year, which expire on the last day of March.';
  it('are passages with almost the same words', () => {
    expect(isNearDuplicate(shapeOf(text), shapeOf(`${text.toUpperCase()} Note`))).toBe(true);
    expect(isNearDuplicate(shapeOf(text), shapeOf('Carts are charged at night, in a dock that is never full.'))).toBe(
      false,
    );
  });

  it('are not passages with other numbers', () => {
    const limit = (amount: number) =>
      shapeOf(`Hotels in London may cost up to ${amount} EUR for each night of a trip.`);
    expect(isNearDuplicate(limit(220), limit(220))).toBe(true);
    expect(isNearDuplicate(limit(220), limit(240))).toBe(false);
  });

  it('have the same words in ASCII and in other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), (ascii) => {
        expect(shapeOf(`${ascii} é`).words).toEqual(new Set([...shapeOf(ascii).words, 'e']));
      }),
    );
  });

  it('are listed with the passage that ranks highest', () => {
    expect(collapse([text, 'Lunch is at noon.', `${text} Ask.`], shapeOf)).toMatchObject([
      { item: text, duplicates: [`${text} Ask.`] },
      { item: 'Lunch is at noon.', duplicates: [] },
    ]);
  });
});
