import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { JsonValue } from '../platform/json/strict-json.js';
import { flattenArguments } from './flatten-arguments.js';

describe('arguments on the approval page', () => {
  it('are listed value by value, with their paths', () => {
    const given = { to: 'ops', lines: ['a', { n: 1, 'a.b': true }], none: null, rest: [], more: {} };
    expect(flattenArguments(given).map(({ path, kind, text }) => [path, kind, text])).toEqual([
      ['to', 'text', 'ops'],
      ['lines[0]', 'text', 'a'],
      ['lines[1].n', 'number', '1'],
      ['lines[1]["a.b"]', 'true or false', 'true'],
      ['none', 'null', 'null'],
      ['rest', 'empty list', '[]'],
      ['more', 'empty object', '{}'],
    ]);
  });

  it('are marked as long by number of characters or lines', () => {
    expect(flattenArguments({ a: 'x'.repeat(281), b: 'x\n'.repeat(9), c: 'x' }).map(({ isLong }) => isLong)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('are complete, with a unique path per value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const shown = flattenArguments(given as JsonValue);
        expect(new Set(shown.map(({ path }) => path)).size).toBe(shown.length);
        expect(shown.length).toBe(leaves(given));
      }),
    );
  });
});

function leaves(value: unknown): number {
  if (value === null || typeof value !== 'object') return 1;
  const parts = Object.values(value);
  return parts.length ? parts.reduce<number>((sum, part) => sum + leaves(part), 0) : 1;
}
