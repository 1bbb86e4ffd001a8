import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Checksum } from './checksum.js';

type Row = { counts: (number | null)[]; model: string | null };

function checksumOf(rows: Row[]): string {
  const checksum = new Checksum();
  for (const { counts, model } of rows) {
    checksum.begin();
    for (const count of counts) checksum.number(count);
    checksum.text(model).end();
  }
  return checksum.digest().toString('hex');
}

const row: fc.Arbitrary<Row> = fc.record({
  counts: fc.array(fc.option(fc.maxSafeNat()), { minLength: 3, maxLength: 3 }),
  model: fc.option(fc.string()),
});

describe('a checksum', () => {
  it('does not depend on the order of rows', () => {
    fc.assert(
      fc.property(fc.array(row), fc.nat(), (rows, seed) => {
        const shuffled = rows
          .map((value, at) => ({ value, by: Math.imul(at + 1, seed + 7) }))
          .sort((one, other) => one.by - other.by)
          .map(({ value }) => value);
        expect(checksumOf(shuffled)).toBe(checksumOf(rows));
      }),
    );
  });

  it('changes when a value changes', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), row, fc.nat(), (rows, other, at) => {
        const place = at % rows.length;
        fc.pre(JSON.stringify(rows[place]) !== JSON.stringify(other));
        expect(checksumOf(rows.with(place, other))).not.toBe(checksumOf(rows));
      }),
    );
  });

  it('distinguishes null from 0 and depends on the position of a value', () => {
    const one = (counts: (number | null)[]) => checksumOf([{ counts, model: 'm' }]);
    const seen = [
      [null, 0, 1],
      [0, null, 1],
      [0, 0, 1],
      [1, 0, 0],
      [0, 1, 0],
      [2 ** 40, 0, 0],
      [2 ** 41, 0, 0],
    ].map(one);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('counts duplicate rows', () => {
    const twice = { counts: [1, 2, 3], model: null };
    expect(new Set([[], [twice], [twice, twice], [twice, twice, twice]].map(checksumOf)).size).toBe(4);
  });

  it('does not collide among 40,000 small days', () => {
    const seen = new Set<string>();
    for (let chat = 0; chat < 200; chat++)
      for (let tabs = 0; tabs < 200; tabs++) seen.add(checksumOf([{ counts: [chat, tabs, 0], model: null }]));
    expect(seen.size).toBe(40_000);
  });
});
